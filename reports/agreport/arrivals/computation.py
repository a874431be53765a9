# SPDX-License-Identifier: BSD-3-Clause
"""How far apart ranks come that all compute for the same time (Faraj 2006, 4.2.3).

In each iteration the longest computation of a rank minus the shortest, and the last arrival minus
the first: figures 4.17 and 4.18. With several times of computation, how the former grows with it:
figure 4.19. Launches with --compute TIME --sync none --record ranks have both.
"""

from argparse import Namespace
from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.catalogue import catalogue
from agformats.files.result_file import CASE, PAIR
from agformats.units import time_unit
from agreport.cli import inputs
from agreport.cli.report import Part
from agreport.data.load import SETTING, Results
from agreport.data.rank_delays import COMPUTED, beside_launches, load_computations, numbered
from agreport.figure.looks import COLOURS
from agreport.figure.panels import Groups, choose_groups, panel_sheet, panels_a_page
from agreport.figure.scales import is_wide, logarithmic
from agreport.figure.sheet import Sheet
from agreport.figure.words import plural, time_text

GROUP = [SETTING, *PAIR, "nodes"]
ITERATION = ["launch", "iteration"]
APART, ARRIVED, MEAN = "computation_apart_us", "arrivals_apart_us", "computation_us"
ARRIVALS = "imbalance_us"
DRAWN = {
    ARRIVED: (COLOURS[5], "o", "last arrival after the first"),
    APART: (COLOURS[0], ".", "longest computation over the shortest"),
}


def load(options: Namespace) -> pd.DataFrame:
    results = inputs.load_selected(options)
    ranks = computations(results, options.keep_going)
    options.left_out = [*results.left_out, *ranks.left_out]
    return per_iteration(results, ranks.rows)


def computations(results: Results, keep_going: bool = False) -> Results:
    """Reads how long each rank computed in each iteration, from the files beside the results; the
    launches have the numbers of the results."""
    files = beside_launches(results)
    names = [str(path) for path in files.values()]
    found = load_computations(names, keep_going, results.left_out)
    return found.keep(numbered(found, files))


def per_iteration(results: Results, ranks: pd.DataFrame) -> pd.DataFrame:
    """Returns a row for each iteration of a launch: how long ranks computed on average, how far
    apart these times are, and how far apart the ranks came, in us. Settings are in the order of
    their computation, the shortest first. ranks: the rows of `computations`."""
    keys = [*PAIR, *ITERATION]
    times = ranks.groupby(keys, observed=True)[COMPUTED].agg(["mean", "max", "min"]).reset_index()
    times[MEAN], times[APART] = times["mean"], times["max"] - times["min"]
    timed = results.timed()[[SETTING, *keys, "nodes", ARRIVALS]]
    texts = {key: str for key in timed if isinstance(timed[key].dtype, pd.CategoricalDtype)}
    joined = timed.astype(texts).merge(
        times.astype({key: str for key in texts if key in times})[[*keys, MEAN, APART]], on=keys
    )
    order = joined.groupby(SETTING)[MEAN].mean().sort_values().index  # short computations first
    joined[SETTING] = pd.Categorical(joined[SETTING], order, ordered=True)
    return joined.rename(columns={ARRIVALS: ARRIVED}).sort_values([*GROUP, *ITERATION])


def summarise(rows: pd.DataFrame, _: Namespace) -> pd.DataFrame:
    """Returns a row for each case and algorithm: means over the iterations, and the worst
    iterations, in us."""
    groups = rows.groupby(GROUP, observed=True)
    found = groups.agg(
        iterations=("iteration", "size"),
        computation_us=(MEAN, "mean"),
        computation_apart_us=(APART, "mean"),
        computation_apart_worst_us=(APART, "max"),
        arrivals_apart_us=(ARRIVED, "mean"),
        arrivals_apart_worst_us=(ARRIVED, "max"),
    )
    found["arrivals_over_computation"] = found[ARRIVED] / found[APART]
    return found.reset_index().sort_values([MEAN, *CASE], ignore_index=True)


def exponent(found: pd.DataFrame) -> float:
    """Returns the exponent of the power law from the length of a computation to how far apart
    ranks end it, by least squares of the logarithms; 1 is linear. NaN if there is one computation
    only, or the longest takes less than 1.5 times as long as the shortest."""
    known = found[(found[MEAN] > 0) & (found[APART] > 0)]
    across = np.log(known[MEAN].to_numpy(float))
    if len(across) < 2 or np.ptp(across) < np.log(1.5):
        return float("nan")
    return float(np.polyfit(across, np.log(known[APART].to_numpy(float)), 1)[0])


def list_parts(rows: pd.DataFrame, found: pd.DataFrame, _: Namespace) -> Iterator[Part]:
    yield "Means over the iterations", found
    power = exponent(found)
    if not np.isnan(power):
        yield (
            "How far apart computations end grows with their length to the power of "
            f"{power:.2f} (1: linear)."
        )


def draw(rows: pd.DataFrame, found: pd.DataFrame, options: Namespace) -> Sheet:
    chosen = choose_groups(rows, GROUP, options, most=panels_a_page() - 1)
    power = exponent(found)
    grows = not np.isnan(power)
    lengths = [f"computes {time_text(group[MEAN].mean())}" for group in chosen.groups]
    titles = [
        ", ".join(filter(None, [title, length]))
        for title, length in zip(chosen.titles, lengths, strict=True)
    ]
    more = [f"All: to the power of {power:.2f}"] if grows else []
    page, panels = panel_sheet(
        [*titles, *more],
        chosen.head("How far apart ranks compute, and come"),
        [
            Line2D([], [], color=colour, marker=marker, ms=4, ls="", label=label)
            for colour, marker, label in DRAWN.values()
        ],
        write_caption(chosen, grows),
    )
    unit = time_unit(float(np.median(chosen.rows[[*DRAWN]].to_numpy(float))))
    for axes, group in zip(panels, chosen.groups, strict=False):
        draw_iterations(axes, group, unit)
    if grows:
        draw_growth(panels[-1], found, power)
    return page


def draw_iterations(axes: Axes, rows: pd.DataFrame, scale: tuple[float, str]) -> None:
    """Draws how far apart the ranks of each iteration are, launch after launch.

    scale: how many microseconds the unit of the vertical axis has, and the name of this unit.
    """
    us, unit = scale
    values = rows[[*DRAWN]].to_numpy(float).ravel()
    for column, (colour, marker, _) in DRAWN.items():
        axes.plot(range(len(rows)), rows[column] / us, marker, color=colour, ms=2.5, mew=0)
    if is_wide((values / us).tolist()):
        logarithmic(axes, "y", (values / us).tolist())
    else:
        axes.set_ylim(0, 1.05 * float(values.max()) / us)
    axes.locator_params(axis="x", integer=True)
    axes.set(xlabel="iteration", ylabel=f"apart ({unit})")


def draw_growth(axes: Axes, found: pd.DataFrame, power: float) -> None:
    us, unit = time_unit(float(found[MEAN].median()))
    apart_us, apart_unit = time_unit(float(found[APART].median()))
    across, up = found[MEAN] / us, found[APART] / apart_us
    axes.plot(across, up, "o", color=DRAWN[APART][0], ms=4, mew=0)
    ends = np.array([across.min(), across.max()])
    middle = np.exp(np.log(up).mean() - power * np.log(across).mean())
    axes.plot(ends, middle * ends**power, color="0.4", lw=0.8, ls=(0, (4, 2)))
    logarithmic(axes, "x", across.tolist())
    logarithmic(axes, "y", up.tolist())
    axes.set(xlabel=f"computation ({unit})", ylabel=f"computations apart, mean ({apart_unit})")


def write_caption(chosen: Groups, grows: bool) -> str:
    there = chosen.rows["collective"].astype(str).unique()
    words = " or ".join(dict.fromkeys(map(catalogue().word_for, there)))
    text = (
        "After figures 4.17 to 4.19 of Faraj (2006): all ranks compute for the same time before "
        f"each {words}. {plural(len(chosen.rows), 'iteration')}; late ones and "
        "warm-up do not count."
    )
    if grows:
        text += (
            " Last panel: means of each case, and the power law nearest to them; "
            "to the power of 1 would be linear."
        )
    return text + chosen.describe_rest("agreport computation")
