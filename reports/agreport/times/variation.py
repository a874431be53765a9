# SPDX-License-Identifier: BSD-3-Clause
"""Distribution functions of the coefficient of variation of each algorithm's cases.

After figure 33 of Loch (2021): how many of its cases vary by no more than what is on the
horizontal axis; with --united of its better mapping in each case.
"""

from argparse import Namespace

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from agreport.data.load import CASE, PAIR, PANEL, Results
from agreport.diagnostics.caveats import HIGHEST_CV_PERCENT
from agreport.figure.looks import line_handles, lines
from agreport.figure.panels import panel_sheet
from agreport.figure.scales import logarithmic
from agreport.figure.sheet import Sheet
from agreport.figure.words import launches, panel_titles, time_of, timed_once, united_text
from agreport.stats.medians import points
from agreport.stats.summary import summarise
from agreport.stats.times import UNITED, is_partly_united
from agreport.times.scaling import describe_others, of_top

MARKS_APART = 0.25  # of the axes
SMALLEST_PERCENT = 0.01  # a logarithmic axis has no 0


def variations(results: Results, options: Namespace) -> pd.DataFrame:
    """Returns a row for each case and algorithm that is drawn: iterations, mean_us, cv_percent, and
    share, the part of the panel's cases of that algorithm that vary no more. cv_percent and share
    are NaN of fewer than two iterations."""
    found = summarise(results, options.metric)[
        ["iterations", "mean_us", "cv_percent"]
    ].reset_index()
    if options.united:
        found = found.sort_values("mean_us", kind="stable").assign(mapping=UNITED)
        found = found.drop_duplicates(PAIR)
        found = found[~is_partly_united(found.set_index(PAIR), results)]
    found["algorithm"] = found["algorithm"].astype(str)
    drawn = of_top(points(results, options.metric), options)["algorithm"]
    found = found[found["algorithm"].isin(drawn)]
    groups = found.groupby([*PANEL, "algorithm"], observed=True)["cv_percent"]
    found["share"] = groups.rank(method="max") / groups.transform("count")
    return found.set_index([*CASE, "algorithm"]).sort_index()


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    known = found.dropna(subset="cv_percent")
    shown = panel_titles(found)
    look = lines(known.index.unique("algorithm").tolist(), results.catalogue)
    limit = Line2D([], [], color="0.4", ls="--", lw=0.8, label=f"{HIGHEST_CV_PERCENT:g} %")
    page, every = panel_sheet(
        list(shown.values()),
        f"Distribution of the coefficient of variation of {options.metric}",
        [*line_handles(look), limit],
        write_caption(results, found, options),
    )
    values = known["cv_percent"].clip(lower=SMALLEST_PERCENT)
    for axes, panel in zip(every, shown, strict=True):
        inside = known[known.index.droplevel([*CASE[len(PANEL) :], "algorithm"]) == panel]
        for place, (name, style) in enumerate(look.items()):
            line = inside[inside.index.get_level_values("algorithm") == name]
            if line.empty:
                continue
            across = np.sort(line["cv_percent"].clip(lower=SMALLEST_PERCENT).to_numpy())
            share = np.arange(1, len(across) + 1) / len(across)
            # Markers at places of their own tell lines apart that are near each other.
            axes.plot(
                [across[0], *across],
                [0, *share],
                drawstyle="steps-post",
                markevery=(MARKS_APART * place / len(look), MARKS_APART),
                **style,
            )
        axes.axvline(HIGHEST_CV_PERCENT, color="0.4", ls="--", lw=0.8)
        logarithmic(axes, "x", [*values, HIGHEST_CV_PERCENT])
        axes.set_ylim(0, 1.02)
        axes.set(xlabel="coefficient of variation (%)", ylabel="share of cases")
    return page


def write_caption(results: Results, found: pd.DataFrame, options: Namespace) -> str:
    known = found["cv_percent"].dropna()
    once = timed_once(options.metric)
    text = (
        f"Standard deviation of the {time_of(options.metric)} divided by its mean, over all "
        f"{once}s of a case, of {launches(results)}. Of {len(known)} cases of an algorithm "
        f"{int((known <= HIGHEST_CV_PERCENT).sum())} are at or below {HIGHEST_CV_PERCENT:g} %."
    )
    if missing := len(found) - len(known):
        text += f" {missing} have fewer than two {once}s and are not drawn."
    text += describe_others(options)
    return text + united_text(results, options.united)
