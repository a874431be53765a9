# SPDX-License-Identifier: BSD-3-Clause
"""Distribution functions of the coefficient of variation of each algorithm's cases.

After figure 33 of Loch (2021): how many of its cases vary by no more than what is on the
horizontal axis; with --united of its better mapping in each case.
"""

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.load import CASE, PAIR, PANEL, Results
from agreport.diagnostics.caveats import HIGHEST_CV_PERCENT
from agreport.figure.scales import logarithmic, panel_sheet
from agreport.figure.sheet import Sheet, lines
from agreport.figure.words import UNITED_TEXT, launches, panel_titles
from agreport.stats.summary import summarise
from agreport.stats.times import UNITED

SMALLEST_PERCENT = 0.01  # a logarithmic axis has no 0


def variations(results: Results, metric: str, united: bool) -> pd.DataFrame:
    """cv_percent of every case and algorithm, and its share: that of the panel's cases of that
    algorithm that vary no more. NaN: fewer than two iterations."""
    found = summarise(results, metric)[["iterations", "mean_us", "cv_percent"]].reset_index()
    if united:
        found = found.sort_values("mean_us", kind="stable").assign(mapping=UNITED)
        found = found.drop_duplicates(PAIR)
    found["algorithm"] = found["algorithm"].astype(str)
    groups = found.groupby([*PANEL, "algorithm"], observed=True)["cv_percent"]
    found["share"] = groups.rank(method="max") / groups.transform("count")
    return found.set_index([*CASE, "algorithm"]).sort_index()


def draw(results: Results, found: pd.DataFrame, metric: str, united: bool = False) -> Sheet:
    known = found.dropna(subset="cv_percent")
    shown = panel_titles(found)
    look = lines(known.index.unique("algorithm").tolist(), results.catalogue)
    limit = Line2D([], [], color="0.4", ls="--", lw=0.8, label=f"{HIGHEST_CV_PERCENT:g} %")
    named = [
        Line2D([], [], label=name, color=style["color"], ls=style["linestyle"])
        for name, style in look.items()
    ]
    page, every = panel_sheet(
        list(shown.values()),
        f"Distribution of the coefficient of variation of {metric}",
        [*named, limit],
        caption(results, found, metric, united),
    )
    values = known["cv_percent"].clip(lower=SMALLEST_PERCENT)
    for axes, panel in zip(every, shown, strict=True):
        inside = known[known.index.droplevel([*CASE[len(PANEL) :], "algorithm"]) == panel]
        for name, style in look.items():
            line = inside[inside.index.get_level_values("algorithm") == name]
            if line.empty:
                continue
            across = np.sort(line["cv_percent"].clip(lower=SMALLEST_PERCENT).to_numpy())
            share = np.arange(1, len(across) + 1) / len(across)
            axes.step(
                [across[0], *across],
                [0, *share],
                where="post",
                color=style["color"],
                linestyle=style["linestyle"],
                lw=1.2,
            )
        axes.axvline(HIGHEST_CV_PERCENT, color="0.4", ls="--", lw=0.8)
        logarithmic(axes, "x", [*values, HIGHEST_CV_PERCENT])
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("coefficient of variation (%)")
        axes.set_ylabel("share of cases")
    return page


def caption(results: Results, found: pd.DataFrame, metric: str, united: bool) -> str:
    known = found["cv_percent"].dropna()
    text = (
        f"Standard deviation of the {metric} elapsed time over the ranks divided by its mean, "
        f"over all iterations of a case, of {launches(results)}. Of {len(known)} cases of an "
        f"algorithm {int((known <= HIGHEST_CV_PERCENT).sum())} are at or below "
        f"{HIGHEST_CV_PERCENT:g} %."
    )
    if missing := len(found) - len(known):
        text += f" {missing} have fewer than two iterations and are not drawn."
    return f"{text} {UNITED_TEXT}" if united else text


REPORT = Report(
    "variation",
    __doc__,
    needs=(opt.ALGORITHMS, opt.METRIC, opt.UNITED),
    table=lambda results, options: variations(results, options.metric, options.united),
    draw=lambda results, found, options: draw(results, found, options.metric, options.united),
    on_page=(
        OnPage(
            "How much iterations vary",
            "Distribution functions of each algorithm's coefficient of variation",
        ),
    ),
)
