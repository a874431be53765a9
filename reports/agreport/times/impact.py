# SPDX-License-Identifier: BSD-3-Clause
"""Impact factor: what it costs an algorithm that something else goes on at the same time.

The median time with the other groups (--groups) or other traffic beside it, over the median time
with nothing beside it, after GPCNeT; both kinds of rounds alternate in one launch. Bands are from
the lowest to the highest quotient of the two intervals. Where a band has 1 in it, no cost is seen.
"""

from argparse import Namespace

import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import Results
from agreport.stats.medians import impact, points
from agreport.times.scaling import of_top


def table(results: Results, options: Namespace) -> pd.DataFrame:
    options.y = "impact"
    timed = points(results, options.metric)
    found = impact(timed)
    known = found.loc[found["value"].notna(), "algorithm"]
    if known.empty:
        raise BadInput(
            "no case was measured both with nothing beside it and with something; launches with "
            "--groups measure both"
        )
    # The best are those with the lowest times: with the lowest impacts, the others were hidden.
    drawn = of_top(timed[timed["algorithm"].isin(known)], options)["algorithm"]
    return found[found["algorithm"].isin(drawn)] if options.not_drawn else found
