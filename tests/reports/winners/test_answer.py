# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether an algorithm is any good, by the fields of which the sentences are made."""

from argparse import Namespace
from pathlib import Path

import pytest

from agreport.data.load import Results
from agreport.stats.contest import Contest
from agreport.winners import loss
from agreport.winners.answer import Paragraph, Standing, in_words, standings

from ..support.commands import Rows, Write
from ..support.loading import load

FAST, SLOW = [10.0] * 8, [20.0] * 8


def found_in(results: Results, chosen: str = "native") -> tuple[list[Standing], list[Paragraph]]:
    others = [name for name in results.timed_algorithms() if name != chosen]
    options = Namespace(contest=Contest(chosen, others, "median"), metric="avg")
    losses = loss.losses(results, options)
    times = options.contest.times(results, "avg")
    return standings(results, losses, chosen), list(in_words(results, losses, chosen, times))


@pytest.fixture
def launches(write: Write, rows: Rows) -> list[str]:
    """Writes two launches of 2 ranks with a processor each, and two of 4 that share some, and
    returns their paths. With 2 ranks native is the fastest at 1 byte, surely twice as slow at 4,
    and as good from 8 on. With 4 it is surely three times as slow at 1; at 4 the launches do not
    agree on whether it is slower."""

    def case(ranks: int, size: int, native: list[float], ring: list[float]) -> list[str]:
        return [
            *rows("native", native, size=size, ranks=ranks),
            *rows("ring", ring, size=size, ranks=ranks),
        ]

    files = []
    for launch in (1, 2):
        own = [
            *(case(2, 1, FAST, SLOW), case(2, 4, SLOW, FAST)),
            *(case(2, 8, FAST, FAST), case(2, 16, FAST, FAST)),
        ]
        shared = [
            case(4, 1, [30.0] * 8, FAST),
            case(4, 4, *((SLOW, FAST) if launch == 1 else ([10.1] * 8, FAST))),
        ]
        for ranks, cases, says in ((2, own, "no"), (4, shared, "yes")):
            name = f"{ranks}-{launch}.csv"
            same = {"oversubscribed": says, "ranks": str(ranks), "start": name}
            files.append(str(write(name, *cases, **same)))
    return files


def test_ranks_that_share_processors_are_told_apart(launches: list[str]) -> None:
    (own, shared), said = found_in(load(launches))
    assert (own.sharing, own.cases, own.good, own.slower, own.untold) == ("no", 4, 3, 1, 0)
    assert (shared.sharing, shared.cases, shared.slower, shared.untold) == ("yes", 2, 1, 1)
    first, second, to_do = said
    assert "2 ranks" in first.lead and "MPI library's own MPI_Allgather," in first.text
    assert " 2 times as long as ring" in first.text
    assert "8 B and more it is nowhere slower" in first.text
    assert "4 ranks" in second.lead and " 3 times as long as ring" in second.text
    assert "nowhere slower" not in second.text
    assert "agreport tune" in to_do.text and "Change nothing" in to_do.text


def test_nothing_is_to_be_done_for_shared_processors(launches: list[str]) -> None:
    shared = [name for name in launches if Path(name).name.startswith("4")]
    *_, to_do = found_in(load(shared))[1]
    assert to_do.text.startswith("nothing") and "agreport tune" not in to_do.text


def test_one_launch_says_so_first(launches: list[str]) -> None:
    """Another launch of the same ranks, not of others, makes it several."""
    for names, first in ((launches[:2], "One launch:"), (launches, "With a processor")):
        assert found_in(load(names))[1][0].lead.startswith(first)


def test_launches_that_do_not_say_are_no_kind(write: Write, rows: Rows) -> None:
    path = write("a.csv", [*rows("native", FAST), *rows("ring", SLOW)], oversubscribed="")
    (standing,), said = found_in(load([str(path)]))
    assert standing.sharing == "" and standing.good == 1
    assert said[-1].text.startswith("nothing")


def test_other_algorithms_are_not_mended(launches: list[str]) -> None:
    said = found_in(load(launches), "ring")[1]
    assert not any("tune" in paragraph.text for paragraph in said)


@pytest.mark.parametrize("says", ["true", "no, I think", "yes"])
def test_no_case_is_lost_by_what_a_launch_says(write: Write, rows: Rows, says: str) -> None:
    """A line of a log may say anything (`#@oversubscribed=true`)."""
    case = [*rows("native", SLOW), *rows("ring", FAST)]
    (standing,), said = found_in(load([str(write("a.csv", case, oversubscribed=says))]))
    assert (standing.cases, standing.sharing) == (1, "yes" if says == "yes" else "")
    assert not any("No case" in paragraph.text for paragraph in said)


def test_a_collective_of_a_later_version_keeps_its_name(write: Write, rows: Rows) -> None:
    scan = "scan,{},regular,none,sequential"
    path = write("a.csv", [*rows("native", SLOW, place=scan), *rows("ring", FAST, place=scan)])
    (standing,), said = found_in(load([str(path)]))
    assert standing.slower == 1
    assert any("the MPI library's own scan, is" in paragraph.text for paragraph in said)
    assert any(" 2 times as long as ring: scan, " in paragraph.text for paragraph in said)
