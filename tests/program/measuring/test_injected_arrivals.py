# SPDX-License-Identifier: BSD-3-Clause
"""--arrival, --compute, --wait, --sync: what is asked of the ranks, and what they did."""

from collections import defaultdict
from pathlib import Path

import pytest

from ..allgather_schedule.test_printed_inputs import arrivals
from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, refused
from ..support.results import RANK_COLUMNS, Results, read_results, read_tables

pytestmark = pytest.mark.slow

RANKS = 3
ITERATIONS = 6
TRACE = [[0.0, 300.0, 1200.5], [900.0, 0.0, 50.25]]
UNIFORM = "uniform:max=2ms"
LATE = "delayed:rank=1,delay=1500us"
SLACK_US = 0.002  # times are kept in whole nanoseconds and printed in thousandths


def asked_by_iteration(ranks: Results, arrival: str) -> dict[tuple[str, int], list[float]]:
    """Returns what the file says was asked of every rank, by algorithm and iteration."""
    asked: dict[tuple[str, int], list[float]] = defaultdict(list)
    for row in ranks.rows:
        if row["arrival"] == arrival:
            asked[row["algorithm"], int(row["iteration"])].append(float(row["asked_us"]))
    return asked


@pytest.fixture(scope="module")
def files(
    build: Build, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Results, Results, str, str]:
    folder = tmp_path_factory.mktemp("arrivals")
    (folder / "trace.txt").write_text("\n".join(" ".join(map(str, line)) for line in TRACE))
    ended = build.run(GATHERV, "--algorithms", "ring,bruck,native", "--sizes", "64", "-i",
                      str(ITERATIONS), "-x", "1", "-c", "--arrival",
                      f"{UNIFORM},{LATE},trace:trace.txt", "--compute", "300us", "--seed", "11",
                      "--record", "ranks", "--output", "out.csv",
                      ranks=RANKS, cwd=folder)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    ranks = read_results(folder / "out.ranks.csv", RANK_COLUMNS)
    return read_results(folder / "out.csv"), ranks, ended.stdout, str(folder)


def test_the_balanced_run_comes_first(files: tuple[Results, Results, str, str]) -> None:
    results = files[0]
    arrivals = list(dict.fromkeys(row["arrival"] for row in results.rows))
    assert arrivals == ["none", UNIFORM, LATE, "trace:trace.txt"]
    assert set(results.counts().values()) == {ITERATIONS}
    for row in results.rows:
        balanced = row["arrival"] == "none"
        assert (row["asked_imbalance_us"] == "") == (row["delay_error_us"] == "") == balanced
        assert row["message_us"] == ""  # nothing is in t
        assert float(row["clock_error_us"]) == 0  # one node
    assert results.metadata["sync"] == "double-barrier"
    assert results.metadata["wait"] in ("busy", "sleep")
    assert results.metadata["compute"] == "300 us"
    assert "2 lines" in results.metadata["arrival_trace"]


def test_every_algorithm_gets_the_times_that_were_drawn(
    build: Build, files: tuple[Results, Results, str, str], tmp_path: Path
) -> None:
    ranks = files[1]
    (drawn,) = arrivals(build, UNIFORM, RANKS, ITERATIONS, "--seed", "11").values()
    expected = {
        UNIFORM: drawn,
        LATE: [[0.0, 1500.0, 0.0]] * ITERATIONS,
        "trace:trace.txt": TRACE * (ITERATIONS // len(TRACE)),
    }
    for arrival, times in expected.items():
        asked = asked_by_iteration(ranks, arrival)
        assert len(asked) == 3 * ITERATIONS
        for (_, iteration), of_ranks in asked.items():
            assert of_ranks == pytest.approx(times[iteration], abs=SLACK_US)


def test_no_rank_arrives_too_early(files: tuple[Results, Results, str, str]) -> None:
    results, ranks, *_ = files
    errors: dict[tuple[str, str, str], float] = defaultdict(float)
    for row in ranks.rows:
        if row["arrival"] == "none":
            assert row["asked_us"] == row["achieved_us"] == ""
            continue
        error = float(row["achieved_us"]) - float(row["asked_us"])
        assert error >= -SLACK_US
        key = (row["arrival"], row["algorithm"], row["iteration"])
        errors[key] = max(errors[key], error)
    for row in results.rows:
        if row["arrival"] != "none":
            key = (row["arrival"], row["algorithm"], row["iteration"])
            assert float(row["delay_error_us"]) == pytest.approx(errors[key], abs=SLACK_US)
            # The last exit follows the last arrival.
            assert float(row["run_us"]) >= float(row["imbalance_us"]) - SLACK_US


def test_the_table_tells_what_was_absorbed(files: tuple[Results, Results, str, str]) -> None:
    tables = read_tables(files[2])
    assert len(tables) == 4 * 3
    for table in tables:
        assert any("none is run too" in note for note in table.notes)
        balanced = "arrival: none" in table.title
        assert [row.startswith("#") for row in table.rows] == [False] + [True] * (not balanced)
        if not balanced:
            assert "absorbed" in table.rows[1]


def test_t_is_the_time_of_a_message(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--algorithms", "ring", "--sizes", "8,32K", "-i", "3", "-x", "0",
                      "--arrival", "delayed:delay=20t", "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.csv").rows
    for row in rows:
        assert float(row["message_us"]) > 0
        if row["arrival"] != "none":
            asked = float(row["asked_imbalance_us"])
            # 20 times the rounding of a printed thousandth.
            assert asked == pytest.approx(20 * float(row["message_us"]), abs=0.02)
    # Measured once a size.
    assert len({(row["bytes"], row["message_us"]) for row in rows}) == 2


def test_t_needs_two_ranks(build: Build) -> None:
    message = refused(build.alone(GATHER, "--arrival", "uniform:max=4t"))
    assert "--arrival: 'uniform:max=4t'" in message
    assert message.endswith("legal: us, ms, s")


@pytest.mark.parametrize("sync", ["barrier", "double-barrier", "dissemination", "window", "none"])
def test_synchronisations(build: Build, tmp_path: Path, sync: str) -> None:
    ended = build.run(GATHER, "--algorithms", "ring,native", "--sizes", "8", "-i", "20", "-x", "2",
                      "--sync", sync, "--wait", "sleep", "--output", "out.csv", ranks=4,
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert results.metadata["sync"] == sync
    assert results.metadata["wait"] == "sleep"
    assert len(results.rows) == 40
    statuses = {row["status"] for row in results.rows}
    assert statuses <= ({"ok", "late"} if sync == "window" else {"ok"})
    for row in results.rows:
        assert (row["reason"] != "") == (row["status"] == "late")


def test_computation_times_of_calls_back_to_back(build: Build, tmp_path: Path) -> None:
    """Faraj 2006, 4.1.1.2: his third timing mechanism."""
    ended = build.run(GATHER, "--algorithms", "ring", "--sizes", "8", "-i", "10", "-x", "0",
                      "--sync", "none", "--compute", "2ms", "--record", "ranks", "--output",
                      "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    rows = read_results(tmp_path / "out.ranks.csv", RANK_COLUMNS).rows
    assert len(rows) == 2 * 10
    for row in rows:
        assert float(row["computed_us"]) >= 2000 - SLACK_US
        assert row["asked_us"] == row["achieved_us"] == ""


def test_a_trace_that_changed_is_another_run(build: Build, tmp_path: Path) -> None:
    trace = tmp_path / "trace.txt"
    trace.write_text("0 100\n")
    arguments = ("--algorithms", "ring", "--sizes", "8", "-i", "2", "-x", "0", "--arrival",
                 "trace:trace.txt", "--output", "out.csv")  # fmt: skip
    assert build.run(GATHER, *arguments, cwd=tmp_path).exit_code == 0
    before = (tmp_path / "out.csv").read_text()
    trace.write_text("0 101\n")
    assert "arrival_trace" in refused(build.run(GATHER, *arguments, "--resume", cwd=tmp_path))
    assert (tmp_path / "out.csv").read_text() == before


def test_a_run_with_two_traces_goes_on(build: Build, tmp_path: Path) -> None:
    for name, text in (("a.txt", "0 100\n"), ("b.txt", "100 0\n0 0\n")):
        (tmp_path / name).write_text(text)
    arguments = ("--algorithms", "ring", "--sizes", "8", "-i", "2", "-x", "0", "--arrival",
                 "trace:a.txt,trace:b.txt", "--output", "out.csv", "--resume")  # fmt: skip
    for resumed in range(2):
        ended = build.run(GATHER, *arguments, cwd=tmp_path)
        assert ended.exit_code == 0, ended.stderr
        results = read_results(tmp_path / "out.csv")
        assert results.resumed == resumed
        first, second = results.metadata["arrival_trace"].split("; ")
        assert first.startswith("trace:a.txt: 1 lines, checksum ")
        assert second.startswith("trace:b.txt: 2 lines, checksum ")
    (tmp_path / "b.txt").write_text("100 0\n0 1\n")
    assert "arrival_trace" in refused(build.run(GATHER, *arguments, cwd=tmp_path))


def test_a_late_line_of_a_trace_would_end_the_run(build: Build, tmp_path: Path) -> None:
    """It is found before anything is written, unless the launch does not come to that line."""
    (tmp_path / "trace.txt").write_text("0 0\n" * 11 + "0 1e8\n")
    arguments = ("--algorithms", "ring", "--sizes", "8", "-x", "0", "--timeout", "60s", "--arrival",
                 "trace:trace.txt", "--output", "out.csv")  # fmt: skip
    message = refused(build.run(GATHER, *arguments, "-i", "12", cwd=tmp_path))
    assert message.startswith("--arrival: 'trace:trace.txt' takes 100 s in an iteration")
    assert not (tmp_path / "out.csv").exists()
    assert build.run(GATHER, *arguments, "-i", "11", cwd=tmp_path).exit_code == 0


def test_trace_of_other_length(build: Build, tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text("0 1 2\n0 1\n")
    message = refused(build.run(GATHER, "--arrival", "trace:trace.txt", ranks=3, cwd=tmp_path))
    assert "trace.txt" in message and "2" in message
