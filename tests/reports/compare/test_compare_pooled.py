# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare and history: which launches they take together, and which they refuse to."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agreport.main import main

from ..support import fake_launches
from ..support.commands import Capture, refused
from ..support.compared import compared

# A key, and the values of it in two halves of the launches of one side.
MIXED = [
    ("in_place", "in_place", ("no", "yes")),
    ("sync", "sync", ("barrier", "dissemination")),
    ("mpi", "mpi", ("Open MPI v4.1.4", "Open MPI v5.0.1")),
    ("mpi_build_id", "mpi_build_id", ("aaaa", "bbbb")),
    ("build", "note__build", ("one", "other")),
    ("machine", "hosts", ("node1,node2", "fast1,fast2")),
]
NAMES = {"node1,node2": "node#"}  # of machines, by their hosts
LAUNCHES = 4


def launches(folder: Path, key: str, values: tuple[str, str], pair: str, **more: str) -> list[str]:
    """Launches of one case, every second one with the other value, which takes twice as long."""
    random = np.random.default_rng(len(str(folder)))
    for number in range(2 * LAUNCHES):
        half = number % 2
        us = [100.0 * (1 + half) * float(np.exp(random.normal(0, 0.02)))] * 6
        paired = {pair: f"p{number}"} if pair else {}
        told = {key: values[half], **paired, **more}
        fake_launches.launch(folder / f"{number}.csv", {("ring", 8): us}, **told)
    return [str(folder)]


def compare_both(sides: Iterable[list[str]], *words: str) -> dict[str, Any]:
    base, new = sides
    return compared(base, new, *words)


@pytest.mark.parametrize("pair", ["note__pair", "duet_pair"])
@pytest.mark.parametrize(("name", "key", "values"), MIXED)
def test_pairs_of_unlike_launches_are_not_taken_together(
    name: str, key: str, values: tuple[str, str], pair: str, tmp_path: Path, capsys: Capture
) -> None:
    base, new = (launches(tmp_path / side, key, values, pair)[0] for side in ("base", "new"))
    line = refused(capsys, "compare", "--baseline", base, "--new", new)
    value = NAMES.get(values[0], values[0])
    assert f"base: launches of one case differ in {name}: '{value}' in {base}/0.csv" in line
    assert f"--allow {name} " in line
    found = compared([base], [new], "--allow", name)
    assert found["cases"][0]["base_launches"] == 2 * LAUNCHES
    assert sum(f"differ in {name} " in each for each in found["warnings"]) == 1


def test_one_half_may_be_chosen(tmp_path: Path) -> None:
    files = (
        launches(tmp_path / side, "in_place", ("no", "yes"), "note__pair")
        for side in ("base", "new")
    )
    found = compare_both(files, "--where", "in_place=yes")
    assert found["cases"][0]["base_launches"] == LAUNCHES
    assert found["cases"][0]["base_us"] == pytest.approx(200, rel=0.1)


def test_launches_without_pairs_are_of_one_build_a_side(tmp_path: Path, capsys: Capture) -> None:
    base, new = (
        launches(tmp_path / side, "note__build", ("one", "other"), "")[0]
        for side in ("base", "new")
    )
    line = refused(capsys, "compare", "--baseline", base, "--new", new)
    assert "differ in build: 'one' in " in line and "--allow build " in line


def test_all_that_differs_is_in_one_line(tmp_path: Path, capsys: Capture) -> None:
    sides = []
    for side in ("base", "new"):
        for version in ("4.1.4", "5.0.1"):
            launches(
                tmp_path / side / version, "mpi_library", (f"/{version}/l.so",) * 2, "",
                mpi=f"Open MPI v{version}", note__build=version,
            )  # fmt: skip
        sides.append(str(tmp_path / side))
    words = ["compare", "--baseline", sides[0], "--new", sides[1]]
    line = refused(capsys, *words)
    assert "--allow build,mpi,mpi_library to " in line
    line = refused(capsys, *words, "--allow", "mpi,build")
    assert "differ in mpi_library: " in line and "--allow mpi,build,mpi_library to " in line
    assert main([*words, "--allow", "build,mpi,mpi_library"]) in (0, 2)


@pytest.mark.parametrize("pair", ["", "note__pair"])
def test_sides_may_differ_in_what_they_are_compared_in(pair: str, tmp_path: Path) -> None:
    """Two builds of a library, in launches of which each sweep has a folder of its own."""
    for side, version in (("base", "4.1.4"), ("new", "5.0.1")):
        for night in range(2):
            launches(
                tmp_path / side / f"{night}", "seed", ("1", "2"), "",
                mpi=f"Open MPI v{version}", mpi_library=f"/{version}/l.so", note__build=version,
                note__night=f"{night}", load_start=f"{night}", hosts="node1" if pair else "node2",
            )  # fmt: skip
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])
    assert found["cases"][0]["base_launches"] == 4 * LAUNCHES


def test_other_hosts_of_one_machine_are_one_machine(tmp_path: Path) -> None:
    """A scheduler gives each pair other hosts."""
    files = (
        launches(tmp_path / side, "hosts", ("n1,n2", "n3,n14"), "note__pair")
        for side in ("base", "new")
    )
    assert compare_both(files)["cases"][0]["base_launches"] == 2 * LAUNCHES


def test_files_that_do_not_tell_the_node_are_taken_together(tmp_path: Path) -> None:
    sides = []
    for side in ("base", "new"):
        folder = tmp_path / side
        launches(folder / "old", "seed", ("1", "2"), "")
        launches(folder / "told", "machine__cpu", ("EPYC", "EPYC"), "")
        sides.append([str(folder)])
    assert compare_both(sides)["cases"][0]["base_launches"] == 4 * LAUNCHES


def test_launches_that_measured_other_cases_may_differ(tmp_path: Path) -> None:
    """Two benchmarks of a sweep, one in place: the cases of neither are pooled."""
    sides = []
    for side in ("base", "new"):
        for number in range(2 * LAUNCHES):
            half = number % 2
            fake_launches.launch(
                tmp_path / side / f"{number}.csv", {("ring", 8 + half): [100.0 + number] * 6},
                in_place=("no", "yes")[half], note__pair=f"p{number}",
            )  # fmt: skip
        sides.append([str(tmp_path / side)])
    assert [case["base_launches"] for case in compare_both(sides)["cases"]] == [LAUNCHES] * 2


@pytest.mark.parametrize(("name", "key", "values"), MIXED)
def test_a_version_of_unlike_launches_is_refused(
    name: str, key: str, values: tuple[str, str], tmp_path: Path, capsys: Capture
) -> None:
    for version in range(3):
        more = {"note__commit": f"c{version}", "start": f"2026-11-0{version + 1}T00:00:00+0000"}
        launches(tmp_path / f"{version}", key, values, "", **more)
    words = ["history", str(tmp_path), "--by", "note.commit"]
    line = refused(capsys, *words)
    value = NAMES.get(values[0], values[0])
    assert f"version c0: launches of one case differ in {name}: '{value}' in " in line
    assert f"--pool {name} " in line
    assert main([*words, "--pool", name]) == 0
    assert f"Launches of one version differ in {name} and are taken" in capsys.readouterr().out
    document = tmp_path / "h.json"
    assert main([*words, "--where", f"{name}={value}", "--json", str(document)]) == 0
    found = json.loads(document.read_text())["versions"]
    assert [len(each["files"]) for each in found] == [LAUNCHES] * 3


def test_versions_may_differ(tmp_path: Path, capsys: Capture) -> None:
    for version in range(3):
        build = f"b{version}"
        more = {"mpi_build_id": build, "start": f"2026-11-0{version + 1}T00:00:00+0000"}
        launches(tmp_path / f"{version}", "note__build", (build, build), "", **more)
    assert main(["history", str(tmp_path)]) == 0
    assert "--pool" not in capsys.readouterr().out


@pytest.mark.parametrize("words", [["--where", "in_place=yes"], ["--bytes", "16"]])
def test_a_version_without_chosen_launches_is_no_version_that_passed(
    words: list[str], tmp_path: Path, capsys: Capture
) -> None:
    """Each version has launches in place and others, but the newest, which has only others."""
    for version in range(10):
        for number in range(6 if version < 9 else 3):
            own = number // 3
            day = f"2026-11-{version + 1:02}"
            fake_launches.launch(
                tmp_path / f"{version}_{number}.csv", {("ring", 8 << own): [100.0 + number] * 6},
                in_place=("no", "yes")[own], note__commit=f"c{version}",
                start=f"{day}T{number:02}:00:00+0000",
            )  # fmt: skip
    document = tmp_path / "h.json"
    words = ["history", str(tmp_path), "--by", "note.commit", "--gate", *words]
    assert main([*words, "--json", str(document)]) == 2
    said = capsys.readouterr()
    assert "not measured in the newest version, c9" in said.err
    assert "10 versions by note.commit, 30 launches, 1 case" in said.out
    found = json.loads(document.read_text())
    assert [len(each["files"]) for each in found["versions"]] == [3] * 10


@pytest.mark.parametrize("command", ["compare", "history"])
def test_keys_that_may_be_allowed_are_listed(command: str, tmp_path: Path, capsys: Capture) -> None:
    one, other = (launches(tmp_path / side, "seed", ("1", "2"), "")[0] for side in ("a", "b"))
    words = {
        "compare": ["--baseline", one, "--new", other, "--allow", "maschine"],
        "history": [one, "--pool", "maschine"],
    }
    line = refused(capsys, command, *words[command])
    assert "'maschine'" in line and "machine" in line.replace("maschine", "")


def test_one_launch_a_side_is_judged_though_one_was_first(tmp_path: Path, capsys: Capture) -> None:
    """Every real file says when its launch began."""
    random = np.random.default_rng(7)
    names = []
    for number, factor in enumerate((1.0, 1.5)):
        us = [100 * factor * float(each) for each in np.exp(random.normal(0, 0.05, 40))]
        path = tmp_path / f"{number}.csv"
        start = f"2026-11-01T00:0{number}:00+0000"
        names.append(str(fake_launches.launch(path, {("ring", 8): us}, start=start)))
    words = ["compare", "--baseline", names[0], "--new", names[1], "--allow", "single-launch"]
    assert main(words) == 1
    said = capsys.readouterr()
    assert "verdict: REGRESSION" in said.out and said.err == ""


def test_one_launch_a_side_of_few_iterations_has_no_verdict(
    tmp_path: Path, capsys: Capture
) -> None:
    """The option that was given is no advice."""
    one, other = (
        str(fake_launches.launch(tmp_path / f"{name}.csv", {("ring", 8): [100.0 * name] * 5}))
        for name in (1, 2)
    )
    words = ["compare", "--baseline", one, "--new", other]
    assert main(words) == 2
    assert "--allow single-launch" in capsys.readouterr().err
    assert main([*words, "--allow", "single-launch"]) == 2
    said = capsys.readouterr().err
    assert "too few iterations" in said and "--allow" not in said


def test_launches_that_filters_leave_out_do_not_count(tmp_path: Path) -> None:
    sides = []
    for side in ("base", "new"):
        for number in range(8):
            few = number % 2
            fake_launches.launch(
                tmp_path / side / f"{number}.csv", {("ring", 8 << few): [100.0 + number] * 6},
                note__pair=f"p{number}", oversubscribed=("no", "yes")[few],
            )  # fmt: skip
        sides.append([str(tmp_path / side)])
    found = compare_both(sides, "--bytes", "8")
    assert len(found["base"]) == 4
    assert not any("Oversubscribed" in each for each in found["warnings"])


@pytest.mark.parametrize(("few", "judged"), [(1, True), (2, True), (3, False)])
def test_a_group_with_too_few_launches_keeps_no_other_from_its_verdict(
    few: int, judged: bool, tmp_path: Path
) -> None:
    """Few launches of a side are often all before those of the other."""
    random = np.random.default_rng(5)
    sides = []
    for new, side in enumerate(("base", "new")):
        folder = tmp_path / side
        for number, place in enumerate((new, 1 - new, 1 - new, new, new, 1 - new, new, 1 - new)):
            us = [100 * float(np.exp(random.normal(0, 0.02)))] * 6
            start = f"2026-11-01T{number:02}:0{place}:00+0000"
            fake_launches.launch(folder / f"a{number}.csv", {("ring", 8): us}, start=start)
        for number in range(few):
            start = f"2026-11-02T0{new}:0{number}:00+0000"
            fake_launches.launch(
                folder / f"b{number}.csv", {("ring", 16): [100.0 + number] * 6}, start=start,
                ranks="2",
            )  # fmt: skip
        sides.append([str(folder)])
    found = compare_both(sides, "--allow", "missing,order")
    assert (found["verdict"] != "inconclusive") == judged
