# SPDX-License-Identifier: BSD-3-Clause
"""Several programs side by side: how balanced their collective calls are.

The table is Faraj's (2006) 4.10 and 4.11: a row a program, with its mean imbalance factors over
all calls of all routines. The figure is his 4.12 to 4.14: how many calls have a worst case factor
of which size, for small and for larger messages, in each program and in all of them, weighted
equally.
"""

from collections.abc import Mapping
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from agreport.figure.looks import COLOURS
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.words import plural
from agreport.stats.arrays import Floats
from agreport.trace.figure import FACTORS, SMALL_BYTES, TIMES, Measure, draw_shares, set_heading
from agreport.trace.imbalance import BALANCED, mean

PANEL_CM = 4.6
ALL = "all programs, equally weighted"
ALL_COLOUR = "0.25"


def summarise(programs: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Returns a table with a row a program: its ranks, sites and calls, and the means of its
    imbalances (us: microseconds). programs: name -> its calls, as imbalance.imbalances returns
    them."""
    rows = []
    for name, calls in programs.items():
        known = calls[calls["worst_factor"].notna()]
        balanced = known.assign(balanced=known["worst_factor"] < BALANCED)
        rows.append(
            {
                "program": name,
                "ranks": calls["ranks"].max(),
                "sites": calls["site"].nunique(),
                "calls": calls["weight"].sum(),
                "small_calls": calls["weight"][is_small(calls)].sum(),
                "average_us": mean(calls, "average_us"),
                "worst_us": mean(calls, "worst_us"),
                "average_factor": mean(calls, "average_factor"),
                "worst_factor": mean(calls, "worst_factor"),
                "balanced_percent": 100 * mean(balanced, "balanced"),
            }
        )
    return pd.DataFrame(rows).set_index("program")


def is_small(calls: pd.DataFrame) -> "pd.Series[bool]":
    return calls["bytes"] <= SMALL_BYTES


def draw(programs: Mapping[str, pd.DataFrame]) -> Sheet:
    factors = all(calls["worst_factor"].notna().all() for calls in programs.values())
    measure = FACTORS if factors else TIMES
    drawn = by_size(programs)
    colours = dict(zip(programs, cycle(COLOURS), strict=False))
    legend = [Patch(color=ALL_COLOUR, label=ALL)]
    legend += [Patch(color=colour, label=name) for name, colour in colours.items()]
    page = sheet(
        "When the ranks of programs arrive", PANEL_CM * len(drawn), legend, caption(measure)
    )
    grid = page.figure.add_gridspec(len(drawn), 1)
    for place, (heading, parts) in enumerate(drawn.items()):
        axes = page.figure.add_subplot(grid[place])
        count = sum(int(calls["weight"].sum()) for calls in parts.values())
        set_heading(axes, f"{heading}: {plural(count, 'call')}")
        shares = {name: measure.count_shares(calls) for name, calls in parts.items()}
        mean: Floats = np.mean(list(shares.values()), axis=0)
        of_programs = [(colours[name], share) for name, share in shares.items()]
        draw_shares(axes, measure, [(ALL_COLOUR, mean), *of_programs])
    return page


def by_size(programs: Mapping[str, pd.DataFrame]) -> dict[str, dict[str, pd.DataFrame]]:
    """Returns by heading the calls of each program: first those of small messages (SMALL_BYTES at
    most), then the others. Programs without such calls are left out, and headings without
    programs."""
    found: dict[str, dict[str, pd.DataFrame]] = {}
    for heading, small in (("at most", True), ("more than", False)):
        of_size = {name: calls[is_small(calls) == small] for name, calls in programs.items()}
        if parts := {name: calls for name, calls in of_size.items() if len(calls)}:
            found[f"messages of {heading} {SMALL_BYTES} B"] = parts
    return found


def caption(measure: Measure) -> str:
    text = (
        "How many of a program's collective calls have a worst case imbalance (last minus first "
        "arrival) of that size; after figures 4.12 to 4.14 of Faraj (2006)."
    )
    if measure is FACTORS:
        return f"{text} A factor is relative to the time of one of the call's messages."
    return f"{text} In microseconds, since not all traces have the times of messages."
