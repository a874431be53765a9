# SPDX-License-Identifier: BSD-3-Clause
"""Table of an algorithm against the linear ones only, and against the logarithmic ones only.

After 6.2.2 of Loch (2021): whatever the set, for all block sizes, for those up to 1 KiB and for
larger ones. The heat maps are those of --versus linear-steps, or any other set.
"""

from dataclasses import replace

import pandas as pd

from agformats.errors import BadInput
from agreport.data.algorithm_sets import members, without_left_out
from agreport.data.load import PANEL, Results
from agreport.stats.contest import Contest
from agreport.winners.table import count_wins

LARGEST_SMALL = 1024  # bytes; Loch's border between small and large
SETS = ("loch2021", "linear-steps", "logarithmic-steps", "library")
SIZES = ("all", "to 1K", "over 1K")
COLUMNS = ["cases", "fastest_in", "fastest_in_percent", "near_ties", "best_in", "mean_percent"]


def against_sets(results: Results, contest: Contest, metric: str) -> pd.DataFrame:
    """Counts wins per panel, set and class of sizes, as count_wins does; a set without any
    algorithm here has no line. What a set leaves out is left out of the others, not of the
    chosen algorithm, which may have the name of one of them in another collective.

    Raises BadInput if no set has an algorithm here.
    """
    parts = []
    for name in SETS:
        if not (others := members(name, contest.others)):
            continue
        kept = without_left_out(results, [name], [contest.chosen])
        verdicts = replace(contest, others=others).verdicts(kept, metric)
        small = verdicts.index.get_level_values("bytes") <= LARGEST_SMALL
        for sizes, cases in zip(SIZES, (verdicts, verdicts[small], verdicts[~small]), strict=True):
            labels = {
                "against": pd.Categorical([name] * len(cases), SETS),
                "sizes": pd.Categorical([sizes] * len(cases), SIZES),
            }
            parts.append(cases.assign(**labels).set_index([*labels], append=True))
    if not parts:
        raise BadInput(f"no set of {', '.join(SETS)} has an algorithm to compare with here")
    return count_wins(pd.concat(parts), [*PANEL, "against", "sizes"])[COLUMNS]
