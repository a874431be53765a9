# SPDX-License-Identifier: BSD-3-Clause
"""Tests and intervals against brute force, hand-worked numbers and planted effects."""

from itertools import combinations, product

import numpy as np
import pytest
import scipy  # its stats only where they are used: they take a second

from agreport.stats import bootstrap, exchanges, permutation
from agreport.stats.arrays import Flags, Floats
from agreport.stats.bootstrap import (
    FEWEST_PAIRS,
    RESAMPLES,
    SEED,
    ratio_interval,
    resampled_medians,
    resamples,
)
from agreport.stats.levene import halves_p
from agreport.stats.permutation import permutation_p
from agreport.stats.runs import runs_p


def series(seed: int, count: int) -> Floats:
    return np.random.default_rng(seed).gamma(2, 10, count)


@pytest.mark.parametrize("paired", [True, False])
def test_identical_samples_are_not_significant(paired: bool) -> None:
    times = series(1, 64)
    assert permutation_p(times, times, paired, 20_000) == 1


@pytest.mark.parametrize("paired", [True, False])
def test_samples_far_apart_are_significant(paired: bool) -> None:
    p = permutation_p(series(1, 64), 3 * series(1, 64), paired, 20_000)
    assert p <= 0.001
    assert permutation_p(3 * series(1, 64), series(1, 64), paired, 20_000) == p


@pytest.mark.slow
def test_pairs_show_what_the_arrival_times_hide() -> None:
    times = series(2, 201)
    slower = times * 1.1
    assert permutation_p(times, slower, True, 20_000) <= 0.001
    assert permutation_p(times, slower, False, 20_000) > 0.05


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.03])
def test_a_coarse_clock_hides_no_difference(paired: bool, noise: float) -> None:
    """The times are 200 and 236 us, in steps of 10 us: most permutations have the very ratio of
    medians."""
    random = np.random.default_rng(4)
    times = random.normal(1, noise, (2, 20)) * [[200], [236]]
    one, other = 10 * np.round(times / 10)
    assert permutation_p(one, other, paired, 20_000) <= 0.001
    assert permutation_p(other, one, paired, 20_000) <= 0.001
    assert permutation_p(one, one[::-1].copy(), paired, 20_000) == 1


def test_the_least_p_of_pairs_is_that_of_their_signs() -> None:
    """Two of 32 exchanges are as extreme, if five pairs are all alike."""
    p = permutation_p(np.full(5, 1.0), np.full(5, 3.5), True, 20_000)
    assert p == pytest.approx(2 / 32, abs=0.01)


def apart(one: list[float], other: list[float]) -> tuple[float, float]:
    """Sorts by the ratio of medians, then by the mean rank."""
    ranks = scipy.stats.rankdata([*one, *other])[: len(one)]
    expected = len(one) * (len(one) + len(other) + 1) / 2
    of_medians = abs(float(np.log(np.median(one) / np.median(other))))
    return round(of_medians, 9), abs(float(ranks.sum() - expected))


def test_paired_against_all_exchanges() -> None:
    one, other = [3.0, 5, 9, 2, 7, 8], [4.0, 8, 9, 5, 6, 20]
    everything = [
        apart(
            [b if swap else a for a, b, swap in zip(one, other, swaps, strict=True)],
            [a if swap else b for a, b, swap in zip(one, other, swaps, strict=True)],
        )
        for swaps in product([False, True], repeat=6)
    ]
    exact = np.mean([each >= apart(one, other) for each in everything])
    found = permutation_p(np.array(one), np.array(other), True, 20_000)
    assert found == pytest.approx(exact, abs=0.015)


def test_unpaired_against_all_permutations() -> None:
    one, other = [3.0, 5, 9, 2, 11], [4.0, 8, 9.5, 15]
    pool = [*one, *other]
    everything = [
        apart([pool[i] for i in chosen], [pool[i] for i in range(9) if i not in chosen])
        for chosen in combinations(range(9), 5)
    ]
    exact = np.mean([each >= apart(one, other) for each in everything])
    found = permutation_p(np.array(one), np.array(other), False, 20_000)
    assert found == pytest.approx(exact, abs=0.015)


def test_parts_give_what_the_whole_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matrix too large for memory is made in parts."""
    one, other = series(1, 50), series(2, 50) * 1.2
    whole = permutation_p(one, other, True, 20_000), ratio_interval(other, one)
    for module in (bootstrap, permutation):
        monkeypatch.setattr(module, "MOST_CELLS", 10_000)
    parts = permutation_p(one, other, True, 20_000), ratio_interval(other, one)
    assert parts[0] == pytest.approx(whole[0], abs=0.01)
    assert parts[1] == pytest.approx(whole[1], abs=0.03)
    assert sum(len(part) for part in resamples(50)) == RESAMPLES


def test_no_test_without_times() -> None:
    nothing, times = np.array([]), series(1, 5)
    for one, other in ((nothing, times), (times, nothing), (np.zeros(5), times)):
        assert np.isnan(permutation_p(one, other, False, 1000))


@pytest.mark.parametrize("count", [1, 2, 9, 10, 99, 100])
def test_medians_of_resamples_have_the_distribution_of_drawn_ones(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bootstrap, "RESAMPLES", 20_000)
    times = series(3, count)
    drawn = times[np.random.default_rng(9).integers(count, size=(20_000, count))]
    found = resampled_medians(times)
    assert distance(found, np.median(drawn, axis=1)) < KS_LIMIT
    assert distance(resampled_medians(2 * times), 2 * found) == 0


KS_LIMIT = 1.95 * (2 / 20_000) ** 0.5  # two samples of 20 000 from one distribution: p = 0.001


def distance(one: Floats, other: Floats) -> float:
    """Kolmogorov and Smirnov's: the widest gap between the two distributions."""
    values = np.concatenate([one, other])
    shares = (np.searchsorted(np.sort(x), values, side="right") / len(x) for x in (one, other))
    return float(np.abs(np.subtract(*shares)).max())


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("half", [2.5, 0.3, 0.02])
@pytest.mark.parametrize("counts", [(60, 60), (61, 61), (40, 75)])
def test_windows_draw_what_whole_permutations_are(
    paired: bool, half: float, counts: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The medians, and the rank sums, are distributed as in permutations drawn as a whole; in a
    narrow window many of the medians lie outside."""
    monkeypatch.setattr(exchanges, "HALF", half)
    first, second = (counts[0], counts[0]) if paired else counts
    one, other = series(1, first), series(2, second) * 1.1
    order = np.argsort(np.concatenate([one, other]))
    random, rows = np.random.default_rng(3), 20_000
    window = exchanges.Window.of(first, second)
    drawn: exchanges.Exchanges = (
        exchanges.OfPairs(random, rows, order, window)
        if paired
        else exchanges.OfAll(random, rows, first + second, first, window)
    )
    flags = drawn.whole(random, np.arange(rows))
    assert (flags.sum(axis=1) == first).all()
    assert (flags[:, : window.first].sum(axis=1) == drawn.before).all()
    assert (flags[:, window.first : window.end] == drawn.inside).all()
    if paired:
        swap = permutation.draw_swaps(random, rows, first)
        naive = swap[:, order % first] ^ (order < first)
        mates = np.argsort(order).reshape(2, first)
        assert (flags[:, mates[0]] != flags[:, mates[1]]).all()
    else:
        naive = permutation.draw_subsets(random, rows, first + second, first)
    ordered = np.concatenate([one, other])[order]
    places = np.arange(first + second, dtype=np.float64)
    for found, expected in (
        (medians_of(ordered, flags), medians_of(ordered, naive)),
        (flags @ places, naive @ places),
        (flags[:, :30] @ np.ones(30), naive[:, :30] @ np.ones(30)),
    ):
        assert distance(found, expected) < KS_LIMIT


def medians_of(ordered: Floats, flags: Flags) -> Floats:
    taken = ordered[np.nonzero(flags)[1]].reshape(len(flags), -1)
    found: Floats = np.median(taken, axis=1)
    return found


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("step", [0.001, 5.0])
def test_a_narrow_window_gives_the_p_of_a_whole_one(
    paired: bool, step: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """step: of the clock; a coarse one makes most ratios equal."""
    one, other = (step * np.ceil(series(n, 201) * n**0.1 / step) for n in (1, 2))
    found = []
    for half in (1000, 2.5, 0.3, 0.02):
        monkeypatch.setattr(exchanges, "HALF", half)
        found.append(permutation_p(one, other, paired, 20_000))
    assert 0.02 < found[0] < 0.98
    assert found == pytest.approx([found[0]] * 4, abs=0.015)


def test_a_planted_ratio_is_in_its_interval() -> None:
    times = series(4, 200)
    noise = np.random.default_rng(5).normal(1, 0.05, 200)
    low, high = ratio_interval(1.2 * times * noise, times)
    assert 1.17 < low < 1.2 < high < 1.23
    assert ratio_interval(1.2 * times, times) == pytest.approx((1.2, 1.2))
    assert ratio_interval(times, times) == (1, 1)


def test_intervals_are_as_wide_as_they_say() -> None:
    """About 10 of 200 samples with no difference have an interval without 1."""
    random = np.random.default_rng(6)
    sure = 0
    for _ in range(200):
        base = random.gamma(2, 10, 50)
        one, other = (base * random.normal(1, 0.1, 50) for _ in range(2))
        low, high = ratio_interval(one, other)
        sure += low > 1 or high < 1
    assert 2 <= sure <= 24


def test_bootstrap_is_that_of_scipy() -> None:
    one, other = series(4, 60), series(5, 60)
    found = scipy.stats.bootstrap(
        (one, other),
        lambda x, y, axis: x.mean(axis) / y.mean(axis),
        paired=True,
        n_resamples=RESAMPLES,
        method="percentile",
        random_state=SEED,  # newer releases have `rng` beside it
    ).confidence_interval
    assert ratio_interval(one, other) == pytest.approx((found.low, found.high), rel=0.03)


def test_too_few_pairs_have_no_interval() -> None:
    times = series(1, FEWEST_PAIRS - 1)
    assert np.isnan(ratio_interval(times, 2 * times)).all()


def test_runs() -> None:
    # 20 runs of 10 and 10: expected 11, variance 200 * 180 / (400 * 19); z = 9 / 2.1764.
    assert runs_p(np.tile([1.0, 2.0], 10)) == pytest.approx(3.546e-5, rel=1e-3)
    # 2 runs: z = -9 / 2.1764, as likely.
    assert runs_p(np.repeat([1.0, 2.0], 10)) == pytest.approx(3.546e-5, rel=1e-3)
    assert runs_p(series(7, 200)) > 0.05
    assert np.isnan(runs_p(np.tile([1.0, 2.0], 9)))
    assert np.isnan(runs_p(np.full(100, 3.0))), "all are the median"


def test_halves() -> None:
    steady = series(8, 200)
    assert halves_p(steady) > 0.05
    assert halves_p(steady * np.repeat([1, 5], 100)) < 0.001
    assert np.isnan(halves_p(steady[:19]))
    assert np.isnan(halves_p(np.full(100, 3.0)))
