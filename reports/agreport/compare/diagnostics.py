# SPDX-License-Identifier: BSD-3-Clause
"""Says what weakens a comparison, as sentences that say what to do."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.diagnostics.caveats import FEWEST_ITERATIONS, find_oversubscribed
from agreport.stats.states import COUNTS, LEAST_SHARE, find_machines, states_of_samples
from agreport.stats.trimmed_mean import FEWEST_TO_TRIM
from agreport.stats.units import Units, count_fewest

from .comparability import find_library_barriers
from .sides import DUETS, LAUNCHES, Pairing, Sides, find_varied, name_case
from .turns import count_untold, find_orders
from .verdicts import IMPROVEMENT, REGRESSION

LEAST_ORDER_PERCENT = 1.0  # the least effect that is worth a line


def find_diagnostics(
    sides: Sides, pairing: Pairing, units: Units, metric: str, alone: bool, single: bool
) -> list[str]:
    return [
        *find_few_launches(units, alone, single),
        *find_pooled(sides),
        *find_unpaired(pairing),
        *find_untold_orders(sides, pairing),
        *find_order_effect(units),
        *find_library_barriers(sides),
        *find_oversubscribed(sides.launches),
        *find_states(sides, metric),
        *find_few_iterations(sides),
    ]


def find_few_launches(units: Units, alone: bool, single: bool) -> Iterator[str]:
    if alone:
        yield (
            "One launch a side: what differs between launches is not in the numbers. "
            + (
                "The verdict is by iterations (--allow single-launch) and will often be wrong."
                if single
                else "There is no verdict; repeat the launches, or --allow single-launch."
            )
        )
    elif len(units.values.T) and count_fewest(units).max() < FEWEST_TO_TRIM:
        yield (
            f"Few launches: from {FEWEST_TO_TRIM} pairs on, or {FEWEST_TO_TRIM} launches a side, a "
            "fifth is left out at each end, so that a disturbed launch hides nothing; of fewer all "
            "are taken, and their noise for normal."
        )


def find_pooled(sides: Sides) -> Iterator[str]:
    if keys := sides.results.pooled:
        yield (
            f"Launches of one side differ in {', '.join(keys)} and are taken together all the same "
            "(--allow), so what that changes is in the comparison."
        )


def find_unpaired(pairing: Pairing) -> Iterator[str]:
    if pairing.alone:
        names = ", ".join(map(str, pairing.alone[:3]))
        more = ", ..." if len(pairing.alone) > 3 else ""
        yield f"Launches without a partner are left out: {len(pairing.alone)} ({names}{more})."
    if pairing.kind == LAUNCHES:
        yield (
            "Launches without pairs: what changed on the machine between the sides is in the "
            "comparison, and changes that pairs would show are lost in the noise. "
            "Run both sides in turn (--note pair=...) or at the same time (--duet)."
        )


def find_untold_orders(sides: Sides, pairing: Pairing) -> Iterator[str]:
    """Yields what to know of the order of launches: how many do not say when they began, and
    which side began the rounds of every duet, if one did."""
    if untold := count_untold(sides, pairing):
        yield (
            f"Launches that do not say when they began: {untold}. If one side ran before the "
            "other, what changed on the machine meanwhile is in the comparison."
        )
    base = [sides.launches[number].metadata for number, _ in pairing.pairs]
    first = [metadata["duet_begins"] == "yes" for metadata in base if "duet_begins" in metadata]
    if pairing.kind == DUETS and len(first) > 1 and len(set(first)) == 1:
        yield (
            f"{'Base' if first[0] else 'New'} began the rounds of every duet, so any advantage of "
            "being first is in the comparison: chance decides who begins, so run more duets."
        )
    if unknown := find_orders(sides, pairing).count(None):
        yield (
            f"Which of the two launches was first is not known of {unknown} pairs (note.turn, or "
            "start), so what being first costs or saves is in the comparison."
        )


def find_order_effect(units: Units) -> Iterator[str]:
    if units.of_order is None:
        return
    percent = 100 * float(np.expm1(np.median(units.of_order)))
    if abs(percent) >= LEAST_ORDER_PERCENT:
        yield (
            f"The second launch of a pair was {'slower' if percent > 0 else 'faster'} than the "
            f"first by {abs(percent):.1f} % (median of the cases), whichever side it was of. That "
            "is taken out."
        )


def find_states(sides: Sides, metric: str) -> Iterator[str]:
    """Says that more of one side's iterations than of the other's were in the machine's slow state.
    Nothing is said if that makes the median case less than LEAST_ORDER_PERCENT slower."""
    samples = states_of_samples(sides.results, sides.results.column_of(metric))
    if samples.empty:
        return
    new = sides.new[samples.index.get_level_values("launch").to_numpy(int)]
    counts = [samples[new == side][COUNTS].sum() for side in (False, True)]
    base_share, new_share = (float(own["slow"] / (own["fast"] + own["slow"])) for own in counts)
    widest = max(find_machines(sides.results), key=lambda one: one.split.apart).split
    medians = samples[["fast_us", "slow_us"]].groupby(level=PAIR, observed=True).median()
    longer = float((medians["slow_us"] / medians["fast_us"]).median())
    by_states = abs(new_share - base_share) * abs(np.log(longer))  # NaN: no case was in both states
    if np.isnan([base_share, new_share]).any() or by_states < np.log1p(LEAST_ORDER_PERCENT / 100):
        return
    if np.isnan(longer) and abs(new_share - base_share) < LEAST_SHARE:
        return
    more = (
        "No case was measured in both, so nothing tells how much of a change is the states'"
        if np.isnan(longer)
        else f"In the slow state the median case takes {longer:.2g} times as long, so part of a "
        "change may be the states'"
    )
    yield (
        f"The machine had two states: a cache line went to another core and back in "
        f"{widest.fast_us:.2g} us or in {widest.slow_us:.2g} us, and the sides were measured in "
        f"different shares of them: {100 * base_share:.0f} % of base's iterations and "
        f"{100 * new_share:.0f} % of new's were in the slow one. {more}: run more launches in "
        "turn, or at the same time (--duet)."
    )


def find_imbalance(cases: pd.DataFrame, imbalance: pd.DataFrame) -> Iterator[str]:
    """Yields a warning if imbalance_us changed between the sides. imbalance: the verdicts on
    imbalance_us, which is tested like the times."""
    called = imbalance[imbalance["verdict"].isin([REGRESSION, IMPROVEMENT])]
    if called.empty:
        return
    place = int(called["change"].abs().to_numpy().argmax())
    worst, keys = called.iloc[place], called.index[place]
    assert isinstance(keys, tuple)
    name = name_case(keys[:-1], find_varied(cases))
    yield (
        f"imbalance_us changed in {len(called)} of {len(imbalance)} cases, most in {name}: "
        f"{worst['base_us']:.2f} -> {worst['new_us']:.2f} us. So ranks come to the call otherwise "
        "than before, and part of a change may be the synchronisation's: compare with --sync "
        "dissemination, which is the same for every MPI library."
    )


def find_few_iterations(sides: Sides) -> Iterator[str]:
    rows = sides.results.timed()
    rows = rows[rows["iteration"].notna()]  # means of logs have none; more of them change nothing
    counts = rows.groupby([*PAIR, "launch"], observed=True).size()
    few = int((counts < FEWEST_ITERATIONS).sum())
    if few:
        yield (
            f"Fewer than {FEWEST_ITERATIONS} iterations: {few} of {len(counts)} medians; "
            "give more (-i)."
        )
