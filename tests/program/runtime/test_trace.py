# SPDX-License-Identifier: BSD-3-Clause
"""libagtrace.so under programs that know nothing of it, preloaded and linked."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.main import main
from agreport.trace import calls as trace_calls
from agreport.trace.ranks import AFTER_WRITE, RankTrace, read

from ..support.cluster import Cluster
from ..support.folders import SOURCES
from ..support.launch import RANK_VARIABLES, Build, Ended, in_folder_of_rank

pytestmark = pytest.mark.slow

INT = 4
SHELL = Path("/bin/sh")  # runs what on_rank_1 returns
LATE_NS = 2_000_000  # rank r sleeps r times so long before each staggered call


@pytest.fixture(scope="session")
def library(build: Build) -> Path:
    return build.folder / "lib" / "libagtrace.so"


def compiled(build: Build, folder: Path, *options: str) -> Path:
    program = folder / "traced_program"
    command = [build.cached("MPI_CXX_COMPILER"), "-std=c++20", "-O1", "-pthread"]
    source = SOURCES / "traced_program.cpp"
    subprocess.run([*command, "-o", str(program), str(source), *options], check=True)
    return program


@pytest.fixture(scope="session")
def program(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(build, tmp_path_factory.mktemp("traced"))


Run = Callable[..., tuple[Ended, Path]]


@pytest.fixture
def run(build: Build, library: Path, program: Path, tmp_path: Path) -> Run:
    """Runs a scenario with the library preloaded; where its trace is."""

    def launch(
        scenario: str, *arguments: str, ranks: int = 3, of: Path = program, **env: str
    ) -> tuple[Ended, Path]:
        folder = tmp_path / env.get("AGTRACE_DIR", "trace")
        env = {"LD_PRELOAD": str(library), **env, "AGTRACE_DIR": str(folder)}
        ended = build.run(str(of), scenario, *arguments, ranks=ranks, env=env, cwd=tmp_path)
        return ended, folder

    return launch


def load(folder: Path, ranks: int) -> list[RankTrace]:
    return [read(folder / f"rank_{rank}.agtrace") for rank in range(ranks)]


def names(trace: RankTrace) -> list[str]:
    return [trace.operations[number] for number in trace.records["operation"]]


def said(ended: Ended) -> list[str]:
    return [line for line in ended.stderr.splitlines() if line.startswith("agtrace: ")]


def on_rank_1(variable: str) -> list[str]:
    """Returns the words that begin a command whose rank 1 alone has the variable, as NAME=VALUE."""
    rank = "".join(f"${{{name}-" for name in RANK_VARIABLES) + "}" * len(RANK_VARIABLES)
    return ["-c", f'[ "{rank}" != 1 ] || export "{variable}"; exec "$@"', "sh"]


@pytest.mark.parametrize("sync", ["auto", "always"])
def test_arrivals_and_exits(run: Run, sync: str) -> None:
    """They are read with one clock, and with clocks that are synchronised as those of several nodes
    are."""
    ended, folder = run("staggered", "6", ranks=4, AGTRACE_SYNC=sync)
    assert ended.exit_code == 0, ended.stderr
    assert said(ended) == [f"agtrace: 24 calls, ranks: 4, in {folder}"]
    for trace in load(folder, 4):
        assert trace.is_whole and trace.checked and names(trace) == ["MPI_Allgather"] * 6
        assert trace.records["bytes"].tolist() == [4 * INT] * 6
        # By the rank's own clock: it slept between leaving one call and coming to the next.
        between = trace.records["arrival_ns"][1:] - trace.records["exit_ns"][:-1]
        assert (between >= trace.rank * LATE_NS).all()
    whole = trace_calls.load(folder)
    assert (whole.clock_error_ns > 0) == (sync == "always")
    assert len(whole.messages) > 5 and min(time for _, time in whole.messages) > 0
    (group,) = whole.groups
    # Nobody has everybody's block before the last one came.
    early = group.arrival_ns.max(axis=1) - group.exit_ns.min(axis=1)
    assert (early <= 2 * whole.clock_error_ns).all()


def plant(build: Build, folder: Path, function: str) -> Path:
    """Compiles the library in which the function fails."""
    planted = folder / "libplanted_failure.so"
    source = [f"-DFAIL_{function}", str(SOURCES / "planted_failure.cpp")]
    options = ["-std=c++20", "-shared", "-fPIC", "-o", str(planted)]
    subprocess.run([build.cached("MPI_CXX_COMPILER"), *options, *source], check=True)
    return planted


@pytest.mark.parametrize("function", ["MPI_Comm_dup", "MPI_Bcast"])
def test_a_program_goes_on_without_a_trace(
    run: Run, build: Build, library: Path, tmp_path: Path, function: str
) -> None:
    """The tracer gets no communicator of its own, or cannot use it. Each rank says so."""
    planted = plant(build, tmp_path, function)
    ended, folder = run("staggered", "2", ranks=2, LD_PRELOAD=f"{planted}:{library}")
    assert ended.exit_code == 0, ended.stderr
    assert len(said(ended)) == 2
    assert all(function in line and "nothing is traced" in line for line in said(ended))
    assert not list(folder.glob("*"))


def test_no_rank_waits_for_one_without_memory(
    run: Run, build: Build, library: Path, program: Path, tmp_path: Path
) -> None:
    """Neither in MPI_Init nor in MPI_Finalize: rank 1 gets no memory for its buffer."""
    preload = f"{plant(build, tmp_path, 'new')}:{library}"
    words = (*on_rank_1("NO_MEMORY=1"), str(program), "staggered", "2")
    ended, _ = run(*words, ranks=3, of=SHELL, LD_PRELOAD=preload)
    assert ended.exit_code == 0, ended.stderr
    assert said(ended) == [
        "agtrace: no memory for 65536 records (AGTRACE_BUFFER); nothing is traced"
    ]
    # A buffer that fits; nothing else is as large, not even the longest message.
    small = {"AGTRACE_BUFFER": "100", "AGTRACE_DIR": "small"}
    words = (*on_rank_1("NO_MEMORY=1"), str(program), "staggered", "2")
    ended, folder = run(*words, ranks=2, of=SHELL, LD_PRELOAD=preload, **small)
    assert ended.exit_code == 0, ended.stderr
    assert [len(trace.records) for trace in load(folder, 2)] == [2, 2]


def test_ranks_with_working_directories_of_their_own(
    build: Build, library: Path, program: Path, tmp_path: Path
) -> None:
    """A relative AGTRACE_DIR is taken from rank 0's, and one folder has the whole trace."""
    env = {"LD_PRELOAD": str(library), "AGTRACE_DIR": "trace"}
    command = [*in_folder_of_rank(tmp_path, 2), str(program), "staggered", "6"]
    ended = build.run(*command, cwd=tmp_path, env=env)
    assert ended.exit_code == 0, ended.stderr
    folder = tmp_path / "of_0" / "trace"
    assert said(ended) == [f"agtrace: 12 calls, ranks: 2, in {folder}"]
    assert [len(trace.records) for trace in load(folder, 2)] == [6, 6]
    assert not (tmp_path / "of_1" / "trace").exists()


def test_a_limit(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """No program fills a disk; what is on record is whole."""
    ended, folder = run("staggered", "6", ranks=3, AGTRACE_LIMIT="4", AGTRACE_BUFFER="3")
    assert ended.exit_code == 0, ended.stderr
    assert said(ended) == [
        f"agtrace: 12 calls, ranks: 3, in {folder}",
        "agtrace: a rank keeps 4 calls at most (AGTRACE_LIMIT); "
        "6 calls after them are not on record",
    ]
    traces = load(folder, 3)
    assert [len(trace.records) for trace in traces] == [4, 4, 4]
    assert not any(trace.is_whole for trace in traces)
    assert main(["trace", str(folder)]) == 0
    warned = capsys.readouterr().err
    assert "the trace ends where AGTRACE_LIMIT was reached; left out: 0 calls" in warned
    ended, _ = run("staggered", "2", ranks=2, AGTRACE_LIMIT="0", AGTRACE_DIR="again")
    start = "agtrace: AGTRACE_LIMIT='0' is no number of records from 1 to"
    assert said(ended)[0].startswith(start) and len(said(ended)) == 2


def test_calls_that_could_not_be_written(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """A file cannot grow further: the program goes on, and the totals are of what is on record."""
    calls, ranks = 50_000, 2  # of 2 bytes at least: more than a file may have
    ended, folder = run("confined", str(calls), ranks=ranks, AGTRACE_BUFFER="10000")
    assert ended.exit_code == 0, ended.stderr
    kept = sum(len(trace.records) for trace in load(folder, ranks))
    assert 0 < kept < ranks * calls
    failed = [line for line in said(ended) if line.endswith("; the rest is lost")]
    assert len(failed) == ranks and all("agtrace: cannot write '" in line for line in failed)
    assert [line for line in said(ended) if line not in failed] == [
        f"agtrace: {kept} calls, ranks: {ranks}, in {folder}",
        f"agtrace: {ranks * calls - kept} calls could not be written, and are not on record",
    ]
    assert main(["trace", str(folder)]) == 0
    assert "rank_0.agtrace: the file was cut off" in capsys.readouterr().err


def test_a_sample_is_the_same_on_all_ranks(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """The sample has the first of calls that are alike, and one of each 50 after it."""
    calls, sample = 2000, 50
    ended, folder = run("alike", str(calls), ranks=3, AGTRACE_SAMPLE=str(sample))
    assert ended.exit_code == 0, ended.stderr
    traces = load(folder, 3)
    of_rank = sum(len(trace.records) for trace in traces) // 3
    left_out = 3 * (3 * calls - of_rank)
    assert said(ended) == [
        f"agtrace: {3 * of_rank} calls, ranks: 3, in {folder}",
        "agtrace: of 50 calls that are alike one is recorded (AGTRACE_SAMPLE); "
        f"{left_out} calls between them are left out",
    ]
    first = traces[0].records
    for trace in traces:
        assert trace.sample == sample and trace.metadata["left_out"] == str(left_out // 3)
        for field in ("call", "operation", "communicator"):
            assert trace.records[field].tolist() == first[field].tolist()
    (group,) = trace_calls.load(folder).groups
    # The one in the midst is alone in its size.
    assert group.weight[group.bytes == 1000 * INT].tolist() == [1]
    for operation in set(group.operation):
        assert abs(group.weight[group.operation == operation].sum() - calls) <= sample + 1
    # Of two calls that take turns, neither is always the one.
    turns = [int(group.weight[group.bytes == size * INT].sum()) for size in (2, 3)]
    assert min(turns) > calls / 4
    assert main(["trace", str(folder)]) == 0
    assert "of 50 calls that are alike one is on record" in capsys.readouterr().out


def test_a_bad_sample_is_said_and_all_calls_are_recorded(run: Run) -> None:
    for number, text in enumerate(("0", "many", "1000001")):
        ended, folder = run("burst", "60", ranks=2, AGTRACE_SAMPLE=text, AGTRACE_DIR=f"t{number}")
        assert said(ended)[0] == (
            f"agtrace: AGTRACE_SAMPLE='{text}' is no number of calls from 1 to 1000000; 1 is taken"
        )
        assert len(said(ended)) == 2
        assert [len(trace.records) for trace in load(folder, 2)] == [60, 60]


def test_equal_calls_take_few_bytes(run: Run) -> None:
    """Some 3 a call each for arrival and exit; 48 before records were packed."""
    calls = 20000
    ended, folder = run("burst", str(calls), ranks=2)
    assert ended.exit_code == 0, ended.stderr
    for trace in load(folder, 2):
        assert trace.records["call"].tolist() == list(range(calls))
        assert trace.path.stat().st_size < 12 * calls


def test_sizes(run: Run) -> None:
    """docs/how-to/trace.md says what they are; rank r's block has r + 1 ints."""
    ended, folder = run("everything", ranks=3)
    assert ended.exit_code == 0, ended.stderr
    p, total = 3, 6
    for trace in load(folder, p):
        own = trace.rank + 1
        root = trace.rank == 0
        expected = [
            ("Barrier", 0, 0),
            ("Bcast", 3, 3),
            ("Allgather", 2, 2 * p),
            ("Allgather", 2, 2 * p),
            ("Allgatherv", own, total),
            *[(name, 3, 3) for name in ("Allreduce", "Reduce", "Scan", "Exscan")],
            ("Alltoall", 1, p),
            ("Alltoallv", own * p, own * p),
            ("Alltoallw", own * p, own * p),
            ("Gather", 2, 2 * p),
            ("Gatherv", own, total if root else own),
            ("Scatter", 2, 2 * p),
            ("Scatterv", own, total if root else own),
            ("Reduce_scatter", own, total),
            ("Reduce_scatter_block", 1, p),
        ]
        sizes = trace.records[["bytes", "total_bytes"]].tolist()
        found = [(name, *size) for name, size in zip(names(trace), sizes, strict=True)]
        assert found == [(f"MPI_{name}", INT * b, INT * t) for name, b, t in expected]
        # Each call stands on its own line of the source.
        assert len(set(trace.records["site"])) == len(expected)
        assert trace.records["call"].tolist() == list(range(len(expected)))


def test_communicators(run: Run) -> None:
    """Handles are used again; ids are not. The first half's ranks are in reverse order."""
    ended, folder = run("communicators", ranks=4)
    assert ended.exit_code == 0, ended.stderr
    groups = trace_calls.load(folder).groups
    assert sorted((group.ranks, len(group)) for group in groups) == sorted(
        [(4, 20), *[(2, 2)] * 20, *[(2, 1)] * 20, *[(2, 1)] * 40]
    )
    halves = [group for group in groups if len(group) == 2]
    assert all(group.bytes.tolist() == [INT, INT] for group in halves)
    first = load(folder, 4)[0]
    halves_of_first = [m.rank for m in first.memberships.values() if m.ranks == 2]
    assert halves_of_first == [1] * 40


def test_threads(run: Run) -> None:
    ended, folder = run("threads", "50", ranks=2)
    assert ended.exit_code == 0, ended.stderr
    groups = (
        trace_calls.load(folder).groups if not said(ended)[0].startswith("agtrace: 0 calls") else []
    )
    if not groups:
        pytest.skip("this MPI library has no MPI_THREAD_MULTIPLE")
    assert [len(group) for group in groups] == [50] * 4


@pytest.mark.parametrize("records", ["1", "7", "60", "1000"])
def test_a_full_buffer_loses_nothing(run: Run, records: str) -> None:
    ended, folder = run("burst", "60", ranks=3, AGTRACE_BUFFER=records)
    assert ended.exit_code == 0, ended.stderr
    for trace in load(folder, 3):
        assert trace.records["call"].tolist() == list(range(60))
        after = np.flatnonzero(trace.records["flags"] & AFTER_WRITE)
        assert after.tolist() == list(range(60))[int(records) :: int(records)]


def test_a_bad_buffer_size_is_said_once(run: Run) -> None:
    ended, _ = run("burst", AGTRACE_BUFFER="many")
    assert ended.exit_code == 0
    assert said(ended)[0].startswith("agtrace: AGTRACE_BUFFER='many' is no number of records")


def test_what_is_wrong_in_the_environment_is_said_once(run: Run) -> None:
    ended, folder = run("burst", ranks=2, AGTRACE_BUFER="5", AGTRACE_SYNC="allways", AGTRACE="x")
    assert ended.exit_code == 0
    assert said(ended) == [
        "agtrace: environment: 'AGTRACE_BUFER' is no variable of ours; legal: AGTRACE_DIR, "
        "AGTRACE_BUFFER, AGTRACE_SAMPLE, AGTRACE_LIMIT, AGTRACE_SYNC; it is ignored",
        "agtrace: AGTRACE_SYNC='allways' is neither auto nor always; auto is taken",
        f"agtrace: 10 calls, ranks: 2, in {folder}",
    ]


@pytest.mark.parametrize("variable", ["AGTRACE_LIMIT=2", "AGTRACE_BUFFER=2", "AGTRACE_SYNC=always"])
def test_the_settings_of_rank_0_are_those_of_all(run: Run, program: Path, variable: str) -> None:
    ended, folder = run(*on_rank_1(variable), str(program), "burst", ranks=2, of=SHELL)
    assert ended.exit_code == 0, ended.stderr
    assert said(ended) == [f"agtrace: 10 calls, ranks: 2, in {folder}"]
    for trace in load(folder, 2):
        assert len(trace.records) == 5 and not trace.records["flags"].any()
        assert trace.metadata["clock"] == "one for all ranks"


def test_nothing_is_overwritten(run: Run, tmp_path: Path) -> None:
    _, folder = run("burst")
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for number in (1, 2):
        ended, _ = run("burst")
        assert said(ended)[0] == f"agtrace: '{folder}' exists; this trace is in '{folder}.{number}'"
        trace_calls.load(tmp_path / f"trace.{number}")
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_slashes_behind_the_name_of_a_directory(
    build: Build, library: Path, program: Path, tmp_path: Path
) -> None:
    """The second trace stands beside the first, not hidden in it."""
    folder = tmp_path / "trace"
    env = {"LD_PRELOAD": str(library), "AGTRACE_DIR": f"{folder}//"}
    ended = build.run(str(program), "burst", env=env, cwd=tmp_path)
    assert said(ended) == [f"agtrace: 10 calls, ranks: 2, in {folder}"]
    ended = build.run(str(program), "burst", env=env, cwd=tmp_path)
    assert said(ended) == [
        f"agtrace: '{folder}' exists; this trace is in '{folder}.1'",
        f"agtrace: 10 calls, ranks: 2, in {folder}.1",
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["rank_0.agtrace", "rank_1.agtrace"]


def test_without_a_place_the_program_runs_all_the_same(run: Run) -> None:
    ended, _ = run("burst", AGTRACE_DIR="no/such")
    assert ended.exit_code == 0
    assert len(said(ended)) == 1 and said(ended)[0].endswith("nothing is traced")


def test_no_collectives(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    ended, folder = run("none")
    assert ended.exit_code == 0
    assert main(["trace", str(folder)]) == 2
    assert "no collective calls" in capsys.readouterr().err


def test_between_groups(run: Run) -> None:
    """Calls on an intercommunicator are not recorded."""
    ended, folder = run("between", ranks=4)
    assert ended.exit_code == 0, ended.stderr
    assert all(names(trace) == ["MPI_Allgather"] for trace in load(folder, 4))


@pytest.mark.cluster
def test_several_hosts(cluster: Cluster, library: Path, program: Path, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    env = f"env LD_PRELOAD={library} AGTRACE_DIR={folder}"
    ended = cluster.shell("2", f"$bin/mpirun_here 2 {env} {program} staggered 5", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    whole = trace_calls.load(folder)
    assert whole.metadata["clock"] == "one a node, synchronised"
    assert whole.clock_error_ns > 0
    (group,) = whole.groups
    assert len(group) == 5
    early = group.arrival_ns.max(axis=1) - group.exit_ns.min(axis=1)
    assert (early <= 2 * whole.clock_error_ns).all()


@pytest.mark.parametrize("scenario", ["abort", "exit"])
def test_without_finalize(run: Run, scenario: str) -> None:
    """What a rank had recorded is there, unless the launcher was quicker to kill it."""
    ended, folder = run(scenario, "4", ranks=2)
    assert (ended.exit_code != 0) or scenario == "exit"
    assert "Segmentation" not in ended.stderr
    saved = [trace for trace in load(folder, 2) if "end" in trace.metadata]
    assert saved
    for trace in saved:
        assert trace.metadata["end"] == f"{scenario} 4"
        assert len(trace.records) == 4


@pytest.mark.parametrize("scenario", ["abort", "exit"])
def test_without_finalize_the_clock_error_is_that_of_the_last_write(
    run: Run, scenario: str
) -> None:
    """The line of MPI_Init is the farthest off at the end of what it is used for."""
    ended, folder = run(scenario, "20", ranks=2, AGTRACE_SYNC="always")
    saved = [trace for trace in load(folder, 2) if "end" in trace.metadata]
    assert saved, ended.stderr
    for trace in saved:
        lines = re.findall(rb"#@clock_error_ns=(\d+)", trace.path.read_bytes())
        assert len(lines) == 2
        # Rank 1 sleeps for 40 ms, in which an error of 0.1 ppm, the least there is, adds 4 ns.
        assert int(lines[0]) < int(lines[1]) == int(trace.metadata["clock_error_ns"])


def test_linked(build: Build, library: Path, tmp_path: Path) -> None:
    folder = library.parent
    options = ("-Wl,--no-as-needed", f"-L{folder}", "-lagtrace", f"-Wl,-rpath,{folder}")
    program = compiled(build, tmp_path, *options)
    env = {"AGTRACE_DIR": str(tmp_path / "trace")}
    ended = build.run(str(program), "burst", "9", ranks=2, env=env, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    assert len(trace_calls.load(tmp_path / "trace").groups[0]) == 9


def fortran_compiler(build: Build) -> str:
    wrapper = Path(build.cached("MPI_CXX_COMPILER"))
    return str(wrapper.with_name(wrapper.name.replace("mpicxx", "mpifort")))


def test_fortran(build: Build, run: Run, tmp_path: Path) -> None:
    """mpi and mpi_f08, with Fortran's MPI_IN_PLACE; the sites are the program's own."""
    program = tmp_path / "traced_fortran"
    source = SOURCES / "traced_fortran.f90"
    try:
        command = [fortran_compiler(build), "-o", str(program), str(source)]
        built = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    except OSError as error:
        pytest.skip(f"no Fortran compiler for this MPI: {error}")
    if built.returncode:
        pytest.skip(f"mpi or mpi_f08 cannot be compiled here: {built.stderr.strip()[-200:]}")
    ended, folder = run("", ranks=3, of=program)
    assert ended.exit_code == 0, ended.stderr
    for trace in load(folder, 3):
        assert trace.is_whole
        kinds = ["Allgather", "Allgather", "Allgatherv", "Allreduce", "Allgather", "Barrier"]
        assert names(trace) == [f"MPI_{kind}" for kind in kinds]
        assert trace.records["bytes"].tolist() == [3 * INT] * 4 + [2 * INT, 0]
        assert trace.records["total_bytes"].tolist()[:3] == [9 * INT] * 3
        assert {Path(site.module).name for site in trace.sites.values()} == {"traced_fortran"}
        assert len(trace.sites) == 6


def test_costs_less_than_a_microsecond(run: Run, build: Build, program: Path) -> None:
    """The best of many; a barrier of one rank is nothing but the call."""
    costs = []
    for attempt in range(3):
        plain = build.run(str(program), "pace", "5000", ranks=1)
        traced, _ = run("pace", "5000", ranks=1, AGTRACE_DIR=f"t{attempt}", AGTRACE_BUFFER="200000")
        costs.append(float(traced.stdout) - float(plain.stdout))
        if costs[-1] < 1000:
            return
    pytest.fail(f"{costs} ns a call")


def test_a_benchmark_traced_and_exported(build: Build, run: Run, tmp_path: Path) -> None:
    bench = build.program("allgather_bench")
    arguments = ("--algorithms", "native", "-m", "64:64", "-i", "20", "-x", "0")
    ended, folder = run(*arguments, ranks=4, of=bench)
    assert ended.exit_code == 0, ended.stderr
    output, table = tmp_path / "a.txt", tmp_path / "t.csv"
    options = ("--export", str(output), "--csv", str(table), "--size", "64")
    assert main(["trace", str(folder), "--operation", "MPI_Allgather", *options]) == 0
    (row,) = [row for row in pd.read_csv(table).itertuples() if int(str(row.calls)) >= 20]
    times = np.loadtxt(output)
    assert times.shape == (row.calls, 4)
    assert (times.min(axis=1) == 0).all()
    assert times.max(axis=1).max() == pytest.approx(row.largest_us, abs=0.001)
