# SPDX-License-Identifier: BSD-3-Clause
"""Hybrid heat map: the fastest algorithm of each case, or how much the chosen one improves on it.

After figures 23 and 24 of Loch (2021). Where another algorithm is the best, the cell has its
colour. Where the chosen one is, the cell is grey: the larger its improvement over the best other
one, the darker (in Loch's figures, the lighter).
"""

from argparse import Namespace
from dataclasses import replace

import pandas as pd
from matplotlib.cm import ScalarMappable

from agreport.data.load import Results
from agreport.figure.cell_grid import Bar, Maps, draw_maps
from agreport.figure.looks import looks
from agreport.figure.sheet import Sheet
from agreport.figure.words import (
    FORMULA,
    caption_of_cases,
    listed,
    near_tie,
    plural,
    sample_of,
    shown,
    time_of,
)
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.stats.times import can_be_united
from agreport.winners.maps import GREYS, ContestPanel, Style, make_legend, panels_of


def draw(results: Results, verdicts: pd.DataFrame, options: Namespace) -> Sheet:
    contest: Contest = options.contest
    highest = verdicts[IMPROVEMENT].where(verdicts["won"]).max()
    style = Style(looks(results.catalogue), options.near_ties, highest)
    panels = [ContestPanel(*panel, style) for panel in panels_of(verdicts)]
    maps, chosen = Maps(panels), shown(contest.chosen)
    return draw_maps(
        f"Fastest algorithm by {contest.statistic} {options.metric} time, "
        f"and the improvement of {chosen} where it is the fastest",
        maps,
        make_legend(panels, style, contest.chosen),
        write_caption(results, verdicts, options, too_small=style.digits(maps.cell_cm) is None),
        Bar(
            f"improvement of {chosen} over the best other algorithm (%)",
            ScalarMappable(style.scale, GREYS),
        ),
    )


def write_caption(
    results: Results, verdicts: pd.DataFrame, options: Namespace, too_small: bool
) -> str:
    contest: Contest = options.contest
    won, clear = int(verdicts["won"].sum()), int(verdicts["clear"].sum())
    text = (
        f"A cell compares the {contest.statistic} t of the {time_of(options.metric)}, "
        f"{sample_of(results, contest.statistic)}. Grey: {shown(contest.chosen)} is strictly "
        f"faster than {listed(contest.others)}, the darker the larger its improvement {FORMULA} %."
    )
    if (verdicts["near"].ne("") & ~verdicts["tied"]).any():
        text += (
            f" Of {plural(won, 'such case')} {won - clear} are near-ties: the "
            f"fastest and the next are {near_tie(results)}."
        )
    if too_small:
        text += " The cells are too small for legible percentages; --csv writes them."
    return caption_of_cases(text, results, contest.united)


def both_mappings(results: Results, options: Namespace) -> Results | None:
    """Returns the results, and sets options to unite the mappings, since a page has this map as
    well. Returns None, for no such map, if the page's maps are united already or no case can be."""
    again = can_be_united(results) and not options.contest.united
    options.contest = replace(options.contest, united=True)
    return results if again else None
