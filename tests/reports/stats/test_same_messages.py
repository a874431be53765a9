# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that send the same messages with so many ranks are compared as one."""

from collections.abc import Callable

import pytest

from agreport.data.load import Results
from agreport.figure.words import same_text
from agreport.main import main
from agreport.stats.contest import Contest
from agreport.stats.same_messages import same_messages
from agreport.winners.selection import as_good_counts, best_counts

from ..support.commands import Capture, Rows, Write
from ..support.loading import load

pytestmark = pytest.mark.quick

SAME = "ring = neighbor_exchange = sparbit"
# native is the fastest of different algorithms; the fastest of all is one of three alike.
TIMES = {"native": 10.0, "ring": 14.0, "neighbor_exchange": 9.9, "sparbit": 10.1, "bruck": 20.0}


@pytest.fixture
def launch(write: Write, rows: Rows) -> Callable[..., str]:
    def make(name: str, same: str, ranks: int = 2, without: str = "") -> str:
        told = {"same_messages": same} if same else {}
        cases = [
            rows(each, [time + 0.01 * n for n in range(12)], ranks=ranks)
            for each, time in TIMES.items()
            if each != without
        ]
        return str(write(name, *cases, ranks=str(ranks), collective="allgather", **told))

    return make


def same(results: Results) -> dict[tuple[str, int], list[set[str]]]:
    return {where: [*map(set, groups)] for where, groups in same_messages(results).items()}


def won(results: Results, chosen: str) -> tuple[str, bool]:
    others = [name for name in results.timed_algorithms() if name != chosen]
    verdict = Contest(chosen, others, "median").verdicts(results, "avg").iloc[0]
    return str(verdict["fastest"]), bool(verdict["clear"])


def test_one_of_them_is_compared(launch: Callable[..., str]) -> None:
    results = load([launch("a.csv", SAME)])
    assert same(results) == {("allgather", 2): [{"ring", "neighbor_exchange", "sparbit"}]}
    assert won(results, "native") == ("native", True), "ring stands for the three"
    assert won(results, "neighbor_exchange")[0] == "neighbor_exchange", "it was asked for"
    counts = best_counts(results, "avg", "median").set_index("algorithm")
    assert counts["best_in"].to_dict() == {"native": 1, "ring": 0, "bruck": 0}
    contest = Contest("native", ["ring", "neighbor_exchange", "sparbit", "bruck"], "median")
    assert as_good_counts(contest.times(results, "avg"))["native"] == 1
    (said,) = same_text(results)
    assert said.startswith("With 2 ranks ring, ") and " send the same messages" in said


def test_files_that_do_not_say_so_have_them_apart(launch: Callable[..., str]) -> None:
    results = load([launch("a.csv", "")])
    assert same_messages(results) == {}
    assert won(results, "native")[0] == "neighbor_exchange"
    assert same_text(results) == []


def test_all_launches_that_timed_both_must_say_so(launch: Callable[..., str]) -> None:
    other = launch("b.csv", "ring = neighbor_exchange")
    assert same(load([launch("a.csv", SAME), other])) == {
        ("allgather", 2): [{"ring", "neighbor_exchange"}]
    }
    without = launch("b.csv", "ring = neighbor_exchange", without="sparbit")
    assert same(load([launch("a.csv", SAME), without])) == {
        ("allgather", 2): [{"ring", "neighbor_exchange", "sparbit"}]
    }
    # They are no less one with these where there are other numbers of ranks.
    several = load([launch("a.csv", SAME), launch("b.csv", "", ranks=4)])
    assert [*same_messages(several)] == [("allgather", 2)]


def test_an_empty_table_is_a_sentence(write: Write, rows: Rows, capsys: Capture) -> None:
    assert main(["selection", str(write("a.csv", rows("ring", [1.0] * 8)))]) == 0
    assert capsys.readouterr().out == "No case has times of two algorithms to compare.\n"
