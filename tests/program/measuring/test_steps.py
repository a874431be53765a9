# SPDX-License-Identifier: BSD-3-Clause
"""--record steps: every part of a schedule once a rank and recorded call, in an order that messages
allow. How long the parts are is the machine's affair."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

from agreport.data.step_times import peers
from agreport.main import main

from ..support.launch import Build
from ..support.refusals import GATHER, refused
from ..support.results import STEP_COLUMNS, Results, Row, read_results

pytestmark = pytest.mark.slow

MOST_CALLS = 20  # as --help says
WRITTEN_US = 0.002  # times are whole nanoseconds, written in thousandths
BARRIERS = ("shift_mpi_barrier", "shift_light_barrier")
OURS = ("ring", "sparbit", "bruck", "linear", *BARRIERS)

Part = tuple[int, int, int]  # iteration, rank, step


def parts_of(results: Results, algorithm: str) -> dict[Part, Row]:
    found: dict[Part, Row] = {}
    for row in results.of(algorithm):
        key = (int(row["iteration"]), int(row["rank"]), int(row["step"]))
        assert key not in found, f"{algorithm}: {key} stands twice"
        found[key] = row
    return found


def check_calls(results: Results, algorithm: str, ranks: int, calls: int) -> dict[Part, Row]:
    """Each call has every part of every rank once, one beginning where the one before ends."""
    found = parts_of(results, algorithm)
    assert {key[:2] for key in found} == {(i, r) for i in range(calls) for r in range(ranks)}
    for i in range(calls):
        assert min(float(found[i, rank, -1]["arrived_us"]) for rank in range(ranks)) == 0
        for rank in range(ranks):
            steps = sorted(step for one, r, step in found if (one, r) == (i, rank))
            assert steps == [*range(-1, len(steps) - 1)]
            rows = [found[i, rank, step] for step in steps]
            assert [row["part"] for row in rows] == ["before", *["step"] * (len(rows) - 2), "after"]
            assert float(rows[0]["start_us"]) == 0
            for row, after in pairwise(rows):
                assert float(row["start_us"]) <= float(row["end_us"]) == float(after["start_us"])
                assert row["arrived_us"] == after["arrived_us"]
    return found


def check_messages(found: dict[Part, Row], ranks: int) -> None:
    """No step ends before those that it receives from have begun to send; on one machine the ranks
    share a clock."""
    calls = {i for i, _, _ in found}
    for i in calls:
        sends = defaultdict(list)
        receives = defaultdict(list)
        for (call, rank, _), row in sorted(found.items()):
            if call == i:
                for to in peers(row["to"], ranks):
                    sends[rank, to].append(row)
                for source in peers(row["from"], ranks):
                    receives[source, rank].append(row)
        assert {pair: len(rows) for pair, rows in sends.items()} == {
            pair: len(rows) for pair, rows in receives.items()
        }
        for pair, sending in sends.items():
            for sent, received in zip(sending, receives[pair], strict=True):
                begun = float(sent["arrived_us"]) + float(sent["start_us"])
                ended = float(received["arrived_us"]) + float(received["end_us"])
                assert begun <= ended + WRITTEN_US
        assert sum(int(row["sent_bytes"]) for (c, _, _), row in found.items() if c == i) == sum(
            int(row["received_bytes"]) for (c, _, _), row in found.items() if c == i
        )


@pytest.mark.parametrize("ranks", [1, 2, 4, 5])
def test_every_step_of_every_rank_is_recorded_once(
    build: Build, tmp_path: Path, ranks: int
) -> None:
    iterations = 2
    ended = build.run(GATHER, "--algorithms", ",".join(OURS), "--sizes", "16,4K", "-i",
                      str(iterations), "-x", "1", "-c", "--record", "steps", "--output", "out.csv",
                      ranks=ranks, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert not (tmp_path / "out.ranks.csv").exists()
    results = read_results(tmp_path / "out.steps.csv", STEP_COLUMNS)
    timed = read_results(tmp_path / "out.csv")
    assert results.cases == timed.cases and len(results.cases) == 2
    assert {**results.metadata, "load_end": ""} == {**timed.metadata, "load_end": ""}
    assert set(timed.counts().values()) == {iterations}, "recorded calls are no iterations"
    for size in ("16", "4096"):
        of_size = Results(rows=[row for row in results.rows if row["bytes"] == size])
        for algorithm in OURS:
            found = check_calls(of_size, algorithm, ranks, iterations)
            check_messages(found, ranks)
            steps = max(step for _, _, step in found)
            if algorithm in ("ring", "shift_mpi_barrier"):
                assert steps == ranks - 1
            barriers = {step for (_, _, step), row in found.items() if row["barrier"] == "1"}
            waits = range(1, ranks - 1) if algorithm == "shift_mpi_barrier" else ()
            assert barriers == {*waits}
            tokens = [row for row in found.values() if row["to"] and row["sent_bytes"] == "0"]
            assert bool(tokens) == (algorithm == "shift_light_barrier" and ranks > 2)


def test_steps_that_are_left_end_at_once(build: Build, tmp_path: Path) -> None:
    """Their tokens are on their way until the last step is done."""
    (tmp_path / "tree.conf").write_text(
        "SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-3]\nSwitchName=c Switches=a,b\n"
    )
    ended = build.run("alltoall_bench", "--algorithms", "topology_phases_sender", "--sizes", "1K",
                      "-i", "2", "-x", "0", "--topology", "tree.conf", "--ranks-per-node", "1",
                      "--record", "steps", "--output", "out.csv", ranks=4,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.steps.csv", STEP_COLUMNS)
    found = check_calls(results, "topology_phases_sender", 4, 2)
    check_messages(found, 4)
    left = [
        row for row in found.values() if row["to"] and not row["from"] and row["sent_bytes"] == "0"
    ]
    assert left


def test_calls_are_capped_and_told(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--algorithms", "ring,native,bdr,adaptive", "--sizes", "64", "-i",
                      "25", "-x", "0", "--compute", "1ms", "--record", "steps,ranks", "--output",
                      "out.csv.gz", ranks=2, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.steps.csv.gz", STEP_COLUMNS)
    assert (tmp_path / "out.ranks.csv.gz").exists()
    assert {row["algorithm"] for row in results.rows} == {"ring"}
    assert {int(row["iteration"]) for row in results.rows} == {*range(MOST_CALLS)}
    without = results.metadata["steps_left_out"]
    for name, why in [
        ("native", "its steps are the MPI library's"),
        ("bdr", "a helper thread runs steps of it"),
        ("adaptive", "takes another algorithm in each call"),
    ]:
        assert f"{name} ({why})" in without
    assert f"# no steps are recorded of {without}\n" in ended.stdout
    assert f"at most {MOST_CALLS}" in " ".join(build.alone(GATHER, "--help").stdout.split())


def test_steps_under_an_arrival_pattern(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--algorithms", "ring", "--sizes", "64", "-i", "3", "-x", "0",
                      "--arrival", "delayed:rank=1,delay=1ms", "--record", "steps", "--output",
                      "out.csv", ranks=3, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.steps.csv", STEP_COLUMNS)
    for arrival in ("none", "delayed:rank=1,delay=1ms"):
        rows = [row for row in results.rows if row["arrival"] == arrival]
        check_messages(check_calls(Results(rows=rows), "ring", 3, 3), 3)


def test_an_interrupted_launch_goes_on(build: Build, tmp_path: Path) -> None:
    given = ("--algorithms", "ring", "--sizes", "8,16", "-i", "2", "-x", "0", "--record", "steps",
             "--output", "out.csv")  # fmt: skip
    assert build.run(GATHER, *given, ranks=2, cwd=tmp_path).exit_code == 0
    whole = {name: (tmp_path / name).read_text() for name in ("out.csv", "out.steps.csv")}
    end = whole["out.csv"].index("\n", whole["out.csv"].index("#@case_end=")) + 1
    (tmp_path / "out.csv").write_text(whole["out.csv"][:end])
    refusing = build.run(GATHER, *given[:-3], "ranks,steps", *given[-2:], "--resume", ranks=2,
                         cwd=tmp_path)  # fmt: skip
    assert "record_ranks" in refused(refusing)
    resumed = build.run(GATHER, *given, "--resume", ranks=2, cwd=tmp_path)
    assert resumed.exit_code == 0, resumed.stderr
    results = read_results(tmp_path / "out.steps.csv", STEP_COLUMNS)
    assert len(results.cases) == 2
    for size in ("8", "16"):
        rows = [row for row in results.rows if row["bytes"] == size]
        check_calls(Results(rows=rows), "ring", 2, 2)


def test_algorithms_without_steps_alone_are_refused(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--sizes", "8", "--record", "steps", "--algorithms",
                      "native,adaptive", "--output", "out.csv", ranks=2, cwd=tmp_path)  # fmt: skip
    assert "--record: 'steps' has nothing to record: native (" in refused(ended)
    assert not [*tmp_path.iterdir()]


def test_the_report_reads_what_was_recorded(
    build: Build, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every algorithm that ran has steps, or it is told why not."""
    ended = build.run(GATHER, "--algorithms", "all", "--sizes", "1K", "-i", "2", "-x", "0",
                      "--compute", "1ms", "--record", "steps", "--output", "out.csv", ranks=4,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    timed = read_results(tmp_path / "out.csv")
    ran = {row["algorithm"] for row in timed.rows if row["status"] == "ok"}
    without = {text.split()[0] for text in timed.metadata["steps_left_out"].split("), ")}
    assert len(ran) > 30 and without < ran
    document, figure = tmp_path / "steps.json", tmp_path / "steps.svg"
    files = (str(tmp_path / "out.csv"), "--json", str(document), "-o", str(figure))
    assert main(["steps", *files]) == 0
    found = json.loads(document.read_text())
    assert {one["algorithm"] for one in found["algorithms"]} == ran - without
    for one in found["algorithms"]:
        parts = ("before_percent", "waiting_percent", "steps_percent", "after_percent")
        assert sum(one[name] for name in parts) == pytest.approx(100)
        assert one["calls"] == 2
        assert one["timed_us"] > 0
    assert all(step["own_us"] >= 0 and step["waits_us"] >= 0 for step in found["steps"])
    assert "Where the ranks' time goes" in capsys.readouterr().out
    assert figure.read_text().startswith("<?xml")
