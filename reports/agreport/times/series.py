# SPDX-License-Identifier: BSD-3-Clause
"""Every iteration of one case in its order, and the histogram: drift, modes and warm-up.

A line of two panels for each algorithm; launches stand one after the other. The case is chosen by
the filters, such as --ranks 4 --bytes 1K. With --normal each histogram has the normal distribution
of its mean and standard deviation, as in figure 11 of Marendic et al. (2016).
"""

from argparse import Namespace
from collections.abc import Iterable, Sequence
from itertools import chain
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from agformats.errors import BadInput
from agformats.units import time_unit
from agreport.data.load import CASE, Results
from agreport.data.rows import ROWS
from agreport.figure.looks import Look, looks
from agreport.figure.panels import (
    beyond_handle,
    check_count,
    highest_drawn,
    mark_beyond,
    pair_sheet,
)
from agreport.figure.scales import is_wide, logarithmic
from agreport.figure.sheet import Sheet
from agreport.figure.words import in_case, plural, shown, time_of, time_text, timed_once
from agreport.stats.arrays import Floats
from agreport.stats.launch_interval import statistics_of
from agreport.stats.samples import measured
from agreport.stats.steadiness import steadiness

MOST_ALGORITHMS = 12
BINS = 60
WINDOWS = 25  # of the running median, in a launch
FEW = 200  # up to so many iterations have large points
# The points of more iterations are an image: as shapes they take seconds, and are most of a page.
MOST_SHAPES = 10_000
KEYS = ["launch", "algorithm", "iteration"]
NORMAL: dict[str, Any] = {"color": "black", "lw": 0.8, "ls": (0, (3, 1.5))}


def one_case(_: Namespace, results: Results) -> Results:
    cases = results.timed()[CASE].drop_duplicates()
    several = [column for column in CASE if cases[column].nunique() > 1]
    if several:
        left = [f"{column} {', '.join(map(str, cases[column].unique()[:4]))}" for column in several]
        raise BadInput(
            f"the filters leave {len(cases)} cases, and one is drawn; they differ in "
            f"{'; '.join(left)}: choose with {', '.join(f'--{column}' for column in several)}"
        )
    if cases.empty:
        raise BadInput("the case has no times: every algorithm was wrong in it")
    # Cases without times have late rows, and ok rows of what another launch found to be wrong.
    inside = in_case_of(results, cases.iloc[0])
    return results if inside.all() else with_runs(results, inside)


def in_case_of(results: Results, case: Iterable[object]) -> "pd.Series[bool]":
    """Returns which runs of the results are of this case."""
    return (results.runs[CASE] == list(case)).all(axis=1)


def with_runs(results: Results, kept: "pd.Series[bool]") -> Results:
    return results.keep(results.rows[np.repeat(kept.to_numpy(), results.runs[ROWS])])


def series(results: Results, options: Namespace) -> pd.DataFrame:
    """Returns the iterations of the algorithms with times in order: launch, algorithm, iteration,
    status, and the time of the metric. Late iterations have a time too."""
    rows = results.rows[results.rows["status"].isin(["ok", "late"])]
    column = results.column_of(options.metric)
    found = rows[[*KEYS, "status", column]].dropna(subset=["iteration", column])
    found = found.astype({"algorithm": str, "iteration": int})
    timed = set(results.timed()["algorithm"].astype(str))
    return found[found["algorithm"].isin(timed)].sort_values(KEYS).reset_index(drop=True)


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    metric, column = options.metric, results.column_of(options.metric)
    names = [name for name in results.catalogue if name in set(found["algorithm"])]
    check_count(len(names), MOST_ALGORITHMS, "algorithms; choose with --algorithms")
    case = results.timed()[CASE].iloc[0]
    checked = steadiness(results, metric)
    us, unit = time_unit(float(found[column].median()))
    found = found.assign(time=found[column] / us)
    top = highest_drawn(found["time"], found["algorithm"])
    titles = [
        name_panel(
            shown(name),
            describe_samples(checked, name),
            describe_beyond(found[found["algorithm"] == name], top, column),
        )
        for name in names
    ]
    page, pairs = pair_sheet(
        titles,
        f"{metric.capitalize()} time of every {timed_once(metric)}\n{in_case(case)}",
        make_legend(found, bool(found["time"].gt(top).any()), options.normal),
        write_caption(found, metric, checked, options.normal),
        line_cm=4.9,
    )
    within = found.loc[found["time"] <= top, "time"]
    wide = is_wide(within.tolist())
    edges = bins(within.to_numpy(float), wide)
    for name, (left, right) in zip(names, pairs, strict=True):
        rows = found[found["algorithm"] == name]
        in_order(left, rows, looks(results.catalogue)[name], top)
        times = rows.loc[rows["status"] == "ok", "time"].to_numpy(float)
        histogram(right, times, looks(results.catalogue)[name], edges, wide)
        if options.normal:
            draw_normal(right, times, edges)
        if wide:
            logarithmic(left, "y", within.tolist())
        else:
            left.set_ylim(0, 1.05 * float(within.max()))
        left.set(xlabel=f"{timed_once(metric)}, launch after launch", ylabel=f"time ({unit})")
        right.set(xlabel=f"time ({unit})", ylabel=f"{timed_once(metric)}s")
    return page


def name_panel(name: str, *described: Sequence[str]) -> str:
    """Returns the title of an algorithm's panels: its name, and what is described of its times."""
    text = ", ".join(chain.from_iterable(described))
    return f"{name}: {text}" if text else name


def describe_beyond(found: pd.DataFrame, top: float, column: str) -> list[str]:
    """Describes what of one algorithm is beyond the axes."""
    us = found.loc[found["time"] > top, column]
    return [f"{len(us)} beyond the axes, up to {time_text(us.max())}"] if len(us) else []


def describe_samples(checked: pd.DataFrame, name: str) -> list[str]:
    """Describes what is wrong with the launches of one algorithm. A launch of one time has no
    coefficient of variation."""
    samples = pd.DataFrame(checked.xs(name, level="algorithm"))
    cv_percent = samples["cv_percent"].max()
    found = [] if np.isnan(cv_percent) else [f"coefficient of variation {cv_percent:.0f} %"]
    for flags, what in (
        (samples["drifts"], "drift"),
        (samples["low_mode_us"].notna(), "two modes"),
    ):
        if flags.any():
            found.append(f"{what} in {int(flags.sum())} of {plural(len(samples), 'launch')}")
    return found


def in_order(axes: Axes, rows: pd.DataFrame, look: Look, top: float) -> None:
    """Draws a point for each iteration of one algorithm, launch after launch, and a running median
    in each launch; a triangle where a time is beyond the top. Late iterations are crosses, and the
    median is without them."""
    start = 0
    for place, (_, part) in enumerate(rows.groupby("launch")):
        at = start + np.arange(len(part))
        late = (part["status"] == "late").to_numpy()
        times = part["time"].to_numpy(float)
        (dots,) = axes.plot(at[~late], times[~late], ".", color=look.colour, mew=0)
        dots.set(markersize=dot_pt(len(rows)), rasterized=len(rows) > MOST_SHAPES)
        axes.plot(at[late], times[late], "x", color="0.3", ms=3, mew=0.7)
        mark_beyond(axes, at[times > top].tolist(), look.colour)
        window = max(3, len(part) // WINDOWS)
        counted = pd.Series(times[~late])
        axes.plot(
            at[~late], counted.rolling(window, center=True, min_periods=1).median(), "k", lw=1
        )
        if place:
            axes.axvline(start - 0.5, color="0.5", lw=0.8, ls="--")
        start += len(part)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlim(-0.02 * start - 0.5, 1.02 * start)


def dot_pt(count: int) -> float:
    """Returns how large each of so many points is: large enough to be seen alone if they are
    few."""
    return 2.5 if count > FEW else 5.0


def bins(times: Floats, wide: bool) -> list[float]:
    """Returns the edges of the histograms' bins, which are the same for every algorithm. On a
    logarithmic axis (wide) a time of 0 is in no bin. Times that are all equal have one bin."""
    low = times[times > 0].min() if wide else times.min()
    high = times.max()
    if high <= low:
        return [0.9 * low, 1.1 * high + (high == 0)]
    edges = np.geomspace(low, high, BINS + 1) if wide else np.linspace(low, high, BINS + 1)
    return [float(edge) for edge in edges]


def histogram(axes: Axes, times: Floats, look: Look, edges: list[float], wide: bool) -> None:
    axes.hist(times, edges, color=look.colour, edgecolor="white", lw=0.2)
    if wide:
        logarithmic(axes, "x", edges)
    axes.axvline(float(np.median(times)), color="black", lw=1)
    axes.yaxis.set_major_locator(MaxNLocator(5, integer=True))


def draw_normal(axes: Axes, times: Floats, edges: list[float]) -> None:
    """Draws how many iterations each bin would have if the times were normally distributed; nothing
    for times that are all equal."""
    if len(times) < 2 or np.ptp(times) == 0:
        return
    below = [NormalDist(times.mean(), times.std(ddof=1)).cdf(edge) for edge in edges]
    middles = (np.array(edges[:-1]) + np.array(edges[1:])) / 2
    axes.plot(middles, len(times) * np.diff(below), **NORMAL)


def make_legend(found: pd.DataFrame, beyond: bool, normal: bool) -> Sequence[Line2D]:
    handles = [Line2D([], [], color="black", lw=1, label="left: running median; right: median")]
    if normal:
        handles.append(Line2D([], [], **NORMAL, label="normal distribution"))
    if found["launch"].nunique() > 1:
        handles.append(Line2D([], [], color="0.5", lw=0.8, ls="--", label="next launch"))
    if beyond:
        handles.append(beyond_handle())
    if found["status"].eq("late").any():
        handles.append(Line2D([], [], color="0.3", marker="x", ls="", label="late: does not count"))
    return handles


def write_caption(found: pd.DataFrame, metric: str, checked: pd.DataFrame, normal: bool) -> str:
    launches = found["launch"].nunique()
    text = f"The {time_of(metric)}, without warm-up iterations, of {plural(launches, 'launch')}."
    if checked["drifts"].any():
        text += " Drift: of over 5 % from the first third of a launch to the last, which is no "
        text += "chance."
    if normal:
        text += " Normal distribution: of the same mean and standard deviation, as "
        text += f"{timed_once(metric)}s a bin; none where all times are equal."
    if launches > 1 and checked["cv_percent"].notna().any():
        text += " The coefficient of variation is the worst launch's."
    return text


def select_most_varied(results: Results, options: Namespace) -> Results | None:
    """Returns the results of the case in which an algorithm's times vary most, with the algorithms
    that vary most in it, MOST_ALGORITHMS at most. The fastest and the slowest tenth of the times do
    not count, so that no single iteration chooses the case. Returns None if nothing has two
    iterations."""
    column = results.column_of(options.metric)
    samples = measured(results, column).samples
    low, middle, high = (
        pd.Series(statistics_of(results, column).percentiles[each], samples.index, name=column)
        for each in (0.1, 0.5, 0.9)
    )
    count = np.bincount(samples.group, samples.count)
    spread = ((high - low) / middle)[count > 1].dropna()
    if spread.empty:
        return None
    by_case = spread.reset_index("algorithm")
    worst = by_case.loc[[spread.droplevel("algorithm").idxmax()]]
    shown = worst.sort_values(column, ascending=False, kind="stable")["algorithm"]
    inside = in_case_of(results, worst.index[0])
    return with_runs(results, inside & results.runs["algorithm"].isin(shown[:MOST_ALGORITHMS]))
