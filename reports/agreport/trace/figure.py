# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a trace: for each call site its imbalance over the invocations, how often it is how
large, and whether one call tells anything of the next.

After figures 4.12 and 4.15 of Faraj (2006).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import sqrt

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from agformats.units import exactly
from agreport.figure.looks import COLOURS
from agreport.figure.medium import medium
from agreport.figure.panels import at_most, prepare
from agreport.figure.scales import BESIDE_CM
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import SMALL_PT, TITLE_PT, wrapped
from agreport.figure.words import plural
from agreport.stats.arrays import Floats, Ints
from agreport.trace.calls import Trace
from agreport.trace.imbalance import US, MessageTimes

WORST, AVERAGE, ORDER = COLOURS[0], COLOURS[1], COLOURS[2]
SMALL, LARGE = COLOURS[4], COLOURS[5]
SMALL_BYTES = 1000  # Faraj's border of small messages
MOST_SITES, MOST_POINTS = 6, 1500
FEWEST_CALLS = 10  # for an autocorrelation
ROW_CM, LOW_ROW_CM = 4.6, 3.6
WIDTH_RATIOS = (6, 3.5, 3.5)  # of the panels of a row
LONGEST_NAME = 60
MOST_LAGS = 50  # of an autocorrelation


@dataclass(frozen=True)
class Measure:
    """The quantity that is drawn: factors, or microseconds where no message time is known."""

    columns: tuple[str, str]  # average and worst case
    label: str
    edges: tuple[float, ...]

    def count_shares(self, rows: pd.DataFrame) -> Floats:
        """Returns the percentage of the calls whose worst case is below the first edge, between
        each edge and the next, and from the last edge on."""
        weights = rows["weight"]
        counts, _ = np.histogram(rows[self.columns[1]], [0, *self.edges, np.inf], weights=weights)
        shares: Floats = 100 * counts / max(1, weights.sum())
        return shares

    def name_intervals(self) -> list[str]:
        texts = [f"{edge:g}" for edge in self.edges]
        between = [f"{low}\N{EN DASH}{high}" for low, high in pairwise(texts)]
        return [f"<{texts[0]}", *between, f"\N{GREATER-THAN OR EQUAL TO}{texts[-1]}"]


FACTORS = Measure(("average_factor", "worst_factor"), "imbalance factor", (1, 2, 4, 8, 16, 32))
TIMES = Measure(("average_us", "worst_us"), "imbalance (µs)", (1, 10, 100, 1000, 10000, 100000))


def draw(trace: Trace, rows: pd.DataFrame, table: pd.DataFrame, times: MessageTimes) -> Sheet:
    measure = TIMES if rows["worst_factor"].isna().any() else FACTORS
    weights = (table["worst_us"] * table["calls"]).sort_values(ascending=False)
    shown = sorted(weights.index[:MOST_SITES])
    together = len(table) > 1
    # A line of three panels for each site; in a narrow figure they are below each other.
    across = 3 if at_most(3) == 3 else 1
    lines = 3 // across
    rows_cm = ROW_CM if across == 3 else LOW_ROW_CM
    page = sheet(
        f"When ranks arrive: {trace.metadata.get('command', '?')[:200]}, {trace.ranks} ranks",
        rows_cm * (lines * len(shown) + together),
        make_legend(measure, together),
        write_caption(trace, rows, measure, times, len(table) - len(shown)),
    )
    ratios = WIDTH_RATIOS if across == 3 else None
    grid = page.figure.add_gridspec(lines * len(shown) + together, across, width_ratios=ratios)
    if together:
        small = rows["bytes"] <= SMALL_BYTES
        parts = [(SMALL, rows[small]), (LARGE, rows[~small])]
        drawn = [(colour, measure.count_shares(part)) for colour, part in parts if len(part)]
        axes = page.figure.add_subplot(grid[0, :])
        set_heading(
            axes,
            f"all {len(table)} call sites, {plural(int(rows['weight'].sum()), 'call')}",
        )
        draw_shares(axes, measure, drawn)
    for number, site in enumerate(shown):
        calls = rows[rows["site"] == site]
        first = together * across + 3 * number
        over_time, shares, lags = (page.figure.add_subplot(grid[first + n]) for n in range(3))
        set_heading(over_time, describe_site(table.loc[site], site))
        draw_over_time(over_time, calls, measure)
        draw_shares(shares, measure, [(WORST, measure.count_shares(calls))])
        shares.tick_params(axis="x", rotation=45)
        draw_lags(lags, trace, calls)
    return page


def set_heading(axes: Axes, text: str) -> None:
    """Writes the heading of a row of panels above its first panel."""
    text = wrapped(
        text, medium().width_cm - BESIDE_CM, TITLE_PT
    )  # bold: as wide as letters a point larger
    axes.set_title(text, loc="left", weight="bold", size=SMALL_PT)


def describe_site(site: "pd.Series[str]", number: object) -> str:
    where = str(site["where"])
    if len(where) > LONGEST_NAME:
        where = f"{where[:LONGEST_NAME]}\N{HORIZONTAL ELLIPSIS}"
    low, high = int(site["min_bytes"]), int(site["max_bytes"])
    sizes = exactly(low) if low == high else f"{exactly(low)} to {exactly(high)}"
    return (
        f"{number}: {site['operation']} from {where}, {site['ranks']} ranks, "
        f"{plural(int(site['calls']), 'call')}, {sizes}"
    )


def draw_over_time(axes: Axes, calls: pd.DataFrame, measure: Measure) -> None:
    steps = -(-len(calls) // MOST_POINTS)
    for column, colour, layer in zip(measure.columns, (AVERAGE, WORST), (3, 2), strict=True):
        values = calls[column].to_numpy()
        values = np.maximum(values, 1 / US)  # a logarithmic axis has no 0
        starts = np.arange(0, len(values), steps)
        highest = np.maximum.reduceat(values, starts)
        axes.plot(starts, highest, ".", color=colour, ms=2, zorder=layer)
    axes.set_yscale("log")
    axes.set_xlabel("invocation", labelpad=1)
    axes.set_ylabel(measure.label)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    prepare(axes, "y")


def draw_shares(axes: Axes, measure: Measure, shares: Sequence[tuple[str, Floats]]) -> None:
    """Draws a bar for each interval of the measure, or several side by side. shares: for each bar
    of an interval a colour, and the percentage of the calls in each interval."""
    width = 0.8 / len(shares)
    names = measure.name_intervals()
    for number, (colour, heights) in enumerate(shares):
        places = np.arange(len(names)) + (number - (len(shares) - 1) / 2) * width
        axes.bar(places, heights, width, color=colour)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 105)
    axes.set_ylabel("calls (%)")
    axes.set_xlabel(f"worst case {measure.label}", labelpad=1)
    prepare(axes, "y")


def draw_lags(axes: Axes, trace: Trace, calls: pd.DataFrame) -> None:
    """Draws by lag the autocorrelation of the worst case and of the order of arrival. They are of
    the communicator with the most calls, since calls on others come in between."""
    group = int(calls["group"].value_counts(sort=False).idxmax())
    calls = calls[calls["group"] == group]
    axes.set_xlabel("lag (invocations)", labelpad=1)
    axes.set_ylabel("autocorrelation")
    axes.set_ylim(-1.05, 1.05)
    if len(calls) < FEWEST_CALLS or trace.sample > 1:
        few = (
            f"fewer than\n{FEWEST_CALLS} calls"
            if trace.sample == 1
            else "not all calls\nare on record"
        )
        axes.text(0.5, 0.5, few, ha="center", va="center", transform=axes.transAxes)
    else:
        worst = autocorrelation(calls["worst_us"].to_numpy())
        delays = trace.groups[group].delays_ns()[calls["call"].to_numpy()]
        lags = np.arange(1, len(worst))
        axes.axhspan(-noise_bound(len(calls)), noise_bound(len(calls)), color="0.9", lw=0)
        axes.plot(lags, worst[1:], color=WORST, lw=1)
        axes.plot(lags, order_autocorrelation(delays)[1:], color=ORDER, lw=1, ls="--")
        axes.set_xlim(1, max(2, len(worst) - 1))
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    prepare(axes, "y")


def make_legend(measure: Measure, together: bool) -> list[Line2D | Patch]:
    artists: list[Line2D | Patch] = [
        Line2D(
            [], [], color=WORST, marker=".", lw=1, label="worst case (last minus first arrival)"
        ),
        Line2D(
            [], [], color=AVERAGE, marker=".", lw=0, label="average case (mean from mean arrival)"
        ),
        Line2D([], [], color=ORDER, ls="--", lw=1, label="order of arrival"),
        Patch(color="0.9", label="worst case, if by chance (95 %)"),
    ]
    if together:
        artists.append(Patch(color=SMALL, label=f"messages of at most {SMALL_BYTES} B"))
        artists.append(Patch(color=LARGE, label="larger messages"))
    return artists


def write_caption(
    trace: Trace, rows: pd.DataFrame, measure: Measure, times: MessageTimes, hidden: int
) -> str:
    text = [
        "Left: each invocation of the call site. Middle: how many have a worst case of that size. "
        "Right: how much the worst case, and the order in which ranks arrive (Spearman), are like "
        "those of so many invocations before, on the communicator with the most of them."
    ]
    if measure is FACTORS:
        text.append(
            f"An imbalance factor is relative to {times.describe()}; below 1 a call counts as "
            "balanced (Faraj 2006)."
        )
    if len(rows) and rows["site"].value_counts().max() > MOST_POINTS:
        text.append("With many invocations, a point is the largest of some neighbours.")
    if trace.sample > 1:
        text.append(f"Of {trace.sample} calls that are alike one is on record and stands for them.")
    if trace.clock_error_ns:
        text.append(f"The nodes' clocks agree within {trace.clock_error_ns / US:.2f} µs.")
    if hidden:
        text.append(
            f"Shown are the {MOST_SITES} call sites with the largest sums of imbalance; "
            f"{hidden} more are in the table."
        )
    return " ".join(text)


def noise_bound(count: int) -> float:
    """Returns how far from 0 the autocorrelation of so many independent values stays at 95 % of the
    lags."""
    return 1.96 / sqrt(count)


def autocorrelation(values: Floats) -> Floats:
    """Returns the correlations by lag from 0 on. The order of the values counts, not their size: a
    few calls that are a second late would outvote all others."""
    order = np.asarray(pd.Series(values).rank(), np.float64)
    products: Floats = lagged_products(order[:, np.newaxis] - (len(values) + 1) / 2)
    if products[0] == 0:  # all alike: each tells the next one exactly
        return np.ones(len(products))
    found: Floats = products / products[0]
    return found


def order_autocorrelation(delays: Ints) -> Floats:
    """Returns by lag, from 0 on, the mean Spearman correlation of the orders in which ranks arrive
    at two calls. delays: [call, rank]"""
    ranked = pd.DataFrame(delays).rank(axis=1).to_numpy()
    orders = ranked - ranked.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(orders, axis=1, keepdims=True)
    orders = np.divide(orders, lengths, out=np.zeros_like(orders), where=lengths > 0)
    products = lagged_products(orders)
    return products / (len(orders) - np.arange(len(products)))


def lagged_products(rows: Floats) -> Floats:
    """Returns by lag, from 0 on, the sum over the products of each row with the one that is the lag
    later. Lags end at MOST_LAGS, or where fewer than a quarter of the pairs would be left, as
    usual."""
    count = len(rows)
    lags = min(MOST_LAGS, max(1, count * 3 // 4))
    return np.array([np.sum(rows[: count - lag] * rows[lag:]) for lag in range(lags + 1)])
