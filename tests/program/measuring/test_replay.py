# SPDX-License-Identifier: BSD-3-Clause
"""--replay: the calls of a program that libagtrace.so recorded, by every algorithm."""

import re
import shutil
import socket
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main
from agreport.trace.ranks import RankTrace, read

from ..support.folders import SOURCES
from ..support.launch import Build, Ended
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import read_results

pytestmark = pytest.mark.slow

OPERATION = {GATHER: "MPI_Allgather", GATHERV: "MPI_Allgatherv"}
FEW = ("-i", "2", "-x", "0")
HERE = socket.gethostname().partition(".")[0]
Call = tuple[tuple[int, ...], tuple[int, ...]]  # members, and the bytes of their blocks
Record = Callable[..., Path]
COMMON = ["needs", "predicts the arrivals at one call"]  # of reasons to skip


@pytest.fixture(scope="module")
def record(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """The trace of replayed_program.cpp, or of another program, on so many ranks."""
    program = tmp_path_factory.mktemp("replayed") / "replayed_program"
    compiler = build.cached("MPI_CXX_COMPILER")
    source = SOURCES / "replayed_program.cpp"
    subprocess.run([compiler, "-std=c++20", "-o", str(program), str(source)], check=True)

    @cache
    def run(ranks: int, *command: str, **more: str) -> Path:
        folder = tmp_path_factory.mktemp("trace") / "calls"
        env = {
            "LD_PRELOAD": str(build.folder / "lib" / "libagtrace.so"),
            "AGTRACE_DIR": str(folder),
        }
        words = command or (str(program),)
        ended = build.run(*words, ranks=ranks, env={**env, **more}, cwd=folder.parent)
        assert ended.exit_code == 0, ended.stderr
        return folder

    return run


def load(folder: Path, ranks: int) -> list[RankTrace]:
    return [read(folder / f"rank_{rank}.agtrace") for rank in range(ranks)]


def calls_of(folder: Path, ranks: int, operation: str) -> list[list[tuple[int, Call]]]:
    """Returns each rank's calls in its order: the call site, and the call as all ranks have it."""
    traces = load(folder, ranks)
    members: dict[int, dict[int, int]] = {}
    blocks: dict[tuple[int, int], dict[int, int]] = {}
    own: list[list[tuple[int, int, int]]] = []
    for trace in traces:
        for one in trace.memberships.values():
            members.setdefault(one.identity, {})[one.rank] = trace.rank
        own.append([])
        for row in trace.records:
            if trace.operations[row["operation"]] != operation:
                continue
            which = trace.memberships[int(row["communicator"])]
            call = (which.identity, int(row["call"]))
            blocks.setdefault(call, {})[which.rank] = int(row["bytes"])
            own[-1].append((int(row["site"]), *call))

    def whole(identity: int, number: int) -> Call:
        def in_order(of: dict[int, int]) -> tuple[int, ...]:
            return tuple(of[rank] for rank in sorted(of))

        return in_order(members[identity]), in_order(blocks[identity, number])

    return [[(site, whole(*call)) for site, *call in calls] for calls in own]


def replay(build: Build, bench: str, folder: Path, ranks: int, *more: str, cwd: Path) -> Ended:
    words = ("--replay", str(folder), "--replay-gaps", "none", *FEW, *more)
    return build.run(bench, *words, ranks=ranks, cwd=cwd)


@pytest.mark.parametrize(("bench", "ranks"), [(GATHER, 2), (GATHERV, 4), (GATHER, 5)])
def test_every_algorithm_makes_the_calls_and_no_byte_is_wrong(
    build: Build, record: Record, tmp_path: Path, bench: str, ranks: int
) -> None:
    more = ("--in-place",) if ranks % 2 else ()
    names = "all,adaptive,native_nonblocking"
    ended = replay(build, bench, record(ranks), ranks, "-c", "--algorithms", names, *more,
                   "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = pd.DataFrame(read_results(tmp_path / "out.csv").rows)
    for name, some in rows.groupby("algorithm"):
        if set(some["status"]) == {"skipped"}:
            assert some["reason"].str.contains("|".join(COMMON)).all(), name
        else:
            assert set(some["status"]) == {"ok"} and len(some) == 2, name
    done = set(rows.loc[rows["status"] == "ok", "algorithm"])
    assert {"ring", "bruck", "sparbit", "linear", "native", "adaptive"} <= done
    calls = calls_of(record(ranks), ranks, OPERATION[bench])
    received = [sum(sum(blocks) for _, (_, blocks) in own) for own in calls]
    sent = sum(
        blocks[who.index(rank)] for rank, own in enumerate(calls) for _, (who, blocks) in own
    )
    assert set(rows["distribution"]) == {"replay"}
    assert set(rows["total_bytes"].astype(int)) == {max(received)}
    assert set(rows["bytes"].astype(int)) == {-(-sent // ranks)}


def test_buffers_in_a_window_are_the_callers_between_calls(
    build: Build, record: Record, tmp_path: Path
) -> None:
    """Calls on several communicators share the buffers, which -c fills anew before each call."""
    ended = replay(build, GATHERV, record(4), 4, "-c", "--algorithms",
                   "ring:via=window,linear:via=window,native", "--buffers-in", "window",
                   "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert {row["status"] for row in read_results(tmp_path / "out.csv").rows} == {"ok"}


@pytest.mark.parametrize(("bench", "ranks"), [(GATHER, 4), (GATHERV, 5)])
def test_the_calls_are_the_programs_calls_in_its_order(
    build: Build, record: Record, bench: str, ranks: int
) -> None:
    """The replay is traced itself: who with whom, of which sizes, in which order."""
    expected = calls_of(record(ranks), ranks, OPERATION[bench])
    words = ("--replay", str(record(ranks)), "--algorithms", "native", "-i", "1", "-x", "0")
    found = calls_of(record(ranks, bench, *words), ranks, OPERATION[bench])
    for ours, theirs in zip(found, expected, strict=True):
        once = list(dict.fromkeys(call for _, call in theirs))  # for the check of each
        sites = [[call for site, call in ours if site == one] for one in {site for site, _ in ours}]
        (made,) = [calls for calls in sites if len(calls) == len(once) + len(theirs)]
        assert sorted(made[: len(once)]) == sorted(once)
        assert made[len(once) :] == [call for _, call in theirs]


@pytest.mark.parametrize(("call", "validation"), [(2, ()), (3 + 17, ("-c",))])
def test_a_wrong_byte_of_one_call_is_found(
    build: Build,
    record: Record,
    planted_fault: Path,
    tmp_path: Path,
    call: int,
    validation: tuple[str, ...],
) -> None:
    """Rank 1 of 2 has 3 different calls, and 9 in all: the second check before anything is timed,
    and the last but one call of the second iteration."""
    folder = record(2)
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_BYTE": "3"}
    ended = build.run(GATHER, "--replay", str(folder), "--replay-gaps", "none", *FEW, *validation,
                      "--algorithms", "ring", "--output", "out.csv", cwd=tmp_path,
                      env={**env, "PLANTED_CALL": str(call)})  # fmt: skip
    assert f"planted: rank 1, call {call}" in ended.stderr
    assert ended.exit_code == 1
    (row,) = read_results(tmp_path / "out.csv").rows
    assert row["status"] == "wrong"
    if validation:
        assert row["reason"].startswith("call 7 of this rank, among ranks 0,1: rank 1, block 0, ")
    else:
        assert row["reason"].startswith("among ranks 0,1: rank 1, block 0, byte 3: ")


def test_what_lay_between_the_calls_is_passed(
    build: Build, record: Record, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rank 3 sleeps 3 times 600 us before its calls on pairs."""
    words = ("--replay", str(record(4)), *FEW, "--algorithms", "ring,native", "--output", "out.csv")
    ended = build.run(GATHER, *words, ranks=4, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert all(float(row["max_us"]) >= 3 * 600 for row in results.rows)
    label = results.metadata["replay"]
    assert re.fullmatch(
        r"replayed_program: \d+ calls, \d+ different ones, on 4 communicators, gaps recorded, "
        r"checksum [0-9a-f]{8}",
        label,
    )
    assert f"# replay of {label}\n" in ended.stdout
    assert results.metadata["buffers"] == "fresh"
    # Other gaps are another case of their own: nothing goes on with it.
    more = ("--replay-gaps", "none", "--buffers", "fresh", "--resume")
    ended = build.run(GATHER, *words, *more, ranks=4, cwd=tmp_path)
    assert ended.exit_code == 2
    assert f"its replay is '{label}', now it is 'replayed_program: " in ended.stderr
    ended = build.run(GATHER, *words[:-1], "other.csv", *more[:-1], ranks=4, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    sides = ("--baseline", str(tmp_path / "out.csv"), "--new", str(tmp_path / "other.csv"))
    assert main(["compare", *sides]) == 2
    assert "error: replay differs, and must not: " in capsys.readouterr().err


def test_rows_tell_where_buffers_begin(build: Build, record: Record, tmp_path: Path) -> None:
    """Reports keep launches at several places apart by them."""
    for number, (asked, told) in enumerate([("64", "64,64"), ("0,16", "0,16"), ("random",) * 2]):
        ended = replay(build, GATHER, record(2), 2, "--algorithms", "ring", "--buffer-offset",
                       asked, "--output", f"{number}.csv", cwd=tmp_path)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        rows = read_results(tmp_path / f"{number}.csv").rows
        assert {row["buffer_offset"] for row in rows} == {told}


def test_the_first_calls_alone(build: Build, record: Record, tmp_path: Path) -> None:
    ended = replay(build, GATHER, record(4), 4, "--algorithms", "ring,native", "--replay-calls",
                   "1", "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert "1 calls, 1 different ones, on 1 communicator," in results.metadata["replay"]
    assert {(row["bytes"], row["total_bytes"]) for row in results.rows} == {("64", "256")}


def test_a_rank_without_calls_takes_part_in_what_all_ranks_measure(
    build: Build, record: Record, tmp_path: Path
) -> None:
    """Beside a switch tree `adaptive` asks for a model of the machine; rank 2 of 3 has no calls."""
    (tmp_path / "tree.conf").write_text(f"SwitchName=s0 Nodes={HERE}\n")
    folder = record(3, REPLAYED_PAIR="1")
    ended = replay(build, GATHER, folder, 3, "--algorithms", "ring,adaptive", "--topology",
                   "tree.conf", "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    found = [(row["algorithm"], row["status"]) for row in rows]
    assert sorted(found) == [("adaptive", "ok")] * 2 + [("ring", "ok")] * 2


def test_the_calls_are_made_beside_other_ranks_messages(
    build: Build, record: Record, tmp_path: Path
) -> None:
    given = ("--replay", str(record(2)), "--replay-gaps", "none", "--algorithms", "ring,native",
             "-i", "3", "-x", "1", "--congest", "2:3:incast:1K", "--output", "out.csv")  # fmt: skip
    ended = build.run(GATHER, *given, ranks=4, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    found = {(row["algorithm"], row["beside"], row["status"]) for row in rows}
    assert found == {
        (name, beside, "ok")
        for name in ("ring", "native")
        for beside in ("nothing", "2:3:incast:1K")
    }
    assert len(rows) == 3 * len(found)


def test_of_a_trace_that_was_cut_off_the_calls_are_made_that_all_ranks_have(
    build: Build, record: Record, tmp_path: Path
) -> None:
    folder = shutil.copytree(record(2, AGTRACE_BUFFER="4"), tmp_path / "cut")
    path = folder / "rank_1.agtrace"
    whole = path.read_bytes()
    blocks = [match.end() for match in re.finditer(rb"#@block=4 .*\n", whole)]
    path.write_bytes(whole[: blocks[2] + 50])
    ended = replay(build, GATHER, folder, 2, "--algorithms", "ring,native", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    (note,) = re.findall(r"# the trace was cut off: (\d+) further calls", ended.stdout)
    (made,) = re.findall(r": (\d+) calls, ", ended.stdout)
    all_calls = len({call for own in calls_of(record(2), 2, "MPI_Allgather") for call in own})
    assert int(made) > 0 and int(note) > 0 and all_calls > 0


def test_a_trace_that_reached_its_limit_is_told_from_one_that_was_cut_off(
    build: Build, record: Record, tmp_path: Path
) -> None:
    folder = record(2, AGTRACE_LIMIT="12", AGTRACE_BUFFER="4")
    ended = replay(build, GATHER, folder, 2, "--algorithms", "ring", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    assert "# the trace ends where AGTRACE_LIMIT was reached" in ended.stdout
    assert "was cut off" not in ended.stdout


def test_bad_traces_are_refused_in_one_line(build: Build, record: Record, tmp_path: Path) -> None:
    whole = record(2)

    def with_one(name: str, change: Callable[[bytes], bytes]) -> Path:
        folder = shutil.copytree(whole, tmp_path / name)
        path = folder / "rank_1.agtrace"
        path.write_bytes(change(path.read_bytes()))
        return folder

    def flip(data: bytes) -> bytes:
        at = data.index(b"#@block=") + 60
        return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]

    def swap_ranks(_: bytes) -> bytes:
        return (whole / "rank_0.agtrace").read_bytes()

    empty = tmp_path / "empty"
    empty.mkdir()
    missing = shutil.copytree(whole, tmp_path / "missing")
    (missing / "rank_1.agtrace").unlink()
    faults = [
        (with_one("flipped", flip), "rank_1.agtrace' was altered: line "),
        (with_one("swapped", swap_ranks), "rank_1.agtrace' is of rank 0; legal: "),
        (with_one("text", lambda _: b"1,2\n"), "is no rank's trace: line 1 does not begin with #@"),
        (empty, "rank_0.agtrace' cannot be read, or is empty"),
        (missing, "rank_1.agtrace' cannot be read, or is empty"),
        (record(2, AGTRACE_SAMPLE="5"), "rank_0.agtrace' has one of 5 calls that are alike "
         "(AGTRACE_SAMPLE); legal: a trace of all calls"),
        (record(3), "is a trace of 3 ranks, and there are 2; legal: a launch of 3"),
        (record(2, GATHERV, "--sizes", "8", "-i", "1", "-x", "0", "--algorithms", "ring"),
         "has no MPI_Allgatherv that all its ranks have; it has MPI_"),
    ]  # fmt: skip
    for folder, fault in faults:
        bench = GATHERV if "has no" in fault else GATHER
        ended = build.run(bench, "--replay", str(folder), "--output", "out.csv", cwd=tmp_path)
        message = refused(ended)
        assert message.startswith("--replay: '") and fault in message
        assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("--replay-calls 9999", "--replay-calls: '9999' is more than the trace has; legal"),
        ("-M 10", "legal: fewer calls (--replay-calls)"),
    ],
)
def test_more_than_there_is_is_refused(
    build: Build, record: Record, tmp_path: Path, words: str, fault: str
) -> None:
    """tests/bench/options/refusals_test.cpp has what does not go with --replay."""
    ended = build.run(GATHER, "--replay", str(record(2)), *words.split(), cwd=tmp_path, ranks=2)
    assert fault in refused(ended)
