# SPDX-License-Identifier: BSD-3-Clause
"""Finds which algorithm is the fastest at each size and delay (Proficz 2021, tables 3 and 4), how
many experiments each algorithm wins by delay and by size (figure 6), and what it takes to predict
arrivals: how far predictions are off, and the helper thread's time."""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from agformats.student import CONFIDENCE
from agformats.units import three_digits
from agreport.arrivals.experiments import what_delay, with_balanced
from agreport.data.algorithm_sets import ARRIVAL_AWARE
from agreport.data.load import PAIR, PANEL, Results
from agreport.figure.looks import Look, looks
from agreport.figure.panels import LINES, choose_groups
from agreport.figure.scales import AXIS_NAMES, axes_width_cm
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM
from agreport.figure.words import launches, size_label, titles
from agreport.stats.bootstrap import FEWEST_PAIRS
from agreport.stats.medians import BALANCED_CASE

UNSURE = "~"
AS_ASKED = "as asked"  # the delay of a pattern that has no single delay, such as a trace
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
# These are the names of a winner's gains in a table of winners.
GAINS = {"gain": "gain_over_best_regular", "gain_low": "gain_low", "gain_high": "gain_high"}
ALWAYS = ("ranks", "bytes", "arrival", "algorithm")
LINE = [*[column for column in PANEL if column != "arrival"], "family"]


def sections(found: pd.DataFrame, size: str = "bytes") -> Iterator[tuple[str, pd.DataFrame]]:
    """Yields a title and a table for each number of ranks (and for whatever else of SECTION there
    are several). size: the column of sizes."""
    rows = with_balanced(found)
    groups = rows.groupby(SECTION, observed=True, sort=True)
    keys = pd.DataFrame([key for key, _ in groups], columns=SECTION)
    common, rest = titles(keys)
    for title, (_, group) in zip(rest, groups, strict=True):
        yield ", ".join(filter(None, [title, common])), table(group, size)


def table(rows: pd.DataFrame, size: str) -> pd.DataFrame:
    """Returns a table of the fastest algorithms, with sizes down and delays across; a dash stands
    where there is no experiment."""
    sizes = sorted(rows[size].unique())
    # A cell has several entries only where labels of patterns say the same, as
    # delay=5ms,rank=1 and rank=1,delay=5ms do.
    cells = {
        key: " / ".join(entry(case) for _, case in group.groupby("arrival", observed=True))
        for key, group in rows.groupby([size, "size"])
    }
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
    """Returns the delays as they were spelled, the shortest first."""
    ordered = rows[["size", "delay_us"]].drop_duplicates().sort_values("delay_us")["size"]
    return [str(delay) for delay in ordered.unique()]


def entry(case: pd.DataFrame) -> str:
    """Returns the text of a cell: bdr 1.15, bdr 1.01~, ring, ring~.

    It is the fastest algorithm, the gain of an arrival-aware one, and UNSURE if that is not sure.
    """
    found = verdict(case)
    gain = found["gain_over_best_regular"]
    name = found["fastest"] if np.isnan(gain) else f"{found['fastest']} {gain:.2f}"
    return name + UNSURE if found["sure"] is False else name


def verdict(case: pd.DataFrame) -> dict[str, Any]:
    """Returns the fastest algorithm of a case, its gain with an interval, and whether it is surely
    the fastest.

    The gain over the best regular algorithm is of an arrival-aware one; a regular one has NaN.
    sure: of a regular algorithm, whether its ratio to the best arrival-aware one is sure; None
    where there is no algorithm of the other kind to compare with.
    """
    winner = case[case["fastest"]].iloc[0]
    aware = case[case["aware"] & case["regular"].notna()].sort_values("mean_us")
    told = winner if winner["aware"] or aware.empty else aware.iloc[0]
    gains = {name: winner[name] if winner["aware"] else np.nan for name in GAINS}
    return {
        "fastest": str(winner["algorithm"]),
        **{GAINS[name]: gain for name, gain in gains.items()},
        "sure": None if aware.empty else bool(told["sure"]),
    }


def fastest(found: pd.DataFrame, size: str) -> pd.DataFrame:
    """Returns a row with the verdict for each setting, number of ranks, size and delay, in this
    order."""
    keys = [*SECTION, size, "delay_us", "arrival"]
    groups = with_balanced(found).groupby(keys, observed=True, dropna=False)
    rows = [{**dict(zip(keys, key, strict=True)), **verdict(case)} for key, case in groups]
    return pd.DataFrame(rows)


def side_by_side(found: pd.DataFrame, size: str) -> pd.DataFrame:
    """Returns the tables of all sections as one: numbers of ranks and sizes down, delays across."""
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
    """Returns a row for each case of an algorithm that predicts arrivals; empty if none does.

    off_us, off_t and largest_us: how far predictions were off, as median in us and in t, and at
    most. helper_us: the processor time of the helper thread. All are texts of three digits.
    """
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


def draw_wins(
    results: Results, found: pd.DataFrame, options: Namespace, size: str = "bytes"
) -> Sheet:
    """Draws for each pattern a line of two panels: experiments won by delay, and by size."""
    rows = with_balanced(found)
    won = rows[rows["fastest"]]
    chosen = choose_groups(won, LINE, options, what=LINES)
    names = set(won["algorithm"].astype(str))
    look = {name: one for name, one in looks(results.catalogue).items() if name in names}
    hollow = Patch(facecolor="white", edgecolor="0.4", label="hollow: not surely")
    page, pairs = chosen.pairs(
        "Experiments won by each algorithm",
        [*(one.patch(name) for name, one in look.items()), hollow],
        "An experiment is one case; the algorithm with the smallest mean average elapsed time over "
        f"the iterations of {launches(results)} wins it. Hollow: not surely, the "
        f"{100 * CONFIDENCE:.0f} % interval of the second's time over the winner's has 1 in it, or "
        "there are too few iterations. Cases without delays count for every pattern.",
        "agreport arrival --wins",
    )
    for (left, right), group in pairs:
        stack(left, group.sort_values("delay_us"), "size", look)
        left.set_xlabel(what_delay(group))
        stack(right, group.sort_values(size), size, look)
        right.set_xlabel(AXIS_NAMES[size])
    return page


def stack(axes: Axes, won: pd.DataFrame, column: str, look: Mapping[str, Look]) -> None:
    """Draws one stacked bar for each value of the column, with a part for each algorithm. The
    filled part, of sure wins, is below the hollow one."""
    values = won[column].unique().tolist()
    bottom = np.zeros(len(values))
    for name, one in look.items():
        for sure in (True, False):
            part = won[(won["algorithm"] == name) & (won["lead_sure"] == sure)]
            counts = part[column].value_counts().reindex(values, fill_value=0).to_numpy()
            there = np.flatnonzero(counts)
            bars = axes.bar(
                there,
                counts[there],
                bottom=bottom[there],
                facecolor=one.colour if sure else "white",
                hatch=one.hatch,
                edgecolor="white" if sure else one.colour,
                lw=0.4 if sure else 2.4,
                width=0.75,
            )
            if not sure:  # the edge is drawn inside the bar, where no neighbour hides it
                for bar in bars:
                    bar.set_clip_path(bar.get_path(), bar.get_transform())
            bottom += counts
    labels = [*map(delay_label if column == "size" else size_label, values)]
    room_pt = axes_width_cm(axes) * POINTS_A_CM
    wide = max(map(len, labels)) * DIGIT_PT * len(labels) * 1.2 > room_pt
    axes.set_xticks(range(len(values)), labels, rotation=90 if wide else 0)
    axes.set_ylim(0, 1.05 * bottom.max())
    axes.set_ylabel("experiments")
    axes.yaxis.set_major_locator(MaxNLocator(6, integer=True))
    axes.grid(visible=False, axis="x")


def delay_label(spelled: str) -> str:
    """Returns a delay such as 100us as axes of times have it: 100, a space, and the unit with the
    micro sign."""
    number = spelled.rstrip("tums")
    unit = spelled[len(number) :].replace("us", "\N{MICRO SIGN}s")
    return f"{number} {unit}".rstrip()
