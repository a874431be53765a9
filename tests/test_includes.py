# SPDX-License-Identifier: BSD-3-Clause
"""C++ includes go down only: from a folder to the layers below its own."""

import re
from collections.abc import Iterable, Iterator, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOT_OURS = ("build", ".", "docs", "tests")  # the last two may include everything

# From the bottom up. The components of a layer do not include each other; a component is a folder,
# or a tuple of folders that may.
Component = str | tuple[str, ...]
Layers = Sequence[Sequence[Component]]
LAYERS: Layers = [
    ["."],  # what the build writes: version.h
    ["formats/text"],
    ["formats"],
    ["algorithms/collectives", "algorithms/topology"],
    ["algorithms"],
    ["algorithms/shared", "algorithms/messages"],
    ["algorithms/choice", "algorithms/cost"],
    [
        "algorithms/alltoall",
        "algorithms/direct",
        "algorithms/logarithmic",
        "algorithms/rings",
        "algorithms/hierarchical",
        "algorithms/torus",
        "algorithms/arrival_aware",
        "algorithms/bcast",
        "algorithms/reduce",
    ],
    ["algorithms/proof"],
    ["distributions", "distributions/arrivals"],
    ["runtime/mpi", "runtime/policies"],
    ["runtime/mpi/plans"],
    ["runtime/selection"],
    ["runtime/trace", "runtime/star/call"],
    ["runtime/star"],
    ["runtime/star/bindings"],
    ["tools/allgather_schedule/common"],
    ["tools/allgather_schedule/catalogue"],
    ["tools/allgather_schedule"],
    ["bench/process"],
    ["bench/duet", "bench/reduction"],
    ["bench/options"],
    ["bench/native"],
    ["bench/load", "bench/buffers", "bench/start"],
    ["bench/cases"],
    ["bench/replay", "bench/machine", "bench/samples"],
    ["bench/setup", "bench/model"],
    ["bench/measure"],
    ["bench/results"],
    ["bench"],
]


def sources() -> Iterator[Path]:
    """Relative to the root."""
    for folder in sorted(ROOT.iterdir()):
        if folder.is_dir() and not folder.name.startswith(NOT_OURS):
            for path in sorted(folder.rglob("*")):
                if path.suffix in (".h", ".cpp", ".inc"):
                    yield path.relative_to(ROOT)


def includes() -> Iterator[tuple[Path, Path]]:
    for source in sources():
        text = (ROOT / source).read_text(encoding="utf-8")
        for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
            yield source, Path(header)


def faults(layers: Layers, found: Iterable[tuple[Path, Path]]) -> list[str]:
    """Includes that do not go down, and folders without a layer."""
    place = {
        folder: (height, component)
        for height, layer in enumerate(layers)
        for component in layer
        for folder in ([component] if isinstance(component, str) else component)
    }
    lines = []
    for source, header in found:
        start, end = str(source.parent), str(header.parent)
        if unknown := [folder for folder in (start, end) if folder not in place]:
            lines.append(f"{source} includes {header}: {unknown[0]} has no layer")
        elif place[start] != place[end] and place[start][0] <= place[end][0]:
            lines.append(f"{source} includes {header}: {end} is not below {start}")
    return lines


def test_every_folder_has_a_layer() -> None:
    folders = {str(source.parent) for source in sources()}
    assert len(folders) > 10  # they were found
    assert faults(LAYERS, ((Path(f"{folder}/a.cpp"), Path("a.h")) for folder in folders)) == []


def test_includes_go_down() -> None:
    found = list(includes())
    assert len(found) > 300  # they were found
    assert faults(LAYERS, found) == []


def parts_of(found: Iterable[tuple[Path, Path]]) -> dict[str, set[str]]:
    """What each header and its source, which are one part, include of other parts."""
    parts: dict[str, set[str]] = {}
    for source, header in found:
        own, other = str(source.with_suffix("")), str(header.with_suffix(""))
        if own != other:
            parts.setdefault(own, set()).add(other)
    return parts


def test_no_part_includes_itself_by_way_of_others() -> None:
    TopologicalSorter(parts_of(includes())).prepare()  # or raises a CycleError that names them


def test_a_circle_is_found() -> None:
    found = [("a/x.cpp", "a/y.h"), ("a/y.h", "a/z.h"), ("a/z.cpp", "a/x.h"), ("a/x.cpp", "a/x.h")]
    with pytest.raises(CycleError):
        TopologicalSorter(parts_of((Path(a), Path(b)) for a, b in found)).prepare()


@pytest.mark.parametrize(
    ("source", "header", "fault"),
    [
        ("low/a.cpp", "low/b.h", None),
        ("high/a.cpp", "low/b.h", None),
        ("high/a.cpp", "high/part/b.h", None),
        ("low/a.cpp", "high/part/b.h", "high/part is not below low"),
        ("other/a.cpp", "high/b.h", "high is not below other"),
        ("high/new/a.cpp", "low/b.h", "high/new has no layer"),
        ("high/a.cpp", "new/b.h", "new has no layer"),
    ],
)
def test_faults_are_found(source: str, header: str, fault: str | None) -> None:
    layers: Layers = [["low"], ["other", ("high", "high/part")]]
    expected = [f"{source} includes {header}: {fault}"] if fault else []
    assert faults(layers, [(Path(source), Path(header))]) == expected
