# SPDX-License-Identifier: BSD-3-Clause
"""Table 6 and figure 26 of Loch (2021), Yahoo under sequential mapping, from a made-up data set.

It has the thesis's 1344 cases, in which Sparbit wins as often and by as much as the thesis says:
the counts of the regions of the diagram, and of each metric the mean, median and highest gain.
"""

from argparse import Namespace
from io import StringIO

import pandas as pd
import pytest

from agreport.data.load import PANEL, Results
from agreport.main import main
from agreport.page import loch2021
from agreport.stats.contest import Contest
from agreport.stats.times import UNITED
from agreport.winners import against_sets, venn
from agreport.winners.table import improvements

from ..conftest import HEADER, METADATA
from ..support.commands import Rows, Write
from ..support.loading import load
from ..support.sheets import texts

pytestmark = pytest.mark.slow

SIZES = [1 << power for power in range(21)]
RANKS = range(1, 65)
# These metrics are won together so often: 721, 624 and 513, 506 of avg and max, 746 in all.
REGIONS = {
    "min": 115, "avg": 6, "max": 5, "min+avg": 112, "min+max": 2, "avg+max": 14,
    "min+avg+max": 492,
}  # fmt: skip
# Table 6: best in, mean, median, highest, all in percent.
TABLE_6 = {
    "min": (53.65, 36.18, 29.98, 85.87),
    "avg": (46.43, 34.70, 26.16, 84.16),
    "max": (38.17, 35.48, 27.24, 80.85),
}
# They are so far apart that the order holds whichever of them Sparbit wins.
OTHERS_US = {"min": 1.0, "avg": 100.0, "max": 10000.0}
ITERATIONS = 6  # so that medians have an interval
SPARBIT = Contest("sparbit", ["ring", "bruck"], "mean")


def gains(count: int, mean: float, median: float, highest: float) -> list[float]:
    """So many with these statistics: half the median, the median, one value above, the highest."""
    lower = (count - 1) // 2
    middle = count - 2 * lower
    upper = lower - 1
    low = median / 2
    high = (count * mean - highest - middle * median - lower * low) / upper
    assert median < high < highest
    return [*[low] * lower, *[median] * middle, *[high] * upper, highest]


@pytest.fixture(scope="module")
def thesis(tmp_path_factory: pytest.TempPathFactory) -> Results:
    won = [name for name, count in REGIONS.items() for _ in range(count)]
    left: dict[str, list[float]] = {}
    for metric, (_, *rest) in TABLE_6.items():
        left[metric] = gains(sum(metric in one.split("+") for one in won), *rest)
    text = [*(f"#@{key}={value}" for key, value in METADATA.items()), HEADER]
    cases = [(ranks, size) for ranks in RANKS for size in SIZES]
    for number, (ranks, size) in enumerate(cases):
        region = won[number].split("+") if number < len(won) else []
        ours = [
            us * (1 - left[metric].pop() / 100) if metric in region else 1.5 * us
            for metric, us in OTHERS_US.items()
        ]
        for name, times in (
            ("sparbit", ours),
            ("ring", list(OTHERS_US.values())),
            ("bruck", [3 * us for us in OTHERS_US.values()]),
        ):
            start = f"allgather,{name},regular,none,sequential,{ranks},1,{size},{size * ranks}"
            end = ",".join(f"{us!r}" for us in times)
            text += [f"{start},{i},{end},1.0,0.0,9.5,ok," for i in range(ITERATIONS)]
        text.append(f"#@case_end={number}")
    path = tmp_path_factory.mktemp("thesis") / "yahoo.csv"
    path.write_text("\n".join(text) + "\n")
    return load([str(path)])


def test_table_6(thesis: Results) -> None:
    table = improvements(thesis, SPARBIT).droplevel([*PANEL])
    assert set(table["cases"]) == {1344}
    assert table["fastest_in"].tolist() == [721, 624, 513]
    for metric, expected in TABLE_6.items():
        row = table.loc[metric]
        found = [row[f"{name}_percent"] for name in ("fastest_in", "mean", "median", "highest")]
        assert found == pytest.approx(expected, abs=0.006)
        assert (row["near_ties"], row["best_in"]) == (0, row["fastest_in"])


def test_figure_26(thesis: Results) -> None:
    counts = venn.regions(SPARBIT.all_verdicts(thesis))
    found = counts.droplevel([*PANEL])
    assert found["fastest_in"].to_dict() == REGIONS
    assert set(found["cases"]) == {1344}
    assert not found["near_ties"].any()
    shown = texts(venn.draw(thesis, counts, Namespace(contest=SPARBIT)))
    assert {"min: 721", "avg: 624", "max: 513", "any: 746 of 1344 (55.5 %)"} <= set(shown)
    assert {str(count) for count in REGIONS.values()} <= set(shown)


def test_against_sets(thesis: Results) -> None:
    """Ring alone is what all cases are won or lost against; bruck is three times as slow."""
    table = against_sets.against_sets(thesis, SPARBIT, "avg").droplevel([*PANEL])
    lines = {key: (row["fastest_in"], row["cases"]) for key, row in table.iterrows()}
    assert lines["linear-steps", "all"] == (624, 1344)
    assert lines["logarithmic-steps", "all"] == (1344, 1344)
    assert lines["logarithmic-steps", "to 1K"] == (64 * 11, 64 * 11)
    assert lines["logarithmic-steps", "over 1K"] == (64 * 10, 64 * 10)
    assert lines["linear-steps", "to 1K"][0] + lines["linear-steps", "over 1K"][0] == 624
    assert "library" not in table.index.unique("against"), "it has no algorithm here"


def test_named_baselines(thesis: Results, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(thesis.launches[0].path)
    table = ["table", path, "--algorithm", "sparbit", "--statistic", "mean"]
    shares = []
    for against in ("linear-steps", "logarithmic-steps", "bruck,linear-steps"):
        assert main([*table, "--ranks", "1", "--versus", against, "--format", "csv"]) == 0
        found = pd.read_csv(StringIO(capsys.readouterr().out))
        shares.append(found.iloc[1]["fastest_in"])
    assert shares[1] == 21
    assert shares[0] == shares[2]
    assert main(["table", path, "--versus", "linear"]) == 2
    assert "linear-steps" in capsys.readouterr().err
    assert main(["table", path, "--versus", "library"]) == 2


def test_united_mappings(write: Write, rows: Rows) -> None:
    """Each algorithm has the better mapping: sparbit 10, ring 8; size 2 has one mapping alone."""
    cyclic = "allgather,{},regular,none,cyclic"
    case = [*rows("sparbit", [10] * 6), *rows("ring", [20] * 6)]
    other = [*rows("sparbit", [30] * 6, place=cyclic), *rows("ring", [8] * 6, place=cyclic)]
    alone = [*rows("sparbit", [5] * 6, size=2), *rows("ring", [10] * 6, size=2)]
    results = load([str(write("a.csv", case, other, alone))])
    verdicts = Contest("sparbit", ["ring"], "mean", united=True).verdicts(results, "avg")
    assert set(verdicts.index.get_level_values("mapping")) == {UNITED}
    assert verdicts["compared"].tolist() == [True, False]
    first, second = (row for _, row in verdicts.iterrows())
    assert (first["chosen_us"], first["rival_us"], first["clear"]) == (10, 8, False)
    assert (first["fastest"], first["of_mapping"]) == ("ring", "cyclic")
    assert second[["chosen_us", "rival_us", "fastest"]].isna().all()


def test_mappings_of_a_sweep_are_united(write: Write, rows: Rows) -> None:
    """Sequential launches fill few machines, cyclic ones all: one case all the same. Sparbit wins
    2 cases under sequential mapping, and 1 of them with both (Loch 2021, 6.2.5: retained)."""
    cyclic = "allgather,{},regular,none,cyclic"
    for size, other in ((1, 8), (2, 15), (4, 3)):
        for name, us in (("sparbit", 10), ("ring", 20 if size < 4 else 5)):
            write(f"s/{size}{name}.csv", rows(name, [us] * 6, size=size, nodes=3), nodes="3")
        for name, us in (("sparbit", 30), ("ring", other)):
            filled = rows(name, [us] * 6, size=size, nodes=16, place=cyclic)
            write(f"s/c{size}{name}.csv", filled, nodes="16", placement="cyclic")
    results = load([str(write("s/1ring.csv", rows("ring", [20] * 6, nodes=3), nodes="3").parent)])
    assert set(results.rows["setting"]) == {""}
    table = improvements(results, Contest("sparbit", ["ring"], "mean", united=True))
    row = table.xs("avg", level="metric").iloc[0]
    assert (row["cases"], row["fastest_in"], row["retained_percent"]) == (3, 1, 50)
    apart = improvements(results, Contest("sparbit", ["ring"], "mean"))
    counts = apart.xs("avg", level="metric").droplevel(["setting", "collective", "distribution"])
    assert counts["cases"].tolist() == [3, 3] and "retained_percent" not in counts


def test_uniting_takes_several_mappings(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    one = write("a.csv", [*rows("sparbit", [1]), *rows("ring", [1])])
    assert main(["table", str(one), "--united"]) == 2
    assert "--united: only one mapping has times here, sequential" in capsys.readouterr().err
    cyclic = "allgather,{},regular,none,cyclic"
    more = write("b.csv", rows("ring", [1], size=2, place=cyclic))
    assert main(["table", str(one), str(more), "--united"]) == 2
    said = capsys.readouterr().err
    assert "--united: no case has times under each of cyclic, sequential" in said
    whole = write("c.csv", rows("ring", [1], place=cyclic))
    assert main(["table", str(one), str(more), str(whole), "--united"]) == 0
    assert "1 case was not measured under each of cyclic, sequential" in capsys.readouterr().err


def test_loch2021_is_another_set_for_allgatherv(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    """His chapter 7 has no recursive doubling there, which is the fastest in this file."""
    times = {"recursive_doubling": 1, "sparbit": 2, "ring": 4}
    cases = [
        [line for name, us in times.items() for line in rows(name, [us] * 6, place=place)]
        for place in ("allgather,{},regular,none,cyclic", "allgatherv,{},spike,none,cyclic")
    ]
    path = str(write("a.csv", *cases))
    table = ["table", path, "--algorithm", "sparbit"]
    assert main([*table, "--versus", "loch2021", "--format", "csv"]) == 0
    found = pd.read_csv(StringIO(capsys.readouterr().out))
    won = dict(zip(found["collective"], found["fastest_in"], strict=True))
    assert won == {"allgather": 0, "allgatherv": 1}
    assert main([*table, "--format", "csv"]) == 0
    assert set(pd.read_csv(StringIO(capsys.readouterr().out))["fastest_in"]) == {0}


def test_each_set_leaves_out_what_it_does(write: Write, rows: Rows) -> None:
    """Recursive doubling, the fastest here, is not in his set for allgatherv, but in another."""
    times = {"recursive_doubling": 1, "sparbit": 2, "ring": 4}
    places = ("allgather,{},regular,none,cyclic", "allgatherv,{},spike,none,cyclic")
    cases = [
        [line for name, us in times.items() for line in rows(name, [us] * 6, place=place)]
        for place in places
    ]
    alone = rows("recursive_doubling", [1], place="allgatherv,{},linear,none,cyclic")
    results = load([str(write("a.csv", *cases, alone))])
    contest = Contest("sparbit", ["recursive_doubling", "ring"], "mean")
    table = against_sets.against_sets(results, contest, "avg").xs("all", level="sizes")
    counts = table.reset_index().set_index(["collective", "distribution", "against"])
    won = counts["fastest_in"].to_dict()
    assert won["allgather", "regular", "loch2021"] == 0
    assert won["allgatherv", "spike", "loch2021"] == 1
    assert won["allgatherv", "spike", "logarithmic-steps"] == 0
    assert ("allgatherv", "linear", "loch2021") not in won, "it has no case there"
    found = loch2021.numbers(results).set_index(["what", "collective"])["cases"]
    by_both, area = dict.fromkeys(found.index.get_level_values("what"))
    assert found[by_both].to_dict() == {"allgatherv": 1}
    assert found[area].to_dict() == {"allgather": 1}, "the cases of recursive doubling"


def test_a_set_leaves_out_others_only(write: Write, rows: Rows) -> None:
    """bruck is another algorithm in an all-to-all, so loch2021 leaves it out there."""
    place, times = "alltoall,{},regular,none,sequential", {"bruck": 1.0, "ring": 2.0, "linear": 3.0}
    case = [line for name, us in times.items() for line in rows(name, [us] * 8, place=place)]
    results = load([str(write("a.csv", case))])
    for chosen, won in (("bruck", 1), ("linear", 0)):
        contest = Contest(chosen, [name for name in times if name != chosen], "mean")
        table = against_sets.against_sets(results, contest, "avg").droplevel([*PANEL])
        lines = {key: (row["fastest_in"], row["cases"]) for key, row in table.iterrows()}
        assert lines["loch2021", "all"] == (won, 1)


def test_what_is_named_beside_a_set_stays(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    """loch2021 leaves out the bruck of an all-to-all."""
    place, times = "alltoall,{},regular,none,sequential", {"bruck": 1.0, "ring": 2.0, "linear": 3.0}
    case = [line for name, us in times.items() for line in rows(name, [us] * 8, place=place)]
    file = str(write("a.csv", case))
    for chosen, versus, percent in (("bruck", "loch2021", 100), ("ring", "loch2021,bruck", 0)):
        words = ["table", file, "--algorithm", chosen, "--versus", versus, "--format", "csv"]
        assert main(words) == 0
        found = pd.read_csv(StringIO(capsys.readouterr().out))
        assert found["fastest_in_percent"].tolist() == [percent] * 3
    assert main(["times", file, "--algorithms", "loch2021,bruck"]) == 0
    assert "bruck" in capsys.readouterr().out


def test_a_set_that_leaves_out_all(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]
) -> None:
    place = "allgatherv,{},spike,none,cyclic"
    path = str(write("a.csv", rows("recursive_doubling", [1], place=place)))
    assert main(["selection", path, "--algorithms", "loch2021", "-o", "a.png"]) == 2
    assert "no ok rows left after --algorithms loch2021\n" in capsys.readouterr().err
