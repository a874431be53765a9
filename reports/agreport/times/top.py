# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithms figures of lines have: the best ones, as many as can be told apart."""

from argparse import Namespace

import pandas as pd

from agreport.cli import arg_types
from agreport.cli.options import Need
from agreport.cli.rows import value
from agreport.data.algorithm_sets import LIBRARY
from agreport.figure.words import plural
from agreport.stats.medians import nearest_to_best

MOST_LINES = 8
# What the figures of a page have, where a user would choose.
ON_PAGE: dict[str, object] = {"algorithms": [], "top": None}


add_top = value(
    "--top",
    "NUMBER",
    "only so many algorithms, those that are nearest to the best in the median case, and the "
    f"baseline or native (default: {MOST_LINES}, or all of --algorithms)",
    type=arg_types.count,
)


def of_top(points: pd.DataFrame, options: Namespace, always: str = LIBRARY) -> pd.DataFrame:
    """The points that are drawn. Sets options.not_drawn to the number of algorithms left out."""
    timed = points.loc[points["value"].notna(), "algorithm"].nunique()
    count: int = options.top or (timed if options.algorithms else MOST_LINES)
    options.not_drawn = max(0, timed - count)
    if not options.not_drawn:
        return points
    return points[points["algorithm"].isin(nearest_to_best(points, count, always))]


def describe_others(options: Namespace, drawn: int) -> str:
    """The sentence of a caption on algorithms that are not drawn; empty if all are."""
    if not (others := options.not_drawn):
        return ""
    return (
        f" {plural(others, 'algorithm', 'algorithms')} further from the best in the median case "
        f"{'is' if others == 1 else 'are'} not drawn; --top {drawn + others} draws all."
    )


TOP = Need(add_top)
