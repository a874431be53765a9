# SPDX-License-Identifier: BSD-3-Clause
"""The figure of a trace: for each call site its imbalance over the invocations, how often it is how
large, and whether one call tells anything of the next.

After figures 4.12 and 4.15 of Faraj (2006).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from agformats.units import in_units
from agreport.figure.sheet import COLOURS, WIDTH_CM, Sheet, sheet
from agreport.figure.words import plural
from agreport.trace.autocorrelation import autocorrelation, noise, order_autocorrelation
from agreport.trace.calls import Trace
from agreport.trace.imbalance import US, MessageTimes

WORST, AVERAGE, ORDER = COLOURS[0], COLOURS[1], COLOURS[2]
SMALL, LARGE = COLOURS[4], COLOURS[5]
SMALL_BYTES = 1000  # Faraj's border of small messages
MOST_SITES, MOST_POINTS = 6, 1500
FEWEST_CALLS = 10  # for an autocorrelation
TITLE_CM, ABOVE_CM, HEIGHT_CM, BELOW_CM = 0.7, 0.15, 2.6, 1.35
# Left edges and widths of the three panels of a row.
OVER_TIME, SHARES, LAGS = (1.3, 6.2), (8.75, 3.5), (13.45, WIDTH_CM - 13.45 - 0.2)
LONGEST_NAME = 60

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """What is drawn: factors, or microseconds where no message time is known."""

    columns: tuple[str, str]  # average and worst case
    label: str
    edges: tuple[float, ...]

    def shares(self, rows: pd.DataFrame) -> Floats:
        """Percent of the calls between the edges, below the first and from the last on."""
        place = np.searchsorted(self.edges, rows[self.columns[1]].to_numpy(), side="right")
        counts = np.bincount(place, minlength=len(self.edges) + 1)
        return 100 * counts / max(1, len(rows))

    def names(self) -> list[str]:
        texts = [f"{edge:g}" for edge in self.edges]
        between = [f"{low}\N{EN DASH}{high}" for low, high in pairwise(texts)]
        return [f"<{texts[0]}", *between, f"\N{GREATER-THAN OR EQUAL TO}{texts[-1]}"]


FACTORS = Measure(("average_factor", "worst_factor"), "imbalance factor", (1, 2, 4, 8, 16, 32))
TIMES = Measure(("average_us", "worst_us"), "imbalance (µs)", (1, 10, 100, 1000, 10000, 100000))


def draw(trace: Trace, rows: pd.DataFrame, table: pd.DataFrame, times: MessageTimes) -> Sheet:
    measure = TIMES if rows["worst_factor"].isna().any() else FACTORS
    weights = (table["worst_us"] * table["calls"]).sort_values(ascending=False)
    shown = sorted(weights.index[:MOST_SITES])
    row_cm = TITLE_CM + ABOVE_CM + HEIGHT_CM + BELOW_CM
    together = len(table) > 1
    page = sheet(
        f"When ranks arrive: {trace.metadata.get('command', '?')[:200]}, {trace.ranks} ranks",
        row_cm * (len(shown) + together),
        legend(measure, together),
        caption(trace, rows, measure, times, len(table) - len(shown)),
    )
    if together:
        heading(page, 0, f"all {len(table)} call sites, {plural(len(rows), 'call', 'calls')}")
        small = rows["bytes"] <= SMALL_BYTES
        parts = {SMALL: rows[small], LARGE: rows[~small]}
        axes = page.axes(
            OVER_TIME[0], TITLE_CM + ABOVE_CM, WIDTH_CM - OVER_TIME[0] - 0.2, HEIGHT_CM
        )
        draw_shares(axes, measure, {colour: part for colour, part in parts.items() if len(part)})
    for place, site in enumerate(shown):
        top_cm = row_cm * (place + together)
        calls = rows[rows["site"] == site]
        heading(page, top_cm, title(table.loc[site], site))
        left_cm = top_cm + TITLE_CM + ABOVE_CM
        for (left, width), draw_panel in [
            (OVER_TIME, draw_over_time),
            (SHARES, draw_site_shares),
            (LAGS, draw_lags),
        ]:
            draw_panel(page.axes(left, left_cm, width, HEIGHT_CM), trace, calls, measure)
    return page


def title(site: "pd.Series[str]", number: object) -> str:
    where = str(site["where"])
    if len(where) > LONGEST_NAME:
        where = f"{where[:LONGEST_NAME]}\N{HORIZONTAL ELLIPSIS}"
    low, high = int(site["min_bytes"]), int(site["max_bytes"])
    sizes = in_units(low) if low == high else f"{in_units(low)} to {in_units(high)}"
    return (
        f"{number}: {site['operation']} from {where}, {site['ranks']} ranks, "
        f"{plural(int(site['calls']), 'call', 'calls')}, {sizes}"
    )


def heading(page: Sheet, top_cm: float, text: str) -> None:
    y = 1 - (top_cm + TITLE_CM / 2) / page.body_cm
    page.body.text(OVER_TIME[0] / WIDTH_CM, y, text, va="center", weight="bold")


def draw_over_time(axes: Axes, trace: Trace, calls: pd.DataFrame, measure: Measure) -> None:
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
    finish(axes)


def draw_site_shares(axes: Axes, trace: Trace, calls: pd.DataFrame, measure: Measure) -> None:
    draw_shares(axes, measure, {WORST: calls})
    axes.tick_params(axis="x", rotation=45)


def draw_shares(axes: Axes, measure: Measure, parts: dict[str, pd.DataFrame]) -> None:
    width = 0.8 / len(parts)
    names = measure.names()
    for number, (colour, rows) in enumerate(parts.items()):
        places = np.arange(len(names)) + (number - (len(parts) - 1) / 2) * width
        axes.bar(places, measure.shares(rows), width, color=colour)
    axes.set_xticks(range(len(names)), names)
    axes.set_ylim(0, 105)
    axes.set_ylabel("calls (%)")
    axes.set_xlabel(f"worst case {measure.label}", labelpad=1)
    finish(axes)


def draw_lags(axes: Axes, trace: Trace, calls: pd.DataFrame, measure: Measure) -> None:
    """Of the communicator with the most calls: others' come in between."""
    group = int(calls["group"].value_counts(sort=False).idxmax())
    calls = calls[calls["group"] == group]
    axes.set_xlabel("lag (invocations)", labelpad=1)
    axes.set_ylabel("autocorrelation")
    axes.set_ylim(-1.05, 1.05)
    if len(calls) < FEWEST_CALLS:
        axes.text(0.5, 0.5, f"fewer than\n{FEWEST_CALLS} calls", ha="center", va="center",
                  transform=axes.transAxes)  # fmt: skip
    else:
        worst = autocorrelation(calls["worst_us"].to_numpy())
        delays = trace.groups[group].delays_ns()[calls["call"].to_numpy()]
        lags = np.arange(1, len(worst))
        axes.axhspan(-noise(len(calls)), noise(len(calls)), color="0.9", lw=0)
        axes.plot(lags, worst[1:], color=WORST, lw=1)
        axes.plot(lags, order_autocorrelation(delays)[1:], color=ORDER, lw=1, ls="--")
        axes.set_xlim(1, max(2, len(worst) - 1))
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    finish(axes)


def finish(axes: Axes) -> None:
    axes.tick_params(length=2, pad=2)
    axes.grid(axis="y", color="0.9", lw=0.6)
    axes.set_axisbelow(True)


def legend(measure: Measure, together: bool) -> list[Line2D | Patch]:
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


def caption(
    trace: Trace, rows: pd.DataFrame, measure: Measure, times: MessageTimes, hidden: int
) -> str:
    text = [
        "Left: each invocation of the call site. Middle: how many have a worst case of that size. "
        "Right: how much the worst case, and the order in which ranks arrive (Spearman), are like "
        "those of so many invocations before, on the communicator with the most of them."
    ]
    if measure is FACTORS:
        relative = (
            f"{times.given_us:g} µs a message, as given"
            if times.given_us is not None
            else "the time of one of its messages between the first rank and the last"
        )
        text.append(
            f"An imbalance factor is relative to {relative}; below 1 a call counts as balanced "
            "(Faraj 2006)."
        )
    if len(rows) and rows["site"].value_counts().max() > MOST_POINTS:
        text.append("With many invocations, a point is the largest of some neighbours.")
    if trace.clock_error_ns:
        text.append(f"The nodes' clocks agree within {trace.clock_error_ns / US:.2f} µs.")
    if hidden:
        text.append(
            f"Shown are the {MOST_SITES} call sites with the largest sums of imbalance; "
            f"{hidden} more are in the table."
        )
    return " ".join(text)
