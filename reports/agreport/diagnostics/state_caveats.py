# SPDX-License-Identifier: BSD-3-Clause
"""Says that a machine had two states, and which cases were measured in which.

Algorithms of one case take turns, so both states meet them alike. Cases, launches and machines that
are compared may have been in different states.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from agformats.units import exactly
from agreport.data.load import CASE, PAIR, Results
from agreport.diagnostics.answers import ONE, OTHER, Answers, Caveat
from agreport.figure.words import plural
from agreport.stats.arrays import Flags
from agreport.stats.states import (
    COUNTS,
    LEAST_SHARE,
    Machine,
    find_machines,
    slow_shares,
    states_of_samples,
)

MOST_NAMES = 3
BOTH, ONLY_FAST, ONLY_SLOW = "both", "fast", "slow"


def state_caveats(results: Results, found: Answers, metric: str) -> Iterator[Caveat]:
    """Yields a reason if a machine had two states. It could turn round the called comparisons in
    which one algorithm is faster in the fast state and the other in the slow one."""
    machines = find_machines(results)
    if not machines:
        return
    samples = states_of_samples(results, results.column_of(metric))
    reach = found.in_cases(turned_by_state(samples, found))
    cases = case_states(samples)
    widest = max(machines, key=lambda one: one.split.apart)
    text = f"{machine_words(widest, len(machines))} {case_words(cases)}"
    rows = int(samples[COUNTS].to_numpy().sum())
    if across := int(samples["across"].sum()):
        text += (
            f" {across} of {rows} iterations lie across a change of the state and are of neither."
        )
    text += (
        " Compare what was measured in the same state, or measure more launches: "
        "`agreport diagnostics` lists the cases."
    )
    yield found.caveat(text, reach)


def machine_words(machine: Machine, count: int) -> str:
    """Returns the sentence that a machine had two states. count: how many machines had."""
    split = machine.split
    name = "This machine" if "," not in machine.hosts else f"The machine ({machine.hosts})"
    others = f" (so with {count - 1} other numbers of ranks or hosts)" if count > 1 else ""
    return (
        f"{name} had two states: a cache line went to another core and back in "
        f"{split.fast_us:.2g} us in {100 * (1 - split.slow_share):.0f} % of the "
        f"measurements beside the calls on {machine.ranks} ranks, and in "
        f"{split.slow_us:.2g} us in the others ({split.apart:.2g} times as long){others}."
    )


def case_states(samples: pd.DataFrame) -> "pd.Series[str]":
    """Returns by CASE in which states it was measured, over all its launches and algorithms: BOTH,
    ONLY_FAST or ONLY_SLOW. A state with less than a tenth of the iterations does not count."""
    shares = slow_shares(samples[COUNTS].groupby(level=CASE, observed=True).sum()).dropna()
    return name_states(shares)


def name_states(shares: "pd.Series[float]") -> "pd.Series[str]":
    names = np.select(
        [shares > 1 - LEAST_SHARE, shares < LEAST_SHARE], [ONLY_SLOW, ONLY_FAST], BOTH
    )
    return pd.Series(names, shares.index, dtype=object)


def case_words(cases: "pd.Series[str]") -> str:
    counts = cases.value_counts()
    parts = [f"{plural(int(counts.get(BOTH, 0)), 'case was', 'cases were')} measured in both"]
    for state in (ONLY_SLOW, ONLY_FAST):
        if own := int(counts.get(state, 0)):
            names = [short_name(case) for case in cases.index[cases == state][:MOST_NAMES]]
            more = [f"{own - MOST_NAMES} more"] if own > MOST_NAMES else []
            parts.append(f"{own} only in the {state} one ({'; '.join([*names, *more])})")
    return f"{', '.join(parts)}."


def short_name(case: object) -> str:
    """Returns a case in a few words: allgatherv, spike, 4 KiB on 2 ranks."""
    assert isinstance(case, tuple)
    named = dict(zip(CASE, case, strict=True))
    size = f"{exactly(int(named['bytes']))} on {named['ranks']} ranks"
    return ", ".join([str(named["collective"]), str(named["distribution"]), size])


def turned_by_state(samples: pd.DataFrame, found: Answers) -> Flags:
    """Returns of each case whether one algorithm is faster in the fast state and the other in the
    slow one, by the medians over launches."""
    medians = samples[["fast_us", "slow_us"]].groupby(level=PAIR, observed=True).median()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [
            np.log(found.known(medians[name], ONE)) - np.log(found.known(medians[name], OTHER))
            for name in medians
        ]
    turned: Flags = np.sign(ratios[0]) * np.sign(ratios[1]) < 0
    return turned


def state_tables(results: Results, metric: str = "avg") -> Iterator[tuple[str, pd.DataFrame]]:
    """Yields tables with their titles: of the state of each case in each launch, and of the median
    of each algorithm in either state. Yields nothing if no machine had two states."""
    if not find_machines(results):
        return
    samples = states_of_samples(results, results.column_of(metric))
    counts = samples[COUNTS].groupby(level=[*CASE, "launch"], observed=True).sum()
    states = name_states(slow_shares(counts).dropna()).reindex(counts.index).fillna("unknown")
    yield "The state of each case in each launch, in iterations", plain(counts.assign(state=states))
    of_pair = samples.groupby(level=PAIR, observed=True)
    medians = of_pair[["fast_us", "slow_us"]].median()
    both = of_pair[COUNTS].sum().join(medians).dropna(subset=["fast_us", "slow_us"])
    both = both.assign(times=both["slow_us"] / both["fast_us"])
    if len(both):
        ordered = both.sort_values("times", ascending=False, kind="stable")
        yield (
            "Medians in either state, and how many times as long the slow one takes",
            plain(ordered),
        )


def plain(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the table with its index as columns, without keys that all rows have in common."""
    whole = table.reset_index()
    common = [name for name in CASE if whole[name].nunique() == 1 and name != "bytes"]
    return whole.drop(columns=common)
