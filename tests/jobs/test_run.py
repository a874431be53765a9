# SPDX-License-Identifier: BSD-3-Clause
"""A sweep on this machine, from its plan to its data set."""

import hashlib
import os
from pathlib import Path

import pytest

from program.support.folders import ROOT
from program.support.launch import Build
from program.support.results import read_results

from .sweeps import Sweep, agreport, bench, build_table, two_ranks, written

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine"


def test_from_plan_to_data_set(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build, top="launches = 2")
    planned = sweep.ok("plan", "--launches")
    assert "1 points, 2 launches" in planned
    assert f"launch    {NAME}_0\nlaunch    {NAME}_1\n" in planned
    assert not sweep.results.exists()

    assert "2 of 2 launches are done" in sweep.ok("run")
    assert sweep.names(".csv") == [f"{NAME}_0", f"{NAME}_1"]
    found = read_results(sweep.file_of(f"{NAME}_1.csv"))
    notes = {key: found.metadata[f"note.{key}"] for key in ("sweep", "build", "point", "launch")}
    assert notes == {"sweep": "test", "build": "mine", "point": "n1_p2_sequential_allgather",
                     "launch": "1"}  # fmt: skip
    assert "done 2  running 0" in sweep.ok("status")

    sweep.ok("collect")
    manifest = sweep.manifest()
    assert manifest["missing"] == {}
    assert manifest["builds"]["mine"]["versions"][0]["mpi"] == found.metadata["mpi"]
    assert [entry["rows"] for entry in manifest["files"]] == [len(found.rows)] * 2
    for entry in manifest["files"]:
        data = (sweep.results / "dataset" / entry["file"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    assert "ring" in agreport("summary", str(sweep.results / "dataset"))


def snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path): path.read_bytes() for path in files}


def test_nothing_is_overwritten(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build)
    sweep.ok("run")
    sweep.ok("collect")
    before = snapshot(sweep.results)
    for command, parts in (
        ("run", ["under way", "agsweep resume", "--results"]),
        ("submit", ["under way", "agsweep resume", "--results"]),
        ("collect", ["dataset is there already", "-o FOLDER"]),
    ):
        ended = sweep.run(command)
        assert ended.exit_code == 2
        for part in parts:
            assert part in ended.stderr
    assert "1 of 1 launches are done" in sweep.ok("resume")
    assert snapshot(sweep.results) == before

    sweep.file.write_text(sweep.file.read_text() + "# changed\n")
    ended = sweep.run("resume")
    assert ended.exit_code == 2
    assert "another version" in ended.stderr
    assert snapshot(sweep.results) == before


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("iterations", "iteration", ["bench[0].options", "'iteration'", "nearest: iterations"]),
        ('folder = "', 'folder = "/nowhere', ["build mine", "/nowhere", "make build"]),
        ("[[points]]", 'mpirun = "/bin/true"\n[[points]]', ["/bin/true --version", "openmpi"]),
        ("[[points]]", 'venv = "/nowhere"\n[[points]]', ["venv '/nowhere'", "bin/"]),
    ],
)
def test_refused_before_anything(
    build: Build, tmp_path: Path, old: str, new: str, parts: list[str]
) -> None:
    sweep = two_ranks(tmp_path, build)
    sweep.file.write_text(sweep.file.read_text().replace(old, new, 1))
    ended = sweep.run("run")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1
    for part in parts:
        assert part in ended.stderr
    assert not sweep.results.exists()


def test_a_failure_keeps_its_log_and_not_the_others(build: Build, tmp_path: Path) -> None:
    """The second benchmark cannot run; when the file it wants is there, resume does only that."""
    sizes = tmp_path / "sizes.txt"
    sweep = written(
        tmp_path, build_table("mine", build.folder), "[[points]]\nranks = 2\n", bench(),
        bench(f'algorithms = "ring"\nsizes = "1"\niterations = 2\ndistributions = "file:{sizes}"',
              "allgatherv_bench"),
    )  # fmt: skip
    ended = sweep.run("run")
    assert ended.exit_code == 3
    status = sweep.run("status")
    assert status.exit_code == 3
    assert "done 1  running 0  waiting 0  failed 1  missing 0" in status.stdout
    (line,) = [line for line in status.stdout.splitlines() if line.startswith("failed")]
    assert "allgatherv_mine_0: exit code 2: allgatherv_bench: " in line and "sizes.txt" in line

    done = sweep.file_of(f"{NAME}_0.csv").read_bytes()
    sizes.write_text("1\n2\n")
    assert "2 of 2 launches are done" in sweep.ok("resume")
    assert sweep.file_of(f"{NAME}_0.csv").read_bytes() == done
    log = sweep.file_of("n1_p2_sequential_allgatherv_mine_0.log").read_text()
    assert log.count("#@try=") == 2 and "exit_code=2" in log and "exit_code=0" in log


def test_collect_what_is_not_finished(build: Build, tmp_path: Path) -> None:
    """--partial takes the finished cases of a launch that failed, and the manifest says so."""
    sweep = two_ranks(tmp_path, build)
    sweep.ok("run")
    log = sweep.file_of(f"{NAME}_0.log")
    log.write_text(log.read_text().replace("exit_code=0", "exit_code=3"))
    refused = sweep.run("collect")
    assert refused.exit_code == 2 and "no launch is done" in refused.stderr
    sweep.ok("collect", "--partial")
    manifest = sweep.manifest()
    assert [entry["finished"] for entry in manifest["files"]] == [False]
    assert manifest["files"][0]["rows"] > 0
    log.with_suffix(".csv").write_text("nothing finished\n")
    nothing = sweep.run("collect", "--partial", "-o", str(tmp_path / "other"))
    assert nothing.exit_code == 2 and "no launch is done" in nothing.stderr


def two_builds(build: Build, folder: Path, pairing: str, other: Path | None = None) -> Sweep:
    tables = build_table("first", build.folder), build_table("second", other or build.folder)
    return written(folder, f'launches = 2\npairing = "{pairing}"', *tables,
                   "[[points]]\nranks = 2\n", bench())  # fmt: skip


def metadata(sweep: Sweep) -> dict[str, dict[str, str]]:
    """Of each launch, by build and number."""
    found = [read_results(sweep.file_of(f"{name}.csv")).metadata for name in sweep.names(".csv")]
    return {each["note.build"] + each["note.launch"]: each for each in found}


def test_duets(build: Build, tmp_path: Path) -> None:
    sweep = two_builds(build, tmp_path, "duet")
    sweep.ok("run")
    found = metadata(sweep)
    for number in "01":
        first, second = found[f"first{number}"], found[f"second{number}"]
        assert first["duet_pair"] == second["duet_pair"]
        assert (first["duet_partner"], second["duet_partner"]) == ("second", "first")
    assert found["first0"]["duet_pair"] != found["first1"]["duet_pair"]


def test_alternated(build: Build, tmp_path: Path) -> None:
    sweep = two_builds(build, tmp_path, "alternate")
    sweep.ok("run")
    found = metadata(sweep)
    turns = {name: (each["note.pair"], each["note.turn"]) for name, each in found.items()}
    pair = "n1_p2_sequential_allgather"
    assert turns == {
        "first0": (f"{pair}_0", "A"), "second0": (f"{pair}_0", "B"),
        "second1": (f"{pair}_1", "A"), "first1": (f"{pair}_1", "B"),
    }  # fmt: skip


@pytest.mark.parametrize("pairing", ["none", "duet"])
def test_two_mpis_in_one_data_set(build: Build, tmp_path: Path, pairing: str) -> None:
    """`make test-mpis` runs this with each MPI beside the default one."""
    name = os.environ.get("GATHERBENCH_PARTNER")
    if name is None:
        pytest.skip("GATHERBENCH_PARTNER names no build with another MPI")
    other = Build(ROOT / name)
    sweep = two_builds(build, tmp_path, pairing, other.folder)
    assert "4 of 4 launches are done" in sweep.ok("run")
    sweep.ok("collect")
    builds = sweep.manifest()["builds"]
    assert builds["first"]["versions"][0]["mpi"] != builds["second"]["versions"][0]["mpi"]
    for entry in sweep.manifest()["files"]:
        assert entry["file"].startswith(f"{entry['build']}/")
        mpi = read_results(sweep.results / "dataset" / entry["file"]).metadata["mpi"]
        assert mpi == builds[entry["build"]]["versions"][0]["mpi"]
