# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm is the fastest at each block size and delay (Proficz 2021, tables 3 and 4)."""

from collections.abc import Iterator

import pandas as pd

from agreport.arrivals.experiments import SETTING, with_balanced
from agreport.data.algorithm_sets import ARRIVAL_AWARE
from agreport.figure.words import plural, size_label, titles
from agreport.stats.inference import CONFIDENCE, FEWEST_PAIRS

UNSURE = "~"
AS_ASKED = "as asked"  # by a pattern that has no single delay, such as a trace
SECTION = [*[column for column in SETTING if column != "bytes"], "family"]
LEGEND = (
    f"The fastest algorithm by mean average elapsed time; of an arrival-aware one "
    f"({', '.join(ARRIVAL_AWARE)}) the time of the best regular algorithm over its own. {UNSURE}: "
    f"the {100 * CONFIDENCE:.0f} % interval of that ratio has 1 in it (bootstrap over the "
    f"iterations, paired), or there are under {FEWEST_PAIRS} pairs; of a regular one, its ratio to "
    "the best arrival-aware algorithm."
)


def sections(found: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """A title and a table for each number of ranks (and of whatever else there are several)."""
    rows = with_balanced(found)
    groups = rows.groupby(SECTION, observed=True, sort=True)
    keys = pd.DataFrame([key for key, _ in groups], columns=SECTION)
    common, rest = titles(keys)
    for title, (_, group) in zip(rest, groups, strict=True):
        yield ", ".join(filter(None, [title, common])), table(group)


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """Block sizes down, delays across; a dash where there is no experiment."""
    columns = rows[["size", "delay_us"]].drop_duplicates().sort_values("delay_us")["size"]
    sizes = sorted(rows["bytes"].unique())
    cells = {key: " / ".join(of_labels(group)) for key, group in rows.groupby(["bytes", "size"])}
    return pd.DataFrame(
        {
            "bytes": [size_label(size) for size in sizes],
            **{
                delay or AS_ASKED: [cells.get((size, delay), "-") for size in sizes]
                for delay in columns.unique()
            },
        }
    )


def of_labels(rows: pd.DataFrame) -> Iterator[str]:
    """One entry, but where two labels say the same (delay=5ms,rank=1 and rank=1,delay=5ms)."""
    for _, case in rows.groupby("arrival", observed=True):
        yield entry(case)


def entry(case: pd.DataFrame) -> str:
    """bdr 1.15, bdr 1.01~, ring, ring~"""
    winner = case[case["fastest"]].iloc[0]
    name = str(winner["algorithm"])
    aware = case[case["aware"]]
    if aware.empty or aware["regular"].isna().all():
        return name
    if winner["aware"]:
        name += f" {winner['gain']:.2f}"
    else:
        winner = aware.sort_values("mean_us").iloc[0]
    return name if winner["sure"] else name + UNSURE


def count(found: pd.DataFrame) -> str:
    cases = found.groupby(level=[name for name in found.index.names if name != "algorithm"])
    return plural(cases.ngroups, "experiment", "experiments")
