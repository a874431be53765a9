# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm is the fastest at each size and delay (Proficz 2021, tables 3 and 4), and
what it takes to predict arrivals: how far predictions are off, and the helper thread's time."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd

from agformats.student import CONFIDENCE
from agformats.units import three_digits
from agreport.arrivals.experiments import with_balanced
from agreport.data.algorithm_sets import ARRIVAL_AWARE
from agreport.data.load import PAIR, Results
from agreport.figure.words import size_label, titles
from agreport.stats.inference import FEWEST_PAIRS
from agreport.stats.medians import BALANCED_CASE

UNSURE = "~"
AS_ASKED = "as asked"  # by a pattern that has no single delay, such as a trace
SECTION = [*[column for column in BALANCED_CASE if column != "bytes"], "family"]
LEGEND = (
    f"The fastest algorithm by mean average elapsed time; of an arrival-aware one "
    f"({', '.join(ARRIVAL_AWARE)}) the time of the best regular algorithm over its own. {UNSURE}: "
    f"the {100 * CONFIDENCE:.0f} % interval of that ratio has 1 in it (bootstrap over the "
    f"iterations, paired), or there are under {FEWEST_PAIRS} pairs; never of simulated times, "
    "which have no noise; of a regular one, its ratio to the best arrival-aware algorithm."
)
PREDICTION = "What prediction takes"
PREDICTION_LEGEND = (
    "How far the worst rank's prediction was off, as median and largest of the iterations, and in "
    "times of one block's message (t); the processor time of the helper thread on the busiest "
    "rank (median), which the computation may miss."
)
ALWAYS = ("ranks", "bytes", "arrival", "algorithm")


def sections(found: pd.DataFrame, size: str = "bytes") -> Iterator[tuple[str, pd.DataFrame]]:
    """A title and a table for each number of ranks (and of whatever else there are several)."""
    rows = with_balanced(found)
    groups = rows.groupby(SECTION, observed=True, sort=True)
    keys = pd.DataFrame([key for key, _ in groups], columns=SECTION)
    common, rest = titles(keys)
    for title, (_, group) in zip(rest, groups, strict=True):
        yield ", ".join(filter(None, [title, common])), table(group, size)


def table(rows: pd.DataFrame, size: str) -> pd.DataFrame:
    """Sizes down, delays across; a dash where there is no experiment."""
    sizes = sorted(rows[size].unique())
    cells = {key: " / ".join(write_entries(group)) for key, group in rows.groupby([size, "size"])}
    return pd.DataFrame(
        {
            size: [size_label(each) for each in sizes],
            **{
                delay or AS_ASKED: [cells.get((each, delay), "-") for each in sizes]
                for delay in delays_across(rows)
            },
        }
    )


def delays_across(rows: pd.DataFrame) -> list[str]:
    """As they were spelled, the shortest first."""
    ordered = rows[["size", "delay_us"]].drop_duplicates().sort_values("delay_us")["size"]
    return [str(delay) for delay in ordered.unique()]


def write_entries(rows: pd.DataFrame) -> Iterator[str]:
    """One entry, but where two labels say the same (delay=5ms,rank=1 and rank=1,delay=5ms)."""
    for _, case in rows.groupby("arrival", observed=True):
        yield entry(case)


@dataclass(frozen=True)
class Verdict:
    """The fastest algorithm; of an arrival-aware one its gain.

    sure: None where there is no algorithm of the other kind to compare with.
    """

    fastest: str
    gain_over_best_regular: float
    gain_low: float
    gain_high: float
    sure: bool | None


def entry(case: pd.DataFrame) -> str:
    """bdr 1.15, bdr 1.01~, ring, ring~"""
    found = verdict(case)
    gain = found.gain_over_best_regular
    name = found.fastest if np.isnan(gain) else f"{found.fastest} {gain:.2f}"
    return name + UNSURE if found.sure is False else name


def verdict(case: pd.DataFrame) -> Verdict:
    winner = case[case["fastest"]].iloc[0]
    aware = case[case["aware"] & case["regular"].notna()].sort_values("mean_us")
    name, sure = str(winner["algorithm"]), None
    if not aware.empty:
        sure = bool((winner if winner["aware"] else aware.iloc[0])["sure"])
    if not winner["aware"]:
        return Verdict(name, np.nan, np.nan, np.nan, sure)
    return Verdict(name, winner["gain"], winner["gain_low"], winner["gain_high"], sure)


def fastest(found: pd.DataFrame, size: str) -> pd.DataFrame:
    """A row for each setting, number of ranks, size and delay, in this order."""
    keys = [*SECTION, size, "delay_us", "arrival"]
    groups = with_balanced(found).groupby(keys, observed=True, dropna=False)
    rows = [{**dict(zip(keys, key, strict=True)), **asdict(verdict(case))} for key, case in groups]
    return pd.DataFrame(rows)


def side_by_side(found: pd.DataFrame, size: str) -> pd.DataFrame:
    """The sections as one table: numbers of ranks and sizes down, delays across."""
    rows = with_balanced(found)
    groups = list(rows.groupby(SECTION, observed=True))
    keys = pd.DataFrame([key for key, _ in groups], columns=SECTION)
    named = [key for key in SECTION if key == "ranks" or keys[key].nunique() > 1]
    tables = [
        table(group, size).assign(**{key: group[key].iloc[0] for key in named})
        for _, group in groups
    ]
    whole = pd.concat(tables, ignore_index=True).fillna("-")
    return whole[[*named, size, *(delay or AS_ASKED for delay in delays_across(rows))]]


def prediction_table(results: Results) -> pd.DataFrame:
    """A row for each case of an algorithm that predicts; empty if none does."""
    rows = results.timed().dropna(subset=["prediction_error_us", "helper_us"])
    keys = [column for column in PAIR if column in ALWAYS or rows[column].nunique() > 1]
    groups = rows.groupby(keys, observed=True)
    medians = groups[["prediction_error_us", "helper_us", "message_us"]].median()
    columns = {
        "off_us": medians["prediction_error_us"],
        "off_t": medians["prediction_error_us"] / medians["message_us"],
        "largest_us": groups["prediction_error_us"].max(),
        "helper_us": medians["helper_us"],
    }
    shown = {name: values.map(three_digits) for name, values in columns.items()}
    return pd.DataFrame(shown).reset_index()
