# SPDX-License-Identifier: BSD-3-Clause
"""Table of an algorithm against the linear ones only, and against the logarithmic ones only.

After 6.2.2 of Loch (2021): whatever the set, for all block sizes, for those up to 1 KiB and for
larger ones. The heat maps are those of --versus linear-steps, or any other set.
"""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.cli.report import OnPage, Report
from agreport.data.algorithm_sets import members, without_left_out
from agreport.data.load import PANEL, Results
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.stats.times import UNITED

LARGEST_SMALL = 1024  # bytes; Loch's border between small and large
SETS = ("loch2021", "linear-steps", "logarithmic-steps", "library")
SIZES = ("all", "to 1K", "over 1K")


def against_sets(results: Results, contest: Contest, metric: str) -> pd.DataFrame:
    """Per panel, set and class of sizes; a set without any algorithm here has no line."""
    found = {
        name: dict(list(verdicts.groupby(level=PANEL, observed=True)))
        for name in SETS
        if (others := members(name, contest.others))
        for verdicts in [
            replace(contest, others=others).verdicts(without_left_out(results, [name]), metric)
        ]
    }
    panels = results.rows[PANEL]
    panels = panels.assign(mapping=UNITED) if contest.united else panels
    rows = [
        {**dict(zip(PANEL, panel, strict=True)), "against": name, **counts}
        for panel in panels.drop_duplicates().sort_values(PANEL).itertuples(index=False, name=None)
        for name, verdicts in found.items()
        if panel in verdicts
        for counts in count_wins(verdicts[panel])
    ]
    columns = [*PANEL, "against", "sizes"]
    return pd.DataFrame(rows, columns=None if rows else columns).set_index(columns)


def count_wins(verdicts: pd.DataFrame) -> Iterator[dict[str, object]]:
    small = verdicts.index.get_level_values("bytes") <= LARGEST_SMALL
    for label, cases in zip(SIZES, (verdicts, verdicts[small], verdicts[~small]), strict=True):
        if cases.empty:
            continue
        count = int(cases["compared"].sum())
        won, best = int(cases["won"].sum()), int(cases["clear"].sum())
        yield {
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


def any_set(results: Results, options: Namespace) -> Results | None:
    found = (members(name, options.contest.others) for name in SETS)
    return results if any(found) else None


REPORT = Report(
    "against-sets",
    __doc__,
    view="sets",
    needs=(opt.CONTEST, opt.METRIC),
    table=table,
    on_page=(OnPage("Against some of the others only", select=any_set),),
)
