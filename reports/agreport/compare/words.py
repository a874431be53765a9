# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a comparison, the same in every output."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pandas as pd

from agreport.figure.words import signed
from agreport.stats.arrays import Floats
from agreport.stats.power import POWER

from .comparison import Comparison
from .log_ratios import FEWEST_ITERATIONS
from .sides import DUETS, LAUNCHES, name_case
from .stalls import FEWEST_A_SIDE as STALLS_FEWEST
from .tails import FEWEST, MEASURE, MEASURES
from .verdicts import (
    CALLED,
    FAILURES,
    FEWEST_A_SIDE,
    FEWEST_PAIRS,
    IMPROVEMENT,
    INCONCLUSIVE,
    NO_REGRESSION,
    OPEN,
    REGRESSION,
    TOO_FEW,
    VERDICTS,
    WRONG,
)

MAX_PERCENT = 1000.0  # larger changes and bounds are printed as >1000 %
MOST_ADVISED = 100  # more pairs or launches than these are not advised: nobody runs them
# People read these words instead where the sides are no versions of one MPI library.
OF_LIBRARIES = {REGRESSION: "slower", IMPROVEMENT: "faster", NO_REGRESSION: "not slower"}


def tabulate_changes(found: pd.DataFrame) -> pd.DataFrame:
    """Changes of cases or percentiles as a table, which may be empty."""
    if found.empty:
        return pd.DataFrame()
    percent = {f"{name}_percent": to_percent(found[name]) for name in ("change", "low", "high")}
    times = [name for name in ("base_us", "new_us") if name in found]
    kept = found[["p_slower", "p_faster", "verdict", *times]]
    return pd.concat([pd.DataFrame(percent, found.index), kept], axis=1).reset_index()


def tabulate_cases(cases: pd.DataFrame) -> pd.DataFrame:
    counts = cases[["base_n", "new_n"]].fillna(0).astype(int).to_numpy()
    return tabulate_changes(cases).assign(
        base_launches=counts[:, 0],
        new_launches=counts[:, 1],
        detectable_percent=to_percent(cases["detectable"]),
    )


def tabulate_stalls(stalls: pd.DataFrame) -> pd.DataFrame:
    """Returns a table of the shares of calls over three medians, in percent, a row a case; may be
    empty."""
    percent = {
        "change_percent": to_percent(stalls["change"]),
        **{f"{side}_share_percent": 100 * stalls[f"{side}_share"] for side in ("base", "new")},
    }
    kept = stalls[["base_calls", "new_calls", "p_slower", "p_faster", "verdict"]]
    return pd.concat([pd.DataFrame(percent, stalls.index), kept], axis=1).reset_index()


def to_percent(log_change: npt.ArrayLike) -> Floats:
    """Returns log changes in percent; NaN for a change that is not known, infinite for one that is
    too large for a number."""
    change = np.asarray(log_change, float)
    with np.errstate(over="ignore"):
        return 100 * np.expm1(np.where(np.isfinite(change), change, np.nan))


def format_change(change: float) -> str:
    """Returns a log change in percent, with its sign: +10.5 %; >1000 % if it is larger than
    MAX_PERCENT."""
    percent = float(to_percent(change))
    return f">{MAX_PERCENT:g} %" if percent > MAX_PERCENT else f"{signed(percent, 1)} %"


def format_size(change: float) -> str:
    """Returns a log change in percent without a plus sign: 10.5 %."""
    return format_change(change).removeprefix("+")


def format_interval(row: "pd.Series[float]") -> str:
    change, low, high = (format_change(row[key]) for key in ("change", "low", "high"))
    return f"{change} ({low} to {high})"


def format_stalls(row: "pd.Series[float]") -> str:
    base, new = (100 * row[f"{side}_share"] for side in ("base", "new"))
    return (
        f"{base:.2g} -> {new:.2g} % of the calls, which changes the mean by "
        f"{format_change(row['change'])}"
    )


def format_finding(row: "pd.Series[float]") -> str:
    """Returns the change of a case or percentile with its interval, or that of stalls, which have
    none."""
    return format_stalls(row) if "base_share" in row else format_interval(row)


def name_verdict(comparison: Comparison, verdict: str) -> str:
    """Returns the verdict as people read it: another library that is slower is no regression."""
    one = comparison.sides.one_library
    return verdict if one else OF_LIBRARIES.get(verdict, verdict)


def describe_units(comparison: Comparison) -> str:
    sides, pairing = comparison.sides, comparison.pairing
    if pairing.kind == LAUNCHES:
        base, new = (pairing.count_units(len(sides.numbers(side))) for side in (False, True))
        by = f"{base} of base, {new} of new"
    else:
        by = pairing.count_units(len(pairing.pairs))
    return f"Compared by {by}: medians of {comparison.metric}_us, {len(comparison.cases)} cases."


def conclude(comparison: Comparison) -> str:
    """Returns a line with the verdict, how many cases have which verdict and, if a change or a
    wrong result is called, which case is the worst."""
    cases, verdict = comparison.cases, comparison.verdict
    counts = cases["verdict"].value_counts()
    listed = ", ".join(
        f"{counts[each]} {name_verdict(comparison, each)}" for each in VERDICTS if each in counts
    )
    name = name_verdict(comparison, verdict)
    text = f"verdict: {name.upper() if verdict in FAILURES else name} (cases: {listed})"
    for name, found in (("P90 and P99", comparison.tails), ("stalls", comparison.stalls)):
        if verdict in CALLED and (count := int((found["verdict"] == verdict).sum())):
            text += f"; of {name}: {count}"
    if verdict != INCONCLUSIVE and (count := int((cases["verdict"] == OPEN).sum())):
        goal = f"{100 * comparison.rules.goal:g} %"
        text += f"; open: a change of {goal} may be hidden in {count} of {len(cases)} cases"
    return text + (name_worst(comparison, verdict) if verdict in (*FAILURES, IMPROVEMENT) else "")


def name_worst(comparison: Comparison, verdict: str) -> str:
    """Names the worst case with this verdict; empty if there is none."""
    cases = comparison.cases
    called = cases[cases["verdict"] == verdict]
    if called.empty:
        return ""
    if verdict == WRONG:
        return f"; first: {name_case(called.index[0], comparison.varied)}"
    place = int(called["change"].abs().to_numpy().argmax())
    case = name_case(called.index[place], comparison.varied)
    return f"; largest: {case}, {format_interval(called.iloc[place])}"


def find_called(found: pd.DataFrame) -> pd.DataFrame:
    return found[found["verdict"].isin([REGRESSION, IMPROVEMENT])]


def describe_tails(comparison: Comparison) -> Iterator[str]:
    """Yields a sentence for each percentile that is called, or one that says that none is; nothing
    if no percentile was tested."""
    called = find_called(comparison.tails)
    varied = comparison.varied
    for keys, row in called.iterrows():
        assert isinstance(keys, tuple)
        *case, measure = keys
        yield (
            f"{measure} of {name_case(tuple(case), varied)}: {format_interval(row)}, "
            f"{row['base_us']:.2f} -> {row['new_us']:.2f} us, "
            f"{name_verdict(comparison, str(row['verdict']))}."
        )
    tested = comparison.tails[comparison.tails["verdict"] != TOO_FEW]
    if called.empty and len(tested):
        yield f"Of {len(tested)} {' and '.join(MEASURES)} none is called."


def describe_stalls(comparison: Comparison) -> Iterator[str]:
    """Yields a sentence for each case whose share of calls over three medians is called, or one
    that says that none is; nothing if no case was tested."""
    stalls = comparison.stalls
    called = find_called(stalls)
    varied = comparison.varied
    for case, row in called.iterrows():
        verdict = name_verdict(comparison, str(row["verdict"]))
        name = name_case(case, varied)
        yield f"Calls over three medians of {name}: {format_stalls(row)}, {verdict}."
    tested = stalls[stalls["verdict"] != TOO_FEW]
    if called.empty and len(tested):
        yield f"Of {len(tested)} shares of calls over three medians none is called."


def describe_untested(comparison: Comparison) -> Iterator[str]:
    """Yields sentences on which tails and stalls were not tested, and what it takes."""
    cases = int((comparison.cases["verdict"] != WRONG).sum())
    tails = comparison.tails.reset_index()
    pairing = comparison.pairing
    fewest = (
        f"{FEWEST_A_SIDE} launches on each side"
        if pairing.kind == LAUNCHES
        else pairing.count_units(FEWEST_PAIRS)
    )
    for measure in MEASURES:
        there = tails[tails[MEASURE] == measure] if len(tails) else tails
        iterations = f"{FEWEST[measure]} iterations in a launch"
        for untested, takes in (
            (cases - len(there), iterations),
            (int((there["verdict"] == TOO_FEW).sum()), f"{fewest}, with {iterations}"),
        ):
            if untested:
                yield f"{measure} was not tested in {untested} of {cases} cases: it takes {takes}."
    if untested := cases - int((comparison.stalls["verdict"] != TOO_FEW).sum()):
        yield (
            f"Calls over three medians were not tested in {untested} of {cases} cases: it "
            f"takes {STALLS_FEWEST} launches on each side."
        )


def describe_power(comparison: Comparison) -> str:
    """Returns how small a change could be found, and what it takes to find the goal. Empty if
    that is not known, or if nobody asks, since something became worse."""
    power, goal = comparison.power, f"{100 * comparison.rules.goal:g} %"
    if power.more_half is None or power.more_worst is None or comparison.verdict in FAILURES:
        return ""
    half, worst = format_size(power.half), format_size(power.worst)
    which = f"of {half} in half of the cases, and of {worst} in every case"
    if half == worst:
        which = f"of {half} in every case"
    text = f"Detectable, so called in {POWER:.0%} of such comparisons, is a change {which}."
    if to_percent(power.worst) > MAX_PERCENT:
        text += " With so few launches, nothing smaller is told from noise."
    if power.more_half:
        text += f" For {goal} in half of the cases {advise(comparison, power.more_half)}."
    if power.more_worst and power.more_half <= MOST_ADVISED:
        text += f" For {goal} in every case {advise(comparison, power.more_worst, worst=True)}."
    return text


def advise(comparison: Comparison, more: int, worst: bool = False) -> str:
    """Returns what it takes to find the goal: so many units more or, where these would be too
    many, what helps instead. worst: in the case with the most noise."""
    pairing, spreads = comparison.pairing, comparison.cases["spread"]
    if more <= MOST_ADVISED:
        return f"it takes about {pairing.count_more(more)}"
    factor = float(np.exp(spreads.max() if worst else spreads.median()))
    where = "in one case" if worst else "in the median case"
    return (
        f"more {pairing.units} would not help, as they differ by a factor of {factor:.2g} {where}: "
        "bind ranks, or ask for whole nodes"
        f"{'' if pairing.kind == DUETS else ', or run both sides at the same time (--duet)'}"
    )


def explain_no_verdict(comparison: Comparison) -> str:
    """Returns why there is no verdict, as one line; empty where there is a verdict."""
    if comparison.verdict == TOO_FEW:
        if comparison.rules.single and comparison.cases[["base_n", "new_n"]].le(1).all(axis=None):
            return (
                f"no verdict: too few iterations: of one launch a side it takes {FEWEST_ITERATIONS}"
            )
        return (
            f"no verdict: {TOO_FEW}: it takes {FEWEST_PAIRS} pairs, or {FEWEST_A_SIDE} launches on "
            "each side; of one launch a side --allow single-launch calls a verdict by iterations"
        )
    if comparison.verdict != INCONCLUSIVE:
        return ""
    if comparison.obstacles:
        return f"no verdict: {'; '.join(comparison.obstacles)}"
    power, rules = comparison.power, comparison.rules
    which = "not in every case" if rules.every else "in no case surely"
    text = f"inconclusive: a change of {100 * rules.goal:g} % would {which} be called"
    more = power.more_worst if rules.every else power.more_half
    if not more:
        return f"{text}; more launches would decide"
    half = "" if rules.every or more > MOST_ADVISED else " in half of the cases"
    return f"{text}; {advise(comparison, more, rules.every)}{half}, or a larger --threshold"
