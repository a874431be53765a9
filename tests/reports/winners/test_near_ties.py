# SPDX-License-Identifier: BSD-3-Clause
"""Tests when an algorithm is called the best, and when it is as good as another."""

from argparse import Namespace

import numpy as np
import pytest
from matplotlib.collections import PathCollection, PolyCollection, QuadMesh

from agreport.data.load import Results
from agreport.figure.looks import LOOKS
from agreport.figure.medium import Medium, drawn_for
from agreport.reports.winners import NEAR_TIES
from agreport.stats.contest import Contest
from agreport.stats.times import times_of
from agreport.winners import boxplot, selection, venn
from agreport.winners.heatmap import draw, write_caption
from agreport.winners.maps import TIED, ContestPanel, SelectionPanel, Style

from ..support.commands import Rows, Write
from ..support.loading import load
from ..support.sheets import texts

TEN = [10.0] * 6
CONTEST = Contest("sparbit", ["ring", "bruck"], "median")


@pytest.fixture
def several(write: Write, rows: Rows) -> Results:
    """size 1: 10 / 13 / 20, clear;  2: 10 / 10.1, under 2 %;  4: 10 / 20, intervals overlap;
    8: 10 / 20, five iterations and so no interval;  16: ring before sparbit by 50 %;
    32: 10 / 10 / 10;  64: the second is clear, the third is not.
    """
    wide = [9.0, 20.0, 20.0, 20.0, 20.0, 31.0]  # n = 6: the interval is from end to end
    cases: list[dict[str, list[float]]] = [
        {"sparbit": TEN, "ring": [13.0] * 6, "bruck": [20.0] * 6},
        {"sparbit": TEN, "ring": [10.1] * 6},
        {"sparbit": TEN, "ring": wide},
        {"sparbit": TEN[:5], "ring": [20.0] * 5},
        {"sparbit": [20.0] * 6, "ring": TEN},
        {"sparbit": TEN, "ring": TEN, "bruck": TEN},
        {"sparbit": TEN, "ring": [15.0] * 6, "bruck": wide},
    ]
    text = [
        [line for name, times in case.items() for line in rows(name, times, size=1 << power)]
        for power, case in enumerate(cases)
    ]
    return load([str(write("a.csv", *text))])


def test_verdicts(several: Results) -> None:
    verdicts = CONTEST.verdicts(several, "avg")
    near = ["", "ring", "ring", "ring", "", "ring; bruck", "bruck"]
    fastest = verdicts["fastest"].tolist()
    assert fastest[:5] == ["sparbit"] * 4 + ["ring"]
    assert verdicts["won"].tolist() == [True, True, True, True, False, False, True]
    # The first of equals in the list is "the fastest", and the others are near it.
    assert [set(text.split("; ")) - {"sparbit"} for text in verdicts["near"]] == [
        set(text.split("; ")) for text in near
    ]
    assert verdicts["clear"].tolist() == [True, *[False] * 6]


def test_two_percent_is_the_border(write: Write, rows: Rows) -> None:
    """100 * (1 - 98 / 100) is 2, 100 * (1 - 98.1 / 100) is not; both launches are sure of it."""
    files = []
    for number, factor in enumerate((1.0, 2.0)):
        cases = [
            [*rows("ring", [100.0 * factor] * 6, size=size),
             *rows("bruck", [other * factor] * 6, size=size)]
            for size, other in ((1, 98.0), (2, 98.1))
        ]  # fmt: skip
        files.append(str(write(f"{number}.csv", *cases)))
    times = times_of(load(files), "avg", "mean")
    assert times.near_names().tolist() == ["", "ring"]


def by(statistic: str) -> Namespace:
    return Namespace(metric="avg", statistic=statistic, united=False, near_ties="corner")


def test_selection(several: Results) -> None:
    found = selection.selections(several, by("median"))
    assert found["fastest"].tolist()[:5] == ["sparbit"] * 4 + ["ring"]
    assert found["second"].tolist()[0] == "ring"
    assert found["second_slower_percent"].tolist()[:2] == pytest.approx([30, 1])
    assert found["near"].ne("").tolist() == [False, True, True, True, False, True, True]
    said = texts(selection.draw(several, found, by("median")))
    assert any("5 of 7 cases are near-ties" in text for text in said)
    assert "corner: near-tie with the algorithm of that colour" in said


def test_a_map_of_one_algorithm_and_of_gaps(write: Write, rows: Rows) -> None:
    skipped = rows("ring", size=2, status="skipped", reason="odd")
    results = load([str(write("a.csv", rows("ring", TEN), skipped))])
    found = selection.selections(results, by("mean"))
    assert found["fastest"].fillna("-").tolist() == ["ring", "-"]
    assert found["second"].isna().all()
    assert "not measured, or skipped by all" in texts(selection.draw(results, found, by("mean")))


def test_no_order_of_algorithms_paints_a_tie(write: Write, rows: Rows) -> None:
    """10 / 10 is a tie whoever is the first; 10 / 10.1 is a near-tie; a simulation is rounded."""
    sizes = enumerate(((10.0, 10.0, 20.0), (10.0, 10.1, 20.0), (20.0, 10.0, 10.0)))
    cases = [
        [line for name, us in zip(("ring", "bruck", "sparbit"), times, strict=True)
         for line in rows(name, [us] * 6, size=1 << power)]
        for power, times in sizes
    ]  # fmt: skip
    results = load([str(write("a.csv", *cases))])
    found = selection.selections(results, by("median"))
    assert found["tied"].tolist() == [True, False, True]
    panel = SelectionPanel("title", found.droplevel([*found.index.names[:-2]]), Style({}, "corner"))
    assert panel.gaps[TIED] == [(0, 0), (2, 0)]
    assert panel.best.fillna("").tolist() == ["", "ring", ""] and panel.near.tolist()[0] == ""
    assert "several are equally fast: --csv names them" in texts(
        selection.draw(results, found, by("median"))
    )
    exact = [*rows("ring", [10.0]), *rows("bruck", [10.0004])]
    results = load([str(write("b.csv", exact, simulated="yes"))])
    assert selection.selections(results, by("median"))["tied"].tolist() == [True]


def test_narrow_cells_are_halved(write: Write, rows: Rows) -> None:
    """A corner of 60 columns would be half a millimetre at 8.5 cm."""
    cases = [[*rows("ring", [10.0] * 8, ranks=n), *rows("spread", [10.1] * 8, ranks=n)]
             for n in range(2, 62)]  # fmt: skip
    results = load([str(write("a.csv", *cases))])
    with drawn_for(Medium(8.5)):
        page = selection.draw(results, selection.selections(results, by("mean")), by("mean"))
    (halves,) = [one for one in page.figure.axes[0].collections if isinstance(one, PolyCollection)
                 and not isinstance(one, QuadMesh)]  # fmt: skip
    assert len(halves.get_paths()) == 60
    labels = [text.get_text() for text in page.figure.axes[0].get_xticklabels()]
    assert {"8", "16", "32"} <= {*labels}
    assert all(int(label) % 2 == 0 for label in labels), "no odd numbers of ranks"


@pytest.mark.slow
def test_corners_of_the_heat_map(several: Results) -> None:
    verdicts = CONTEST.verdicts(several, "avg")
    panel = ContestPanel("title", verdicts, Style({}, "corner"))
    near = verdicts["near"].ne("") & ~verdicts["tied"]
    assert panel.near.ne("").tolist() == near.tolist()
    for kind in NEAR_TIES:
        options = Namespace(contest=CONTEST, metric="avg", near_ties=kind)
        said = " ".join(texts(draw(several, verdicts, options)))
        assert "Of 5 such cases 4 are near-ties" in said
        assert (f"{kind}: near-tie with the algorithm of that colour" in said) == (kind != "none")


def test_counts_of_each_algorithm(several: Results) -> None:
    counts = selection.best_counts(several, "avg", "median").set_index("algorithm")
    columns = ["timed_in", "fastest_in", "near_ties", "best_in"]
    assert counts[columns].to_dict("index") == {
        name: dict(zip(columns, found, strict=True))
        for name, found in {
            "sparbit": (7, 5, 4, 1),
            "ring": (7, 1, 0, 1),
            "bruck": (3, 0, 0, 0),
        }.items()
    }


@pytest.mark.slow
def test_noise_is_seldom_called(write: Write, rows: Rows) -> None:
    """Two algorithms with the same distribution of times: hardly ever is one called the best."""
    random = np.random.default_rng(11)
    cases = [
        [
            line
            for name in ("sparbit", "ring")
            for line in rows(name, random.lognormal(3, 0.3, 40).round(4), size=size)
        ]
        for size in range(1, 201)
    ]
    results = load([str(write("a.csv", *cases))])
    near = times_of(results, "avg", "mean").near_names()
    # Both intervals must miss each other, which is rarer than one missing the median.
    assert near.eq("").sum() <= 4


def test_a_simulation_has_no_ties_but_true_ones(write: Write, rows: Rows) -> None:
    """One iteration is all of it: no difference is for want of iterations."""
    cases = [
        [*rows("sparbit", [10]), *rows("ring", [10.05])],
        [*rows("sparbit", [10], size=2), *rows("ring", [10], size=2)],
        [*rows("sparbit", [10], size=4), *rows("ring", [6], size=4)],
    ]
    for simulated, near in (("yes", ["", "ring", ""]), ("no", ["ring", "ring", "sparbit"])):
        path = write(f"{simulated}.csv", *cases, simulated=simulated)
        verdicts = Contest("sparbit", ["ring"], "mean").verdicts(load([str(path)]), "avg")
        assert verdicts["near"].tolist() == near


def test_corners_have_the_hatch_of_their_algorithm(write: Write, rows: Rows) -> None:
    """spread and neighbor_exchange have one colour."""
    path = write("a.csv", [*rows("ring", [10.0] * 8), *rows("spread", [10.1] * 8)])
    results = load([str(path)])
    page = selection.draw(results, selection.selections(results, by("mean")), by("mean"))
    (corner,) = [one for one in page.figure.axes[0].collections if isinstance(one, PathCollection)]
    assert corner.get_hatch() == LOOKS["spread"].hatch != ""


@pytest.mark.slow
def test_captions_say_what_a_near_tie_is(write: Write, rows: Rows) -> None:
    case = [*rows("sparbit", [10]), *rows("ring", [10.05]), *rows("bruck", [10.05])]
    exact, measured = "equally fast, as simulations are exact", "less than 2 % apart, or not surely"
    simulation, run = (
        str(write(f"{simulated}.csv", case, simulated=simulated)) for simulated in ("yes", "no")
    )
    other = [*rows("sparbit", [10], size=2), *rows("ring", [10], size=2)]
    both = str(write("both.csv", other, simulated="yes"))
    for files, parts, has_near in (
        ([simulation], {exact}, False),
        ([run], {measured}, True),
        ([run, both], {exact, measured}, True),
    ):
        results = load(files)
        found = selection.selections(results, by("mean"))
        contest = Contest("sparbit", ["ring", "bruck"], "mean")
        verdicts = contest.verdicts(results, "avg")
        options = Namespace(contest=contest, metric="avg", near_ties="corner")
        of_maps = [
            selection.write_caption(results, found, by("mean")),
            write_caption(results, verdicts, options, False),
        ]
        assert not any("near-tie" in text for text in of_maps) or has_near
        always = [
            boxplot.write_caption(results, contest),
            venn.write_caption(results, contest, near=True),
        ]
        assert "near-tie" not in venn.write_caption(results, contest, near=False)
        for text in [*always, *(of_maps if has_near else [])]:
            assert {part for part in (exact, measured) if part in text} == parts
            assert ("too few iterations" in text) <= (measured in text)


def test_of_equally_fast_ones_the_chosen_one_is_the_fastest(write: Write, rows: Rows) -> None:
    """What is near the fastest is another one."""
    cases = [[*rows("ring", [10.0] * 6, size=size), *rows("bruck", [us] * 6, size=size)]
             for size, us in ((1, 10.0), (2, 5.0))]  # fmt: skip
    results = load([str(write("a.csv", *cases, oversubscribed="yes"))])
    for chosen, other in (("ring", "bruck"), ("bruck", "ring")):
        verdicts = Contest(chosen, [other], "median").verdicts(results, "avg")
        assert verdicts["fastest"].tolist() == [chosen, "bruck"]
        assert verdicts["near"].tolist() == [other, "ring"]
        assert verdicts["won"].tolist() == [False, chosen == "bruck"]
