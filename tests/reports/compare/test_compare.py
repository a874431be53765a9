# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare: the numbers against those by hand and by scipy, and what must not matter."""

from collections.abc import Callable
from math import exp, log
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy  # its stats only where they are used: they take a second

from agreport.compare.verdicts import REGRESSION, conclude, judge_cases, mark_open
from agreport.main import main
from agreport.stats.arrays import Flags, Floats
from agreport.stats.moderated_t import (
    LEAST_PRIOR,
    MOST_PRIOR,
    invert_trigamma,
    median_of_chi_square,
    shrink,
)
from agreport.stats.multiple_tests import ALPHA, Significance, assess
from agreport.stats.permutation import permute_labels
from agreport.stats.trimmed_mean import TRIMMED, locate_trimmed
from agreport.stats.units import Units
from shared.checksums import checksummed

from ..conftest import lines
from ..support import fake_launches
from ..support.compared import compared, noise

THRESHOLD = log(1.05)


def one_group(values: Floats) -> "np.typing.NDArray[np.int64]":
    return np.zeros(values.shape[1], np.int64)


def assessed(values: Floats, new: Flags | None = None) -> Significance:
    return assess(Units(values, new), one_group(values))


def called(values: Floats, new: Flags | None = None) -> list[str]:
    return judge_cases(assessed(values, new), THRESHOLD)["verdict"].tolist()


def test_every_permutation_once() -> None:
    pairs = permute_labels(4)
    assert len(pairs) == len(np.unique(pairs, axis=0)) == 16
    assert (pairs[0] == 1).all(), "the first is what was observed"
    new = np.array([False, True, True, False, False])
    launches = permute_labels(5, new)
    assert len(launches) == len(np.unique(launches, axis=0)) == 10
    assert ((launches > 0).sum(axis=1) == 2).all()
    assert (launches[0] == np.where(new, 1, -1)).all()


@pytest.mark.parametrize("count", [12, 40])
def test_with_as_many_launches_on_both_sides_permutations_mirror_each_other(count: int) -> None:
    new = np.arange(count) % 2 == 0
    one, other = (permute_labels(count, side) for side in (new, ~new))
    assert (one.sum(axis=1) == 0).all()
    assert {tuple(row) for row in one} == {tuple(-row) for row in one}
    assert {tuple(row) for row in one} == {tuple(row) for row in other}


def test_a_case_alone_is_a_t_statistic() -> None:
    """The statistic is of a trimmed mean, with the Winsorised variance."""
    values = np.array([[0.1], [0.3], [0.2], [0.25], [0.05], [0.15], [0.2], [0.1]])
    found = assessed(values)
    trimmed = scipy.stats.trim_mean(values[:, 0], 0.125)
    winsorised = np.clip(values, 0.1, 0.25).std(ddof=1) * np.sqrt(7 / (6 * 5))
    total = found.observed.total
    assert total.change[0] == pytest.approx(trimmed)
    assert total.error[0] == pytest.approx(winsorised)
    p = scipy.stats.t.sf(trimmed / winsorised, 5)
    assert found.slower.family == pytest.approx(p) == found.slower.cases[0]
    assert found.faster.family == pytest.approx(1 - p)
    case = judge_cases(found, THRESHOLD).iloc[0]
    assert case["change"] == pytest.approx(trimmed)
    assert case["low"] == pytest.approx(trimmed - scipy.stats.t.ppf(0.975, 5) * winsorised)
    assert case["verdict"] == REGRESSION


def test_the_family_is_corrected_by_bonferroni() -> None:
    random = np.random.default_rng(18)
    values = 0.02 * noise(random, 10, 12)
    values[:, 4] += 0.2
    found = assessed(values)
    each = (found.observed.total, found.observed.own)
    t, degrees = (np.concatenate([getattr(one, key) for one in each]) for key in ("t", "degrees"))
    expected = 24 * scipy.stats.t.sf(t, degrees).min()
    assert found.slower.family == pytest.approx(expected)
    assert t.argmax() in (4, 16), "total or own of the slower case"


@pytest.mark.parametrize("sides", [(3, 4), (8, 20)])
def test_two_sides_have_variances_of_their_own(sides: tuple[int, int]) -> None:
    """scipy has the same: Welch's test, and Yuen's of trimmed means; of fewer than 8 nothing is
    cut."""
    random = np.random.default_rng(8)
    base, other = (np.exp(noise(random, count, 1)[:, 0]) for count in sides)
    new = np.arange(sum(sides)) >= sides[0]
    total = assessed(np.concatenate([base, other])[:, np.newaxis], new).observed.total
    cut = TRIMMED if sides[0] >= 8 else 0.0
    expected = scipy.stats.ttest_ind(other, base, equal_var=False, trim=cut)
    assert total.t[0] == pytest.approx(expected.statistic)
    assert total.degrees[0] == pytest.approx(expected.df)


def test_gaps_are_left_out_before_anything_is_trimmed() -> None:
    random = np.random.default_rng(11)
    values = noise(random, 3, 12)
    gaps = values.copy()
    gaps[0, [2, 7]] = gaps[1, 5:] = np.nan
    found = locate_trimmed(gaps)
    known = [row[~np.isnan(row)] for row in gaps]
    for place, row in enumerate(known):
        alone = locate_trimmed(row)
        assert found.value[place] == pytest.approx(alone.value)
        assert found.variance[place] == pytest.approx(alone.variance)
    assert found.value[1] == pytest.approx(known[1].mean()), "of 5 values none is left out"


def test_few_pairs_are_judged_by_students_t() -> None:
    values = np.array([[0.69], [0.70], [0.71]])
    found = assessed(values)
    statistic = values.mean() / (values.std(ddof=1) / np.sqrt(3))
    assert found.slower.family == pytest.approx(scipy.stats.t.sf(statistic, 2))
    assert called(values) == [REGRESSION]
    assert called(np.array([[0.1], [0.4], [0.2]])) == ["unclear"]


@pytest.mark.parametrize("prior", [2.0, 4.0])
def test_the_prior_is_estimated_as_smyth_has_it(prior: float) -> None:
    """Variances of noise whose own variance is scaled inverse chi-square."""
    random = np.random.default_rng(12)
    noise_of = 0.3 * prior / random.chisquare(prior, 4000)
    found = noise_of * random.chisquare(5, 4000) / 5
    variances, degrees = shrink(found, np.full(4000, 5.0))
    weight = degrees.max() - 5
    assert weight == pytest.approx(prior, rel=0.25)
    typical = np.median(found) / median_of_chi_square(5)
    alike = degrees > 5
    assert variances[alike] == pytest.approx((weight * typical + 5 * found[alike]) / (weight + 5))
    assert variances[~alike].tolist() == found[~alike].tolist()


@pytest.mark.parametrize(("pairs", "leans"), [(4, False), (5, True)])
def test_few_pairs_have_their_own_degrees_of_freedom(pairs: int, leans: bool) -> None:
    values = noise(np.random.default_rng(20), pairs, 9)
    assert (assessed(values).observed.total.degrees > pairs - 1).any() == leans


def test_variances_as_alike_as_chance_has_them_weigh_most() -> None:
    random = np.random.default_rng(19)
    assert shrink(random.chisquare(5, 300) / 5, np.full(300, 5.0))[1].max() == 5 + MOST_PRIOR
    uneven = np.exp(3 * random.standard_normal(300))
    assert shrink(uneven, np.full(300, 5.0))[1].max() == 5 + LEAST_PRIOR


def test_a_variance_of_another_kind_is_not_shrunken() -> None:
    variances = np.array([1.0, 1.1, 0.9, 1.0, 1e4, 1e-4])
    found = shrink(variances, np.full(6, 5.0))[0]
    assert found[4:].tolist() == [1e4, 1e-4] and (found[:4] != variances[:4]).all()


@pytest.mark.parametrize("value", [0.1, 1.0, 7.5])
def test_the_inverse_of_trigamma(value: float) -> None:
    assert invert_trigamma(float(scipy.special.polygamma(1, value))) == pytest.approx(value)


def test_a_case_that_some_launches_lack_counts_the_others() -> None:
    values = np.array([[0.1, np.nan], [0.2, 0.3], [0.3, 0.4], [0.2, 0.5]])
    total = assessed(values).observed.total
    assert total.change.tolist() == pytest.approx([0.2, 0.4])


def test_a_bad_launch_in_ten_hides_nothing() -> None:
    """In one pair base was disturbed, in one new; from means neither change would be called."""
    random = np.random.default_rng(9)
    values = 0.025 * noise(random, 10, 20)
    bad = np.zeros((10, 1))
    bad[[1, 6], 0] = [log(0.5), log(3)]
    one = values.copy()
    one[:, 3] += log(1.1) + bad[:, 0]
    assert called(one)[3] == REGRESSION
    assert called(values + log(1.1) + bad).count(REGRESSION) >= 19


@pytest.mark.slow
def test_a_noisier_smaller_side_is_not_slower() -> None:
    """20 launches with a spread of 0.05, 5 with one of 0.1."""
    random = np.random.default_rng(10)
    new = np.arange(25) >= 20
    spread = np.where(new, 0.1, 0.05)[:, np.newaxis]
    alarms = sum(REGRESSION in called(spread * noise(random, 25, 20), new) for _ in range(25))
    assert alarms <= 1, "with a pooled variance about 6 of 40"


def test_a_slow_case_is_found_although_launches_shift() -> None:
    """Launches differ by 20 %; one case of fifty is 15 % slower."""
    random = np.random.default_rng(1)
    values = 0.2 * noise(random, 10, 1) + 0.02 * noise(random, 10, 50)
    values -= values.mean(axis=0)  # so that the intervals are about the truth
    values[:, 7] += log(1.15)
    found = assessed(values)
    assert found.slower.family <= ALPHA
    assert np.nanargmin(found.slower.cases) == 7


@pytest.mark.slow
@pytest.mark.parametrize("shared", [0.0, 0.7])
def test_no_more_alarms_than_promised(shared: float) -> None:
    random = np.random.default_rng(5)
    alarms = 0
    for _ in range(100):
        values = 0.07 * (
            np.sqrt(shared) * noise(random, 9, 1) + np.sqrt(1 - shared) * noise(random, 9, 12)
        )
        alarms += REGRESSION in called(values)
    assert alarms <= 2, "1 of 200 is what is promised; more than 2 of 100 come once in 70 times"


@pytest.mark.slow
def test_ten_pairs_find_ten_percent() -> None:
    random = np.random.default_rng(6)
    found = {"one": 0, "all": 0, "alone": 0}
    for _ in range(12):
        values = 0.03 * (noise(random, 10, 1) + noise(random, 10, 20))
        one = values.copy()
        one[:, 3] += log(1.1)
        found["one"] += called(one)[3] == REGRESSION
        found["all"] += REGRESSION in called(values + log(1.1))
        launches = 0.3 * noise(random, 20, 20)
        new = np.arange(20) < 10
        launches[new] += log(1.1)
        found["alone"] += REGRESSION in called(launches, new)
    assert found["one"] >= 11 and found["all"] >= 11
    assert found["alone"] <= 6, "without pairs it takes more launches"


@pytest.mark.parametrize(
    ("verdict", "detectable", "some", "every"),
    [
        ("no change", [0.01, 0.04, 9.0], "no regression", "inconclusive"),
        ("no change", [0.01, 0.06, 0.09], "no regression", "no regression"),
        ("unclear", [0.01, 0.11, np.inf], "no regression", "inconclusive"),
        ("unclear", [0.2, 0.11, np.inf], "inconclusive", "inconclusive"),
        ("unclear", [0.01, np.nan, np.nan], "no regression", "inconclusive"),
        ("unclear", [np.nan] * 3, "inconclusive", "inconclusive"),
        ("no change", [np.nan] * 3, "no regression", "no regression"),  # always the same times
        ("too few launches", [np.nan] * 3, "too few launches", "too few launches"),
        ("improvement", [9.0] * 3, "improvement", "inconclusive"),
        ("regression", [9.0] * 3, "regression", "regression"),
    ],
)
def test_what_is_not_called_must_have_been_detectable(
    verdict: str, detectable: list[float], some: str, every: str
) -> None:
    cases = mark_open(pd.DataFrame({"verdict": verdict, "detectable": detectable}), 0.1)
    others = pd.Series([""])
    assert conclude(cases, others, 0.1, every=False, incomplete=False) == some
    assert conclude(cases, others, 0.1, every=True, incomplete=False) == every
    kept = some if some in ("regression", "too few launches") else "inconclusive"
    assert conclude(cases, others, 0.1, every=False, incomplete=True) == kept


@pytest.fixture
def sides(tmp_path: Path) -> Callable[..., tuple[list[str], list[str]]]:
    """Ten pairs of twelve cases; the fourth is 30 % slower, the fifth 30 % faster."""

    def make(key: str = "duet_pair", **metadata: str) -> tuple[list[str], list[str]]:
        random = np.random.default_rng(2)
        base = 0.3 * noise(random, 10, 1) + np.zeros((10, 12))
        change = 0.02 * (noise(random, 10, 1) + noise(random, 10, 12))
        base -= change / 2  # or all of the noise would be of one side
        change[:, 3] += log(1.3)
        change[:, 4] -= log(1.3)
        return (
            fake_launches.side(tmp_path / "base", base, key),
            fake_launches.side(tmp_path / "new", base + change, key, **metadata),
        )

    return make


@pytest.mark.slow
@pytest.mark.parametrize("key", ["duet_pair", "note__pair"])
def test_pairs(sides: Callable[..., tuple[list[str], list[str]]], key: str) -> None:
    found = compared(*sides(key))
    assert found["compared_by"] == ("duets" if key == "duet_pair" else "alternated launches")
    verdicts = {case["bytes"]: case["verdict"] for case in found["cases"]}
    assert verdicts.pop(8) == "regression"
    assert verdicts.pop(16) == "improvement"
    assert set(verdicts.values()) <= {"no change", "unclear"}
    assert found["verdict"] == "regression" and found["exit_code"] == 1


@pytest.mark.slow
def test_without_pairs_the_same_launches_tell_nothing(
    sides: Callable[..., tuple[list[str], list[str]]],
) -> None:
    found = compared(*sides(""))
    assert found["compared_by"] == "launches"
    assert (found["verdict"], found["exit_code"]) == ("inconclusive", 2)
    assert found["power"]["more_for_goal_in_half"] > 100


@pytest.mark.slow
def test_exchanged_sides_invert_the_ratios(
    sides: Callable[..., tuple[list[str], list[str]]],
) -> None:
    for key in ("duet_pair", ""):
        base, new = sides(key)
        one, other = compared(base, new)["cases"], compared(new, base)["cases"]
        opposite = {"regression": "improvement", "improvement": "regression"}
        for a, b in zip(one, other, strict=True):
            assert 1 + a["change_percent"] / 100 == pytest.approx(
                1 / (1 + b["change_percent"] / 100)
            )
            assert 1 + a["low_percent"] / 100 == pytest.approx(1 / (1 + b["high_percent"] / 100))
            assert a["p_slower"] == pytest.approx(b["p_faster"])
            assert b["verdict"] == opposite.get(a["verdict"], a["verdict"])


@pytest.mark.slow
def test_neither_scale_nor_order_matters(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    base = 0.1 * noise(random, 9, 11)
    new = base + 0.03 * noise(random, 9, 11) + np.where(np.arange(11) == 5, 0.2, 0)
    results = {}
    for name, order, shift in (
        ("as they are", np.arange(9), 0.0),
        ("scaled", np.arange(9), log(7)),
        ("in another order", random.permutation(9), 0.0),
    ):
        folder = tmp_path / name
        sides = {"base": base, "new": new}
        files = {
            name: fake_launches.side(folder / name, values[order] + shift, "note__pair")
            for name, values in sides.items()
        }
        results[name] = [
            (case["verdict"], pytest.approx(case["change_percent"], rel=1e-6, abs=1e-9))
            for case in compared(**files)["cases"]
        ]
    assert results["scaled"] == results["as they are"] == results["in another order"]


@pytest.mark.slow
def test_the_order_of_cases_does_not_matter() -> None:
    random = np.random.default_rng(4)
    values = 0.05 * noise(random, 10, 40)
    values[:, :4] += 0.15
    order = random.permutation(40)
    found = called(values)
    assert called(values[:, order]) == [found[place] for place in order]


@pytest.mark.slow
def test_rounds_of_duets_are_compared_one_by_one(tmp_path: Path) -> None:
    """Drift that both sides of a duet see cancels in each round, though not in the medians."""
    files: dict[str, list[str]] = {"base": [], "new": []}
    for number in range(8):
        for side, times in (("base", [1, 8, 2, 4, 64]), ("new", [2, 16, 1, 1, 128])):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(
                path, {("ring", 1): [10.0 * t for t in times]}, duet_pair=f"p{number}"
            )
            files[side].append(str(path))
    case = compared(files["base"], files["new"])["cases"][0]
    assert case["change_percent"] == pytest.approx(100), "of 2, 2, 1/2, 1/4 and 2"
    assert (case["base_us"], case["new_us"]) == (pytest.approx(40), pytest.approx(20))


@pytest.mark.slow
def test_one_launch_a_side_has_no_verdict_unless_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(7)
    names = []
    for name, factor in (("a.csv", 1.0), ("b.csv", 1.5)):
        times = {("ring", 8): list(100 * factor * np.exp(0.05 * noise(random, 40, 1)[:, 0]))}
        names.append(str(fake_launches.launch(tmp_path / name, times)))
    assert main(["compare", "--baseline", names[0], "--new", names[1]]) == 2
    said = capsys.readouterr()
    assert "no verdict: too few launches" in said.err and said.err.count("\n") == 1
    assert "verdict: too few launches" in said.out
    arguments = ["compare", "--baseline", names[0], "--new", names[1], "--allow", "single-launch"]
    assert main(arguments) == 1
    assert "by iterations" in capsys.readouterr().out
    assert main(["compare", "--baseline", names[1], "--new", names[0], *arguments[-2:]]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("key", ["duet_pair", "note__pair"])
def test_times_of_launches_without_a_partner_are_left_out(
    sides: Callable[..., tuple[list[str], list[str]]], tmp_path: Path, key: str
) -> None:
    """They are 5 times as slow, one has a time of 0 and one a wrong result."""
    (base,), (new,) = sides(key)
    before = compared([base], [new], "--metric", "min")
    slow = {("ring", 2**case): [5000.0] * 40 for case in range(12)}
    for number in range(9):
        fake_launches.launch(tmp_path / "base" / f"more{number}.csv", slow)
    fake_launches.launch(tmp_path / "base" / "zero.csv", {("ring", 4): [1.0] * 3}, mpi="another")
    wrong = fake_launches.launch(tmp_path / "base" / "wrong.csv", {("ring", 8): [5000.0]})
    add_wrong(wrong, 16)
    after = compared([base], [new], "--metric", "min")
    warned = [each for each in after["warnings"] if each not in before["warnings"]]
    assert len(warned) == 1 and warned[0].startswith("Launches without a partner are left out: 11")
    assert {**after, "warnings": before["warnings"]} == before


@pytest.mark.slow
def test_what_only_launches_without_a_partner_have_is_named(
    sides: Callable[..., tuple[list[str], list[str]]], tmp_path: Path
) -> None:
    (base,), (new,) = sides()
    fake_launches.launch(tmp_path / "base" / "more.csv", {("ring", 2**20): [5.0]})
    found = compared([base], [new], "--bytes", "1,1048576")
    assert [(case["bytes"], case["why"]) for case in found["not_compared"]] == [
        (2**20, "only in base")
    ]
    assert found["exit_code"] == 2
    more = fake_launches.launch(tmp_path / "new" / "more.csv", {("ring", 1): [5000.0]})
    add_wrong(more, 2)
    found = compared([base], [new], "--bytes", "1,2", "--allow", "missing")
    assert (found["verdict"], found["exit_code"]) == ("wrong result", 1)
    assert found["cases"][0]["new_us"] < 4000, "its times are left out all the same"


def add_wrong(path: Path, size: int) -> None:
    row = lines("ring", size=size, status="wrong", reason="byte 0")[0]
    path.write_text(checksummed(f"{path.read_text()}{row}\n#@case_end=99\n"))


def test_times_are_medians_of_launches(tmp_path: Path) -> None:
    names = [
        str(fake_launches.launch(tmp_path / f"{n}.csv", {("ring", 1): [10.0, 20.0 * n, 90.0]}))
        for n in (1, 2)
    ]
    case = compared([names[0]], [names[1]])["cases"][0]
    assert case["base_us"] == pytest.approx(20) and case["new_us"] == pytest.approx(40)
    assert case["change_percent"] == pytest.approx(100 * (exp(log(2)) - 1))
