# SPDX-License-Identifier: BSD-3-Clause
"""Table of an algorithm against the linear ones only, and against the logarithmic ones only.

After 6.2.2 of Loch (2021): whatever the set, for all block sizes, for those up to 1 KiB and for
larger ones. The heat maps are those of --versus linear-steps, or any other set.
"""

from argparse import Namespace
from collections.abc import Iterator

import pandas as pd

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.cli.report import Report
from agreport.data.algorithm_sets import members
from agreport.data.load import PANEL, Results
from agreport.stats.contest import IMPROVEMENT, Contest

LARGEST_SMALL = 1024  # bytes; Loch's border between small and large
SETS = ("loch2021", "linear-steps", "logarithmic-steps", "library")
SIZES = ("all", "to 1K", "over 1K")


def against_sets(results: Results, contest: Contest, metric: str) -> pd.DataFrame:
    """Per panel, set and class of sizes; a set without any algorithm here has no line."""
    rows = [row for name in SETS for row in against(results, contest, name, metric)]
    columns = [*PANEL, "against", "sizes"]
    return (
        pd.DataFrame(rows, columns=None if rows else columns)
        .set_index(columns)
        .sort_index(level=PANEL, sort_remaining=False, kind="stable")
    )


def against(
    results: Results, contest: Contest, name: str, metric: str
) -> Iterator[dict[str, object]]:
    others = members(name, contest.others)
    if not others:
        return
    versus = Contest(contest.chosen, others, contest.statistic, contest.united)
    verdicts = versus.verdicts(results, metric)
    small = verdicts.index.get_level_values("bytes") <= LARGEST_SMALL
    for label, part in zip(SIZES, (verdicts, verdicts[small], verdicts[~small]), strict=True):
        for panel, cases in part.groupby(level=PANEL, observed=True):
            count = int(cases["compared"].sum())
            won, best = int(cases["won"].sum()), int(cases["clear"].sum())
            yield {
                **dict(zip(PANEL, panel, strict=True)),
                "against": name,
                "sizes": label,
                "cases": count,
                "fastest_in": won,
                "fastest_in_percent": 100 * won / count if count else float("nan"),
                "near_ties": won - best,
                "best_in": best,
                "mean_percent": cases[IMPROVEMENT].where(cases["won"]).mean(),
            }


def table(results: Results, options: Namespace) -> pd.DataFrame:
    found = against_sets(results, options.contest, options.metric)
    if found.empty:
        raise BadInput(f"no set of {', '.join(SETS)} has an algorithm to compare with here")
    return found


REPORT = Report(
    "against-sets",
    __doc__,
    needs=(opt.CONTEST, opt.METRIC),
    table=table,
    formerly=("stripped",),
)
