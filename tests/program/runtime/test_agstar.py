# SPDX-License-Identifier: BSD-3-Clause
"""libagstar.so under programs that know nothing of it; gathering_program.cpp looks at every byte,
whatever algorithm gathered it."""

import os
import re
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from agreport.trace.ranks import read as read_trace

from ..support import agstar
from ..support.agstar import Run, assert_right, logs, preloaded, said
from ..support.folders import ROOT
from ..support.launch import Build, in_folder_of_rank

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def library(build: Build) -> Path:
    return agstar.library(build)


@pytest.fixture(scope="session")
def tracer(build: Build) -> Path:
    return build.folder / "lib" / "libagtrace.so"


@pytest.fixture
def run(build: Build, gathering_program: Path, tmp_path: Path) -> Run:
    """Runs a scenario with the library preloaded; its logs are `log.RANK`."""
    return preloaded(build, gathering_program, tmp_path)


def only_row(report: Path) -> dict[str, str]:
    header, row = report.read_text().splitlines()
    return dict(zip(header.split(","), row.split(","), strict=True))


def test_ranks_with_working_directories_of_their_own(
    build: Build, gathering_program: Path, tmp_path: Path
) -> None:
    """The files that are written at the end, or by all ranks, lie where rank 0 began."""
    env = {"LD_PRELOAD": agstar.preload(build), "AGSTAR_LEAST": "0", **agstar.WHOLE_BLOCKS}
    env |= {"AGSTAR_LOG": "log", "AGSTAR_REPORT": "report.csv", "AGSTAR_PROFILE": "profile.csv"}
    command = [*in_folder_of_rank(tmp_path, 3), str(gathering_program), "same", "200"]
    assert_right(build.run(*command, ranks=3, cwd=tmp_path, env=env))
    written = {path.name for path in (tmp_path / "of_0").iterdir()}
    assert written >= {"log.0", "log.1", "log.2", "report.csv"}
    assert not [*(tmp_path / "of_1").iterdir(), *(tmp_path / "of_2").iterdir()]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_every_byte(run: Run, tmp_path: Path, ranks: int) -> None:
    """Another algorithm in every call, over datatypes and places that differ by rank."""
    assert_right(run("mix", "700", ranks=ranks, AGSTAR_POLICY=f"random:{ranks}"))
    lines = logs(tmp_path)
    assert bool(lines) == (ranks > 1)
    assert not any("passed on" in line for line in lines)
    tried = {name for line in lines for name in re.findall(r" ([a-z0-9_]+) x1", line)}
    assert ranks == 1 or tried >= {"native", "ring", "bruck", "sparbit", "linear"}


@pytest.mark.parametrize(
    ("scenario", "number", "ranks"),
    [
        ("groups", "90", 4),
        ("short_lived", "160", 3),
        ("duplicates", "20", 3),
        ("nonblocking", "40", 3),
        ("threads", "150", 2),
        ("errors", "30", 3),
        ("refused", "35", 2),
        ("between_groups", "30", 4),
        ("attributes", "60", 2),
        ("at_the_end", "60", 2),
        ("absolute", "96", 2),
        ("exchanged", "60", 4),
    ],
)
@pytest.mark.parametrize("policy", ["random:7", "fixed:sparbit", "agstar", "star:iterations=1"])
def test_what_programs_do(
    run: Run, tmp_path: Path, scenario: str, number: str, ranks: int, policy: str
) -> None:
    ended = run(scenario, number, ranks=ranks, AGSTAR_POLICY=policy, AGSTAR_LEAST="0")
    if "no threads" in ended.stdout:
        pytest.skip("this MPI library has no MPI_THREAD_MULTIPLE")
    assert_right(ended)
    # A communicator of ours that is left over would be one too many before long.
    assert not any("refused" in line for line in logs(tmp_path))


def test_the_next_communicator_goes_on(run: Run, tmp_path: Path) -> None:
    """It has the same ranks: from the first agreement on it has whatever was learnt, on all ranks
    alike."""
    assert_right(run("duplicates", "10", AGSTAR_LEAST="0"))
    firsts: dict[str, str] = {}
    for line in logs(tmp_path):
        firsts.setdefault(line.split(",")[0], line)
    assert len(firsts) == 10
    news = [line for line in firsts.values() if "goes on from another communicator" not in line]
    assert len(news) == 1


def test_too_many_communicators(run: Run, tmp_path: Path) -> None:
    """Beyond 64 at a time the MPI library gathers; later ones have ours again."""
    assert_right(run("long_lived", "100", AGSTAR_POLICY="random:1"))
    refused = [line for line in logs(tmp_path) if "passed on: refused" in line]
    assert len(refused) == 100 - 64


@pytest.mark.rest
def test_ten_thousand_communicators(run: Run, tmp_path: Path) -> None:
    assert_right(run("short_lived", "10000", ranks=2, AGSTAR_POLICY="random:1"))
    assert logs(tmp_path) == []


@pytest.mark.rest
def test_more_than_two_gigabytes(run: Run) -> None:
    match = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    available = int(match[1]) // 2**20 if match else 0
    if available < 14:
        pytest.skip(f"needs 14 GiB of memory, {available} GiB are available")
    assert_right(run("large", ranks=2, AGSTAR_POLICY="random:3"))


@pytest.mark.parametrize("scenario", ["large_counts", "session", "only_session"])
def test_mpi_4(build: Build, run: Run, tmp_path: Path, scenario: str) -> None:
    if not agstar.is_of_mpi_4(build):
        pytest.skip("this MPI library is not of MPI 4")
    ended = run(scenario, "40", AGSTAR_POLICY="random:2")
    assert_right(ended)
    if scenario == "large_counts":
        assert logs(tmp_path)
    if scenario == "only_session":
        assert not said(ended)


def test_abort(run: Run) -> None:
    ended = run("abort", "60", AGSTAR_POLICY="random:4")
    assert ended.exit_code != 0
    assert "Segmentation" not in ended.stderr


def test_a_decision(run: Run, tmp_path: Path) -> None:
    """The report says what the log says."""
    ended = run("same", "200", AGSTAR_LEAST="0", AGSTAR_REPORT="report.csv")
    assert_right(ended)
    lines = logs(tmp_path)
    assert len(lines) >= 2  # how many there are depends on the times
    last = lines[-1].rpartition("leads: ")[2]
    cells = only_row(tmp_path / "report.csv")
    assert (cells["operation"], cells["ranks"], cells["calls"]) == ("allgather 80000", "3", "200")
    assert cells["algorithm"] == last
    assert int(cells["agreements"]) == len(lines)
    assert said(ended)[0].startswith("agstar: calls: 200, of 1 kinds; ")


@pytest.mark.parametrize("policy", ["fixed:native", "agstar"])
def test_each_communicator_has_a_number(run: Run, tmp_path: Path, policy: str) -> None:
    """Also those whose ranks never agreed on anything; that of others is the log's."""
    settings = {"AGSTAR_POLICY": policy, "AGSTAR_LEAST": "0", "AGSTAR_REPORT": "report.csv"}
    assert_right(run("duplicates", "5", **settings))
    table = pd.read_csv(tmp_path / "report.csv")
    assert len(table) == table["communicator"].nunique() == 5
    assert (table["communicator"] >= 0).all()
    agreed = {int(line.split()[0]) for line in logs(tmp_path)}
    assert agreed == (set(table["communicator"]) if policy == "agstar" else set())


def test_the_report_names_what_ran(run: Run, tmp_path: Path) -> None:
    """The later communicators know from the first one what leads, but have the library's own calls
    alone before they end."""
    assert_right(run("duplicates", "9", "4", AGSTAR_LEAST="0", AGSTAR_REPORT="report.csv"))
    table = pd.read_csv(tmp_path / "report.csv").set_index("communicator").sort_index()
    later = table[table["calls"] == 4]
    assert len(later) == 8
    assert set(later["algorithm"]) == {"native"}
    assert (later["time_ns"] == later["native_ns"]).all()


def test_short_calls_stay_with_the_library(run: Run, tmp_path: Path) -> None:
    assert_right(run("short", "100", AGSTAR_LEAST="1h"))
    (line,) = logs(tmp_path)
    assert line.endswith("leads: native; passed on: too short")


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs a core for each rank")
@pytest.mark.parametrize(("policy", "early"), [("agstar", 2048), ("star", 0)])
def test_nothing_is_done_before_many_short_calls(
    run: Run, tmp_path: Path, policy: str, early: int
) -> None:
    """A communicator that lives for 200 calls pays for nothing."""
    ended = run("short", "2000", ranks=2, AGSTAR_POLICY=policy, AGSTAR_REPORT="report.csv")
    assert_right(ended)
    assert only_row(tmp_path / "report.csv")["calls"] == "2000"
    assert bool(logs(tmp_path)) == (early == 0)
    for path in tmp_path.glob("*"):
        path.unlink()
    assert_right(run("short", "2100", ranks=2, AGSTAR_POLICY=policy))
    after = re.search(r"after call (\d+):", logs(tmp_path)[0])
    assert after and early < int(after[1]) <= early + 100


def test_off(run: Run, tmp_path: Path) -> None:
    ended = run("mix", "60", AGSTAR="off")
    assert_right(ended)
    assert said(ended) == [] and logs(tmp_path) == []


def test_observed(run: Run, tmp_path: Path) -> None:
    """Every call stays with the library, and its time is known."""
    ended = run("same", "100", AGSTAR="observe", AGSTAR_REPORT="report.csv")
    assert_right(ended)
    assert {name for line in logs(tmp_path) for name in re.findall(r" ([a-z_]+) x\d", line)} == {
        "native"
    }
    cells = only_row(tmp_path / "report.csv")
    page = (ROOT / "docs" / "how-to" / "agstar.md").read_text()
    assert all(f"`{column}`" in page for column in cells)
    assert pd.read_csv(tmp_path / "report.csv")["calls"].tolist() == [100]
    assert int(cells["native_ns"]) > 0 and cells["excess_ns"] == "0"


@pytest.mark.parametrize(("mode", "tries"), [("on", True), ("observe", False)])
def test_overheads_of_trying_and_of_watching(
    run: Run, tmp_path: Path, mode: str, tries: bool
) -> None:
    """Faraj 2006, table 4.19; who only looks on tries nothing."""
    star = {"AGSTAR": mode, "AGSTAR_POLICY": "star:iterations=1", "AGSTAR_LEAST": "0"}
    assert_right(run("same", "90", AGSTAR_REPORT="report.csv", **star))
    cells = only_row(tmp_path / "report.csv")
    assert (cells["selecting_ns"] != "") is tries
    assert int(cells["monitoring_ns"]) > 0 and int(cells["selecting_ns"] or 1) > 0


def test_waiting_for_late_ranks_does_not_count(run: Run, tmp_path: Path) -> None:
    """The two ranks spend more than 250 ms in a call, on average, and next to nothing after the
    last of them came."""
    calls = "17"  # until it is known what they take
    assert_right(run("late", calls, ranks=2, AGSTAR="observe", AGSTAR_REPORT="report.csv"))
    assert 0 < int(only_row(tmp_path / "report.csv")["native_ns"]) < 160_000_000


@pytest.mark.parametrize(
    ("variable", "value", "fault"),
    [
        ("AGSTAR", "yes", "AGSTAR: 'yes'"),
        ("AGSTAR_POLICY", "best", "AGSTAR_POLICY: 'best'"),
        ("AGSTAR_POLICY", "fixed:rings", "did you mean 'ring'"),
        ("AGSTAR_BUDGET", "5", "AGSTAR_BUDGET: '5'"),
        ("AGSTAR_LEAST", "short", "AGSTAR_LEAST: 'short'"),
        ("AGSTAR_LEAST", "1e10s", "AGSTAR_LEAST: '1e10s' is more than 1e9s"),
        ("AGSTAR_LEAST", "1e300h", "AGSTAR_LEAST: '1e300h' is more than 1e9s"),
        ("AGSTAR_FIRST", "-1", "AGSTAR_FIRST: '-1'"),
        ("AGSTAR_FIRST", "", "AGSTAR_FIRST: ''"),
        ("AGSTAR_POLCY", "agstar", "'AGSTAR_POLCY'"),
        ("AGSTAR_TOPOLOGY", "nowhere.conf", "AGSTAR_TOPOLOGY: 'nowhere.conf'"),
        ("AGSTAR_TOPOLOGY", "torus:4x4", "AGSTAR_TOPOLOGY: 'torus:4x4' is a torus"),
    ],
)
def test_a_bad_value_is_said_once(run: Run, variable: str, value: str, fault: str) -> None:
    ended = run("mix", "20", **{variable: value})
    assert_right(ended)
    (line,) = said(ended)
    assert fault in line and line.endswith("; all calls are passed on")


@pytest.mark.parametrize(
    ("path", "reason"),
    [("nowhere/report.csv", "No such file or directory"), ("mine.csv", "File exists")],
)
@pytest.mark.parametrize(("scenario", "lines"), [("same", 2), ("abort", 1)])
def test_a_report_that_cannot_be_made_is_said_at_the_begin(
    run: Run, tmp_path: Path, path: str, reason: str, scenario: str, lines: int
) -> None:
    """The program goes on, however it ends."""
    (tmp_path / "mine.csv").write_text("mine\n")
    ended = run(scenario, "20", AGSTAR_REPORT=path)
    told = said(ended)[0]
    assert told.startswith("agstar: AGSTAR_REPORT: ") and f"{path}'" in told
    assert reason in told
    assert len(said(ended)) == lines
    assert ("all right" in ended.stdout) is (scenario == "same")
    assert (tmp_path / "mine.csv").read_text() == "mine\n"


def test_files_that_cannot_grow(run: Run, tmp_path: Path) -> None:
    """`ulimit -f`: what cannot be written is told, and the program goes on. Whether there is
    anything for the profile hangs on how long the calls took."""
    files = {"AGSTAR_REPORT": "report.csv", "AGSTAR_PROFILE": "profile.csv"}
    (tmp_path / "profile.csv").write_text("")
    ended = run("no_file_grows", "120", AGSTAR_LEAST="0", **files)
    assert_right(ended)
    lost = [line.split(": ")[1] for line in said(ended) if "File too large" in line]
    assert (lost.count("AGSTAR_LOG"), lost.count("AGSTAR_REPORT")) == (3, 1)
    assert lost.count("AGSTAR_PROFILE") <= 1
    assert (tmp_path / "profile.csv").read_text() == ""
    assert list(tmp_path.glob("profile.csv.*")) == []


def test_a_topology(run: Run, tmp_path: Path) -> None:
    host = subprocess.run(["hostname"], capture_output=True, text=True, check=True).stdout.strip()
    tree = tmp_path / "topology.conf"
    tree.write_text(f"SwitchName=s0 Nodes={host}\n")
    named = {"AGSTAR_TOPOLOGY": str(tree)}
    assert_right(run("mix", "60", AGSTAR_POLICY="fixed:topology_ring", **named))
    for path in tmp_path.glob("log.*"):
        path.unlink()
    # A model expects something of all algorithms, not only of those that are tried first.
    assert_right(run("same", "120", AGSTAR_LEAST="0", **named))
    tried = {name for line in logs(tmp_path) for name in re.findall(r" ([a-z0-9_]+) x\d", line)}
    assert tried - {"native", "ring", "bruck_in_place", "recursive_doubling", "sparbit"}
    tree.write_text("SwitchName=s0 Nodes=elsewhere\n")
    (line,) = said(run("mix", "6", AGSTAR_TOPOLOGY=str(tree)))
    assert f"has no host '{host}'" in line


@pytest.mark.parametrize("first", ["agtrace", "agstar"])
def test_with_the_tracer(run: Run, library: Path, tracer: Path, tmp_path: Path, first: str) -> None:
    """The tracer sees the program's calls if it comes first, else those that are passed on; of
    what the library itself does it sees nothing."""
    order = [tracer, library] if first == "agtrace" else [library, tracer]
    env = {"LD_PRELOAD": ":".join(map(str, order)), "AGTRACE_DIR": str(tmp_path / "trace")}
    ended = run("mix", "100", AGSTAR_POLICY="random:5", **env)
    assert_right(ended)
    assert any("calls: 98" in line for line in said(ended))
    for rank in range(3):
        trace = read_trace(tmp_path / "trace" / f"rank_{rank}.agtrace")
        names = {trace.operations[number] for number in trace.records["operation"]}
        assert names == {"MPI_Allgather", "MPI_Allgatherv"}
        assert len(trace.records) == 100 if first == "agtrace" else 0 < len(trace.records) < 60


@pytest.mark.parametrize("policy", ["random:1", "fixed:ring"])
def test_fortran(build: Build, run: Run, tmp_path: Path, policy: str) -> None:
    """mpi and mpi_f08, with Fortran's MPI_IN_PLACE."""
    program = agstar.compile_fortran(build, "traced_fortran", tmp_path)
    ended = run("", ranks=3, of=program, AGSTAR_POLICY=policy)
    assert ended.exit_code == 0, ended.stderr
    # Four of mpi, of which one is an all-reduce; one of mpi_f08.
    assert said(ended)[0].startswith("agstar: calls: 5, of 4 kinds; ")


def test_it_shows_and_needs_nothing_but_mpi(build: Build, library: Path) -> None:
    """Calls of its own go by PMPI: no other preloaded library takes them for the program's."""
    lines = subprocess.run(
        ["nm", "-D", "--without-symbol-versions", str(library)],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    symbols = [(line.split()[-2], line.split()[-1]) for line in lines]
    shown = {name for kind, name in symbols if kind not in "Uw"}
    fortran = set() if build.is_of_abi else {"mpi_init_"}
    assert {"MPI_Allgather", "MPI_Allgatherv", "MPI_Init", *fortran} <= shown
    assert all(name.lower().startswith("mpi_") for name in shown)
    needed = {name for kind, name in symbols if kind == "U"}
    assert not [name for name in needed if name.startswith("MPI_") or "gatherbench" in name]
