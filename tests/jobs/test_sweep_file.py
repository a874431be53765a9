# SPDX-License-Identifier: BSD-3-Clause
"""What a sweep file may say, what it means, and the one line for what it may not."""

from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.points import Launch, plan
from agsweep.sweep_file import Sweep, load
from program.support.folders import ROOT

from .sweeps import bench, build_table

READY = ROOT / "jobs" / "sweeps"
BUILD = build_table("a", Path("build"))
TWO = BUILD + build_table("b", Path("build"))
POINTS = "[[points]]\nranks = 2\n"


def read(folder: Path, text: str) -> Sweep:
    file = folder / "sweep.toml"
    file.write_text(text)
    return load(file)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ["[[builds]]", "legal keys: name, folder, modules"]),
        (BUILD + POINTS, ["[[bench]]", "legal keys: program"]),
        ("launches = 0\n", ["launches", "0", "from 1 to"]),
        ("launches = true\n", ["launches", "true", "whole number"]),
        ("lunches = 2\n", ["'lunches' is no key", "nearest: launches"]),
        ("[buget]\n", ["'buget' is no key", "nearest: budget"]),
        ("[budget]\nlaunch_time = \"soon\"\n", ["budget.launch_time", "'soon'", "2h30m"]),
        ("[budget]\nmemory = \"much\"\n", ["budget.memory", "'much'", "512M"]),
        ("pairing = \"duett\"\n", ["pairing", "'duett'", "none, duet, alternate", "nearest: duet"]),
        ("pairing = \"duet\"\n", ["pairing", "'duet'", "two [[builds]]", "there is 1"]),
        ("launcher = \"mpirun\"\n", ["launcher", "'mpirun'", "openmpi", "mpich", "srun"]),
        ("[resources]\nscheduler = \"sge\"\n", ["resources.scheduler", "'sge'", "slurm, pbs, lsf"]),
        ("[resources]\ntime = \"1m\"\nsignal = \"2m\"\n", ["resources.signal", "less than time"]),
        ("[options]\noutput = \"x.csv\"\n", ["options.output", "agsweep names the files"]),
        ("[options]\nmem-limit = \"1G\"\n[budget]\nmemory = \"1G\"\n", ["mem-limit", "budget."]),
        ("launches = [\n", ["not TOML", "line"]),
    ],
)  # fmt: skip
def test_bad_files(tmp_path: Path, text: str, parts: list[str]) -> None:
    whole = text if not text or text == BUILD + POINTS else text + BUILD + POINTS + bench()
    with pytest.raises(BadInput) as caught:
        read(tmp_path, whole)
    message = str(caught.value)
    assert "\n" not in message
    assert "sweep.toml" in message
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize(
    ("points", "parts"),
    [
        ("nodes = 2", ["points[0]", "ranks", "ranks_per_node"]),
        ("ranks = \"8..2\"", ["points[0].ranks", "'8..2'", "goes up"]),
        ("ranks = \"8,2\"", ["points[0].ranks", "'8,2'", "8..256 step 8"]),
        ("ranks = []", ["points[0].ranks", "at least one"]),
        ("nodes = 2\nranks_per_node = 4\nranks = 9", ["points[0].ranks", "9", "up to 8"]),
        ("ranks = 2\nmappings = [\"round\"]", ["points[0].mappings", "sequential, cyclic"]),
        ("ranks = 2\nbench = [\"b\"]", ["points[0].bench", "'b'", "legal: allgather"]),
        ("ranks = 2\n[[points]]\nranks = 2", ["n1_p2_sequential_allgather stands twice"]),
        ("ranks = 2\nmappings = \"cyclic\"", ["none is left", "on one node cyclic is sequential"]),
    ],
)  # fmt: skip
def test_bad_points(tmp_path: Path, points: str, parts: list[str]) -> None:
    with pytest.raises(BadInput) as caught:
        plan(read(tmp_path, BUILD + f"[[points]]\n{points}\n" + bench()))
    for part in parts:
        assert part in str(caught.value)


def test_a_duet_has_no_time_limit(tmp_path: Path) -> None:
    duet = 'pairing = "duet"\n[options]\nmax-time = "1s"\n' + TWO + POINTS + bench()
    with pytest.raises(BadInput, match=r"max-time: '1s'.*same rounds; legal: iterations"):
        read(tmp_path, duet)


def test_two_of_a_name(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"builds\.name: 'a'.*2 times"):
        read(tmp_path, BUILD + BUILD + POINTS + bench())


def test_lists_and_ranges(tmp_path: Path) -> None:
    sweep = read(tmp_path, BUILD + '[[points]]\nranks = ["2..6 step 2", 5, "5..7"]\n' + bench())
    assert sweep.points[0].ranks == (2, 4, 6, 5, 7)


def test_nodes_are_filled(tmp_path: Path) -> None:
    sweep = read(tmp_path, BUILD + "[[points]]\nnodes = [1, 4]\nranks_per_node = 3\n" + bench())
    assert [(p.nodes, p.ranks, p.ranks_per_node) for p in plan(sweep).groups] == [
        (1, 3, 3),
        (4, 12, 3),
    ]


def order(sweep: Sweep) -> list[list[Launch]]:
    return [list(step) for step in plan(sweep).steps]


def test_alternated_launches(tmp_path: Path) -> None:
    """A B B A, and so on; who ran first is told."""
    steps = order(read(tmp_path, 'launches = 3\npairing = "alternate"\n' + TWO + POINTS + bench()))
    (launches,) = ([step[0] for step in steps],)
    assert [(x.build.name, x.number) for x in launches] == [
        ("a", 0), ("b", 0), ("b", 1), ("a", 1), ("a", 2), ("b", 2),
    ]  # fmt: skip
    notes = [x.notes("s") for x in launches]
    assert [each["turn"] for each in notes] == ["A", "B"] * 3
    assert [each["pair"] for each in notes[::2]] == [each["pair"] for each in notes[1::2]]
    assert len({each["pair"] for each in notes}) == 3


def test_duets(tmp_path: Path) -> None:
    steps = order(read(tmp_path, 'launches = 2\npairing = "duet"\n' + TWO + POINTS + bench()))
    assert [[(x.build.name, x.partner) for x in step] for step in steps] == [
        [("a", "b"), ("b", "a")], [("a", "b"), ("b", "a")],
    ]  # fmt: skip


def test_ready_ones() -> None:
    found = {path.stem: plan(load(path)) for path in READY.glob("*.toml")}
    named = {"faraj2006", "loch2021", "proficz2021", "quick", "regression"}
    assert set(found) == named | {"simulate-faraj6", "simulate-yahoo"}
    loch = list(found["loch2021"].groups)
    # 64 and 80 numbers of ranks for allgather, 32 for allgatherv (Loch 2021, 6.1.3), by mapping.
    for nodes, count in ((16, 64), (5, 80), (4, 32)):
        for mapping in ("sequential", "cyclic"):
            points = [p for p in loch if p.nodes == nodes and p.mapping == mapping]
            assert len(points) == count
    proficz = found["proficz2021"]
    assert [point.nodes for point in proficz.groups] == list(range(4, 49, 4))
    for point in proficz.groups:  # 128K to 2M floats, dealt out
        sizes = [int(size) * point.ranks for size in point.bench.options["sizes"].split(",")]
        assert sizes == pytest.approx([n * 4096 for n in (128, 256, 512, 1024, 2048)], abs=24)
