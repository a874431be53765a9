# SPDX-License-Identifier: BSD-3-Clause
"""A sweep on this machine, from its plan to its data set."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from agformats.files.gzip_text import read_bytes
from agreport.main import main as agreport_main
from program.support.folders import ROOT
from program.support.launch import Build
from program.support.results import read_results

from .sweeps import OPTIONS, Sweep, agreport, bench, build_table, said, two_ranks, written

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine"


@pytest.fixture(scope="module")
def run_once(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Sweep:
    sweep = two_ranks(tmp_path_factory.mktemp("finished"), build)
    sweep.ok("run")
    return sweep


@pytest.fixture
def finished(run_once: Sweep, tmp_path: Path) -> Sweep:
    """A copy, to be changed."""
    shutil.copytree(run_once.file.parent, tmp_path, dirs_exist_ok=True)
    return Sweep(tmp_path / run_once.file.name, tmp_path / run_once.results.name)


def test_from_plan_to_data_set(build: Build, tmp_path: Path) -> None:
    two = OPTIONS.replace('"ring"', '["ring", "bruck"]')
    sweep = two_ranks(tmp_path, build, two, top="launches = 2")
    planned = sweep.ok("plan", "--launches")
    assert "1 points, 2 launches" in planned
    assert f"launch    {NAME}_0\nlaunch    {NAME}_1\n" in planned
    assert not sweep.results.exists()

    said = sweep.ok("run")
    assert "2 of 2 launches are done" in said
    assert re.search(rf"^{NAME}_0: done \(1 left, about 0:\d\d:\d\d\)$", said, re.MULTILINE)
    assert f"{NAME}_1: done\n" in said
    assert sweep.names(".csv.gz") == [f"{NAME}_0", f"{NAME}_1"]
    found = read_results(sweep.file_of(f"{NAME}_1.csv.gz"))
    notes = {key: found.metadata[f"note.{key}"] for key in ("sweep", "build", "point", "launch")}
    assert notes == {"sweep": "test", "build": "mine", "point": "n1_p2_sequential_allgather",
                     "launch": "1"}  # fmt: skip
    assert "done 2  running 0" in sweep.ok("status")

    sweep.ok("collect")
    manifest = sweep.manifest()
    assert manifest["missing"] == {}
    assert manifest["builds"]["mine"]["versions"][0]["mpi"] == found.metadata["mpi"]
    assert [entry["rows"] for entry in manifest["files"]] == [len(found.rows)] * 2
    assert [entry["cases"] for entry in manifest["files"]] == [2, 2]
    assert [entry["number"] for entry in manifest["files"]] == [0, 1]
    data_set = sweep.results / "dataset"
    files = sorted(path.name for path in data_set.rglob("*"))
    assert files == [
        "SHA256SUMS", "launches.parquet", "manifest.json", "results.parquet", "sweep.toml",
    ]  # fmt: skip
    for folder, entries in (
        (sweep.results, manifest["files"]),
        (data_set, [*manifest["data"], manifest["sweep_file"]]),
    ):
        for entry in entries:
            data = (folder / entry["file"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    launches = pd.read_parquet(data_set / "launches.parquet")
    assert launches["file"].tolist() == [f"mine/{NAME}_{number}.csv.gz" for number in range(2)]
    assert set(launches["point"]) == {"n1_p2_sequential_allgather"}
    assert set(launches["build"]) == {"mine"}
    assert launches["mpi"].tolist() == [found.metadata["mpi"]] * 2
    for command in ("table", "summary"):
        options = ("--format", "csv") + (("--algorithm", "ring") if command == "table" else ())
        printed = agreport(command, str(data_set), *options)
        assert printed == agreport(command, str(sweep.results / "launches"), *options)
        assert len(printed.splitlines()) > 1


def test_what_is_recorded_is_collected_too(build: Build, tmp_path: Path) -> None:
    """The file is beside the path of its launch, where reports look for it."""
    recorded = 'arrival = "delayed:rank=1,delay=50us"\nrecord = "ranks,steps,counters"\n'
    sweep = two_ranks(tmp_path, build, OPTIONS + recorded)
    sweep.ok("run")
    sweep.ok("collect")
    (entry,) = sweep.manifest()["files"]
    data_set = sweep.results / "dataset"
    for kind, name, report in (
        ("per_rank", "ranks", "delays"),
        ("per_step", "steps", "steps"),
        ("counters", "counters", "counters"),
    ):
        copy = data_set / entry[kind]["file"]
        assert copy == data_set / f"mine/{NAME}_0.{name}.csv.gz"
        assert copy.read_bytes() == sweep.file_of(copy.name).read_bytes()
        assert agreport(report, str(data_set)) == agreport(report, str(sweep.results / "launches"))
    sums = (data_set / "SHA256SUMS").read_text().splitlines()
    files = {str(path.relative_to(data_set)) for path in data_set.rglob("*") if path.is_file()}
    assert {line.split("  ")[1] for line in sums} == files - {"SHA256SUMS"}
    checked = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    subprocess.run(checked, cwd=data_set, check=True)


def test_of_two_that_collect_at_once_one_is_refused(
    finished: Sweep, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = finished.results / "dataset" / "manifest.json"

    def meanwhile(_: Path) -> None:
        others.parent.mkdir()
        others.write_text("of the other")

    monkeypatch.setattr("agsweep.commands.collect.write_sums", meanwhile)
    ended = finished.run("collect")
    assert ended.exit_code == 2
    (line,) = ended.stderr.splitlines()
    assert line.startswith("agsweep: error: --output: ") and "made meanwhile" in line
    assert others.read_text() == "of the other"
    assert not list(finished.results.glob("*.partial"))


def test_a_kill_leaves_no_half_data_set(finished: Sweep) -> None:
    """Nothing of the name that it was to have, so it can be collected again."""
    code = (
        "import os, sys; from agformats.files.data_set_writer import Writer; "
        "Writer.write_launches = lambda _: os._exit(9); "
        "from agsweep.main import main; main(sys.argv[1:])"
    )
    killed = [sys.executable, "-c", code, *finished.words("collect")]
    done = subprocess.run(killed, env=finished.environment, check=False)
    assert done.returncode == 9
    assert list(finished.results.glob("dataset.*.partial"))
    assert not (finished.results / "dataset").exists()
    finished.ok("collect")
    assert "ring" in agreport("summary", str(finished.results / "dataset"))


def snapshot(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "lock")
    return {str(path): path.read_bytes() for path in files}


def test_nothing_is_overwritten(finished: Sweep) -> None:
    finished.ok("collect")
    before = snapshot(finished.results)
    for command, parts in (
        ("run", ["under way", "agsweep resume", "--results"]),
        ("submit", ["under way", "agsweep resume", "--results"]),
        ("collect", ["dataset is there already", "-o FOLDER"]),
    ):
        ended = finished.run(command)
        assert ended.exit_code == 2
        for part in parts:
            assert part in ended.stderr
    assert "1 of 1 launches are done" in finished.ok("resume")
    assert snapshot(finished.results) == before

    finished.file.write_text(finished.file.read_text() + "# changed\n")
    ended = finished.run("resume")
    assert ended.exit_code == 2
    assert "another version" in ended.stderr
    assert snapshot(finished.results) == before


@pytest.mark.parametrize(
    ("old", "new", "parts"),
    [
        ("iterations", "iteration", ["bench[0].options", "'iteration'", "nearest: iterations"]),
        ('folder = "', 'folder = "/nowhere', ["build mine", "/nowhere", "make build"]),
        ("[[points]]", 'mpirun = "/bin/true"\n[[points]]', ["/bin/true --version", "openmpi"]),
        ("[[points]]", 'venv = "/nowhere"\n[[points]]', ["venv '/nowhere'", "bin/"]),
        ("[[points]]", 'launcher = "smpirun"\n[[points]]', ["platform: is not given"]),
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
    for part in [*parts, str(sweep.file)]:
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

    done = sweep.file_of(f"{NAME}_0.csv.gz").read_bytes()
    sizes.write_text("1\n2\n")
    assert "2 of 2 launches are done" in sweep.ok("resume")
    assert sweep.file_of(f"{NAME}_0.csv.gz").read_bytes() == done
    log = sweep.file_of("n1_p2_sequential_allgatherv_mine_0.log").read_text()
    assert log.count("#@try=") == 2 and "exit_code=2" in log and "exit_code=0" in log


@pytest.mark.parametrize(("slots", "exit_code"), [("1", 0), ("many", 3)])
def test_a_hostfile(build: Build, tmp_path: Path, slots: str, exit_code: int) -> None:
    """Ranks share a slot where there are too few. What Open MPI says of a bad file is a box."""
    if "mpich" in build.cached("GATHERBENCH_MPIEXEC"):
        pytest.skip("the build under test is not of Open MPI")
    hosts = tmp_path / "hosts"
    hosts.write_text(f"localhost slots={slots}\n")
    sweep = two_ranks(tmp_path, build)
    ended = sweep.run("run", "--hostfile", str(hosts))
    assert ended.exit_code == exit_code, ended.stdout
    for text in (ended.stdout, sweep.run("status").stdout) if exit_code else ():
        assert f"{NAME}_0: exit code 1: Open RTE detected a bad parameter in the hostfile" in text


def test_resume_has_the_hostfile_of_run(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another folder, too, unless another one is given. This launcher starts nothing."""
    mpirun = tmp_path / "mpirun"
    mpirun.write_text('#!/bin/sh\n[ "$1" != --version ] || exec echo "mpirun (Open MPI) 4.1.4"\n'
                      "exit 1\n")  # fmt: skip
    mpirun.chmod(0o755)
    sweep = written(tmp_path, build_table("mine", build.folder, f'mpirun = "{mpirun}"'),
                    "[[points]]\nranks = 2\n", bench())  # fmt: skip
    hosts, others = tmp_path / "hosts", tmp_path / "others"
    for file in (hosts, others):
        file.write_text("localhost\n")
    monkeypatch.chdir(tmp_path)
    assert sweep.run("run", "--hostfile", "hosts").exit_code == 3
    monkeypatch.chdir("/")
    resumed = sweep.run("resume")
    assert resumed.exit_code == 3
    assert resumed.stderr == f"note: --hostfile {hosts}, as run was given it\n"
    resumed = sweep.run("resume", "--hostfile", str(others))
    assert (resumed.exit_code, resumed.stderr) == (3, "")
    log = sweep.file_of(f"{NAME}_0.log").read_text()
    taken = re.findall(r"^#@command=.* --hostfile (\S+)", log, re.MULTILINE)
    assert taken == ["hosts", str(hosts), str(others)]
    hosts.unlink()
    refused = sweep.run("resume")
    assert refused.exit_code == 2
    assert f"--hostfile: there is no file '{hosts}' any more, which " in refused.stderr
    assert "; legal: --hostfile FILE" in refused.stderr


def test_a_sweep_that_run_began_has_no_job_scripts(finished: Sweep) -> None:
    """Nothing is launched by resume --dry-run."""
    finished.file_of(f"{NAME}_0.csv.gz").unlink()
    before = snapshot(finished.results)
    ended = finished.run("resume", "--dry-run")
    assert ended.exit_code == 2
    (line,) = ended.stderr.splitlines()
    assert f"--dry-run: {finished.results} was begun by run or simulate" in line
    assert line.endswith("; legal: a sweep that submit began")
    assert snapshot(finished.results) == before


def test_collect_what_is_not_finished(finished: Sweep, tmp_path: Path) -> None:
    """--partial takes the finished cases of a launch that failed, and the manifest says so."""
    log = finished.file_of(f"{NAME}_0.log")
    log.write_text(log.read_text().replace("exit_code=0", "exit_code=3"))
    refused = finished.run("collect")
    assert refused.exit_code == 2 and "no launch is done" in refused.stderr
    finished.ok("collect", "--partial")
    manifest = finished.manifest()
    assert [entry["finished"] for entry in manifest["files"]] == [False]
    assert manifest["files"][0]["rows"] > 0
    results = log.with_suffix(".csv.gz")
    results.write_bytes(results.read_bytes()[:100])
    nothing = finished.run("collect", "--partial", "-o", str(tmp_path / "other"))
    assert nothing.exit_code == 2 and "no launch is done" in nothing.stderr
    results.write_bytes(b"no result file")
    damaged = finished.run("collect", "--partial", "-o", str(tmp_path / "new" / "other"))
    assert damaged.exit_code == 2 and "is damaged from byte 0 on" in damaged.stderr
    assert not (tmp_path / "new").exists()


def test_plain_files_if_the_sweep_wants_them(build: Build, tmp_path: Path) -> None:
    recorded = 'arrival = "delayed:rank=1,delay=50us"\nrecord = "ranks"\n'
    sweep = two_ranks(tmp_path, build, OPTIONS + recorded, top="compress = false")
    sweep.ok("run")
    assert sweep.names(".gz") == []
    assert sweep.names(".csv") == [f"{NAME}_0", f"{NAME}_0.ranks"]
    sweep.ok("collect")
    (entry,) = sweep.manifest()["files"]
    assert entry["per_rank"]["file"] == f"mine/{NAME}_0.ranks.csv"


def test_a_plain_file_is_gone_on_with(finished: Sweep) -> None:
    """A sweep that was begun before files were compressed has such a file."""
    packed, log = finished.file_of(f"{NAME}_0.csv.gz"), finished.file_of(f"{NAME}_0.log")
    plain = packed.with_suffix("")
    before = read_bytes(packed)
    plain.write_bytes(before[: before.rindex(b"#@case_end=")])
    packed.unlink()
    log.write_text(log.read_text().replace("exit_code=0", "exit_code=3"))
    finished.ok("resume")
    assert finished.names(".csv.gz") == []
    found = read_results(plain)
    assert (found.resumed, len(found.cases)) == (1, 2)
    assert "done 1" in finished.ok("status")
    finished.ok("collect")
    assert [entry["cases"] for entry in finished.manifest()["files"]] == [2]


def two_builds(build: Build, folder: Path, pairing: str, other: Path | None = None) -> Sweep:
    tables = build_table("first", build.folder), build_table("second", other or build.folder)
    return written(folder, f'launches = 2\npairing = "{pairing}"', *tables,
                   "[[points]]\nranks = 2\n", bench())  # fmt: skip


def metadata(sweep: Sweep) -> dict[str, dict[str, str]]:
    """Returns the metadata of each launch, by build and number."""
    found = [
        read_results(sweep.file_of(f"{name}.csv.gz")).metadata for name in sweep.names(".csv.gz")
    ]
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
    one, other = "first", "second"
    if turns["first0"][1] == "B":  # by lot
        one, other = other, one
    assert turns == {
        f"{one}0": (f"{pair}_0", "A"), f"{other}0": (f"{pair}_0", "B"),
        f"{other}1": (f"{pair}_1", "A"), f"{one}1": (f"{pair}_1", "B"),
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
        assert entry["build"] in entry["file"]
        mpi = read_results(sweep.results / entry["file"]).metadata["mpi"]
        assert mpi == builds[entry["build"]]["versions"][0]["mpi"]


@pytest.mark.parametrize("pairing", ["none", "duet"])
def test_two_libraries_of_one_build(build: Build, tmp_path: Path, pairing: str) -> None:
    """`make test-mpis` runs this with a build of MPI's standard ABI."""
    prefixes = os.environ.get("GATHERBENCH_LIBRARIES", "").split()
    if len(prefixes) != 2:
        pytest.skip("GATHERBENCH_LIBRARIES names no two prefixes of MPI libraries")
    first, second = (ROOT / prefix for prefix in prefixes)
    tables = [
        build_table(prefix.name, build.folder,
                    f'venv = "{prefix}"\nenvironment = {{ I_MPI_ROOT = "{prefix}" }}')
        for prefix in (first, second)
    ]  # fmt: skip
    top = f'launches = 2\npairing = "{pairing}"'
    points = '[[points]]\nranks = 2\nbinding = "core"\n'  # else each binds as it likes
    sweep = written(tmp_path, top, *tables, points, bench())
    assert "4 of 4 launches are done" in sweep.ok("run")
    for name in sweep.names(".csv.gz"):
        told = read_results(sweep.file_of(f"{name}.csv.gz")).metadata
        assert (ROOT / prefixes[told["note.build"] == second.name]) in Path(
            told["mpi_library"]
        ).parents
    mpis = {each["mpi"] for each in metadata(sweep).values()}
    assert len(mpis) == 2, mpis
    sides = [
        [str(sweep.file_of(f"{name}.csv.gz")) for name in sweep.names(".csv.gz") if side in name]
        for side in (first.name, second.name)
    ]
    compared = said(agreport_main, "compare", "--baseline", *sides[0], "--new", *sides[1])
    assert f"note.build: {first.name} -> {second.name}" in compared.stdout, compared.stderr


def test_notes_of_a_sweep_are_of_all_its_launches(build: Build, tmp_path: Path) -> None:
    """Also of those that another command launches later."""
    sweep = two_ranks(tmp_path, build, top="launches = 2")
    sweep.ok("run", "--note", "commit=2f3c9e", "--note", "module=a=b c")
    sweep.file_of(f"{NAME}_1.csv.gz").unlink()
    sweep.ok("resume")
    for number in (0, 1):
        said = read_results(sweep.file_of(f"{NAME}_{number}.csv.gz")).metadata
        assert (said["note.commit"], said["note.module"]) == ("2f3c9e", "a=b c")


def test_notes_that_something_else_wrote(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build, top="launches = 2")
    sweep.ok("run", "--note", "commit=2f3c9e")
    sweep.file_of(f"{NAME}_1.csv.gz").unlink()
    for content in (b"commit\n", b"commit=\xff\n"):
        (sweep.results / "notes").write_bytes(content)
        refused = sweep.run("resume")
        assert refused.exit_code == 2
        assert "notes: is not what agsweep wrote; legal: KEY=VALUE a line" in refused.stderr


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        (["commit"], "--note: 'commit' is no note; legal: KEY=VALUE"),
        (["Commit=1"], "--note: 'Commit=1' is no note"),
        (["a=1", "a=2"], "--note a=2: a is given twice; legal: once"),
        (["a=1\n2"], "is no note; legal: KEY=VALUE"),
        (["pair=1"], "--note pair=1: agsweep writes this note itself; legal: other keys"),
    ],
)
def test_bad_notes(build: Build, tmp_path: Path, notes: list[str], said: str) -> None:
    sweep = two_ranks(tmp_path, build)
    refused = sweep.run("run", *(word for note in notes for word in ("--note", note)))
    assert refused.exit_code == 2 and said in refused.stderr
    assert not sweep.results.exists()
