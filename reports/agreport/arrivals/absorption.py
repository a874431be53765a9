# SPDX-License-Identifier: BSD-3-Clause
"""How much of an imbalance algorithms absorb, and how much slower than another one they are.

After Marendic et al. (2016): at the left (figure 12) the ratio of medians of the run time to a
reference, filled where a permutation test calls it significant; at the right (figure 13) the
normalised absorption A/t(balanced) against the normalised imbalance I/t(balanced). --x bytes draws
the largest normalised absorption against the size (figure 6). On standard output the share of
samples without serial correlation (table 7) and with an even variance.
"""

from argparse import Namespace
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from agformats.errors import BadInput, check_known
from agformats.student import CONFIDENCE
from agformats.units import time_unit
from agreport.arrivals import absorption_by_size
from agreport.arrivals.absorption_table import (
    DEFINITION,
    TESTS,
    Comparison,
    absorption_table,
    fastest,
    find_missing_balanced,
    sample_tests,
    share_passing,
    warn_of_dependence,
    with_run_times,
)
from agreport.arrivals.experiments import with_balanced
from agreport.arrivals.size_by import COLUMNS, size_column, with_size
from agreport.cli.report import Part
from agreport.data.arrival_labels import NONE
from agreport.data.load import Results
from agreport.data.total_sizes import join_totals
from agreport.diagnostics.arrival_caveats import arrival_caveats
from agreport.figure.looks import line_handles, lines
from agreport.figure.panels import LINES, choose_groups, times_apart
from agreport.figure.scales import is_wide, logarithmic, round_ticks
from agreport.figure.sheet import Sheet
from agreport.figure.words import launches, plural, shown
from agreport.reports.arrivals import PERMUTATIONS
from agreport.stats.medians import BALANCED_CASE

GROUP = [*BALANCED_CASE, "family"]
# A marker is filled up to this p, and hollow beyond; --csv has each p.
SIGNIFICANT = 0.05
HOLLOW = {"mfc": "white", "mew": 0.9}


def settle_comparison(options: Namespace, found: Results) -> Results:
    """Sets options.comparison to how algorithms are compared, and returns the results without rows
    whose run time is not known. Raises BadInput if there are no arrival patterns or run times, or
    if --baseline is no algorithm with times."""
    if not found.has_patterns:
        raise BadInput(
            f"{', '.join(options.files)}: no arrival patterns, so no imbalance to absorb; "
            "legal: launches with --arrival PATTERN"
        )
    results = with_run_times(found)
    legal = results.timed_algorithms()
    baseline = fastest(results) if options.baseline is None else options.baseline
    check_known("--baseline", [baseline], legal, "an algorithm with times here")
    options.comparison = Comparison(baseline, not options.unpaired, options.permutations)
    return results


def find_diagnostics(results: Results, found: pd.DataFrame, _: Namespace) -> Iterator[str]:
    yield from arrival_caveats(results)
    yield from warn_of_dependence(sample_tests(results))
    yield from find_missing_balanced(found)


def list_parts(results: Results, _: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    tested = join_totals(sample_tests(results), results)
    if len(tested):
        yield from sample_tables(tested, options.size_by)
    count = len(results.rows[BALANCED_CASE].drop_duplicates())
    if options.first and count > options.first:
        yield (
            f"Absorption is drawn for {options.first} of {count} combinations of "
            f"{', '.join(BALANCED_CASE)}; `agreport absorption` draws the others."
        )


def table(results: Results, options: Namespace) -> pd.DataFrame:
    """Returns the absorption table of the first options.first settings (values of BALANCED_CASE),
    or of all settings. Each setting takes a permutation test for each arrival pattern and
    algorithm, so a page has only some settings."""
    keys = results.rows[BALANCED_CASE].drop_duplicates().sort_values(BALANCED_CASE)[: options.first]
    few = results.rows.merge(keys, on=BALANCED_CASE) if options.first else results.rows
    return absorption_table(results.keep(few), options.comparison)


def compare_with_fastest(results: Results, options: Namespace) -> Results | None:
    """Has the page compare each algorithm with the fastest one."""
    if not results.has_patterns:
        return None
    known = with_run_times(results)
    options.comparison = Comparison(fastest(known), True, PERMUTATIONS)
    return known


def sample_tables(tested: pd.DataFrame, size_by: str) -> Iterator[tuple[str, pd.DataFrame]]:
    patterns = tested.index.get_level_values("arrival").nunique()
    for name, (column, _) in TESTS.items():
        yield (
            f"Share of samples that pass the {name}, by {size_by} size "
            f"({plural(len(tested), 'sample')}, {plural(patterns, 'arrival pattern')})",
            share_passing(tested, column, COLUMNS[size_by]),
        )


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    if options.x == "bytes":
        return absorption_by_size.draw(results, found, options)
    comparison: Comparison = options.comparison
    keys = with_size(GROUP, size_column(options))
    chosen = choose_groups(
        with_balanced(found), keys, options, times_apart("run_us", "arrival"), what=LINES
    )
    rows = chosen.rows
    look = lines(rows["algorithm"], results.catalogue)
    page, pairs = chosen.pairs(
        "Run time under imbalance, and its absorption",
        [*line_handles(look), *significance(rows)],
        write_caption(results, rows, comparison),
        "agreport absorption",
    )
    scale = time_unit(float(rows["asked_imbalance_us"].max()))
    for (left, right), group in pairs:
        draw_ratios(left, group, comparison.reference, look, options.imbalance, scale)
        draw_absorption(right, group, look)
    return page


def significance(rows: pd.DataFrame) -> Iterator[Line2D]:
    """Yields the legend's entries for significance, as far as there are any."""
    grey: dict[str, Any] = {"color": "0.4", "marker": "o", "ms": 4, "ls": ""}
    tested = rows["p"].dropna()
    if (tested <= SIGNIFICANT).any():
        label = f"filled: p \N{LESS-THAN OR EQUAL TO} {SIGNIFICANT:g}"
        yield Line2D([], [], **grey, label=label)
    if (tested > SIGNIFICANT).any():
        yield Line2D([], [], **{**grey, **HOLLOW}, label="hollow: not significant")


def draw_ratios(
    axes: Axes,
    rows: pd.DataFrame,
    reference: str,
    look: Mapping[str, dict[str, Any]],
    imbalance: str,
    scale: tuple[float, str],
) -> None:
    """Draws the ratios of medians to the reference against the asked imbalance, a line for each
    algorithm. A point that is not significant is hollow; the reference is not compared with itself.
    imbalance: the value of --imbalance. scale: the microseconds of the unit of asked imbalances,
    and the unit's name."""
    column = f"asked_imbalance_{'n' if imbalance == 'normalised' else 'us'}"
    if rows[column].isna().any():  # no balanced run
        column = "asked_imbalance_us"
    us, unit = (1.0, "") if column.endswith("_n") else scale
    rows = rows.assign(x=rows[column] / us).sort_values("x")
    for name, style in look.items():
        line = rows[(rows["algorithm"] == name) & rows["ratio"].notna()]
        axes.plot(line["x"], line["ratio"], **style)
        unsure = line[line["p"] > SIGNIFICANT]
        mark = {**style, **HOLLOW, "mec": style["color"], "ls": ""}
        mark.pop("linestyle")
        axes.plot(unsure["x"], unsure["ratio"], **mark)
    ratios = rows["ratio"].dropna().tolist()
    if is_wide(ratios):
        logarithmic(axes, "y", ratios)
    round_ticks(axes, sorted(rows["x"].dropna().unique().tolist()))
    over = f"t(balanced) of {shown(reference)}"
    axes.set_xlabel(f"asked imbalance ({unit})" if unit else f"asked imbalance / {over}")
    axes.set_ylabel(f"median run time / {shown(reference)}'s")


def draw_absorption(axes: Axes, rows: pd.DataFrame, look: Mapping[str, dict[str, Any]]) -> None:
    """Draws also the lines of an algorithm that absorbs everything, and of one that absorbs
    nothing."""
    known = rows[rows["absorbed_n"].notna() & (rows["arrival"] != NONE)].sort_values("imbalance_n")
    axes.set(xlabel="imbalance I / t(balanced)", ylabel="absorption A / t(balanced)")
    if known.empty:
        why = "no balanced run" if rows["arrival"].ne(NONE).any() else "no arrival pattern"
        axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center")
        axes.set(xticks=[], yticks=[])
        return
    for name, style in look.items():
        line = known[known["algorithm"] == name]
        middle = line["absorbed_n"]
        ends = [middle - line["absorbed_n_low"], line["absorbed_n_high"] - middle]
        bars = [bar.clip(lower=0).fillna(0).to_numpy() for bar in ends]
        axes.errorbar(line["imbalance_n"], middle, yerr=bars, capsize=1.5, elinewidth=0.6, **style)
    imbalances = known["imbalance_n"].tolist()
    if is_wide(imbalances):
        logarithmic(axes, "x", imbalances)
        every = np.geomspace(*axes.get_xlim(), 200)
    else:
        axes.set_xlim(0, 1.05 * max(imbalances) or 1)
        every = np.linspace(*axes.get_xlim(), 2)
    axes.plot(every, every, color="0.5", lw=0.8, ls=(0, (4, 2)), scalex=False, scaley=False)
    axes.axhline(0, color="0.5", lw=0.8)
    # The points set the limits: a bar may be long where I is many times t(balanced).
    low, high = min(0.0, known["absorbed_n"].min()), max(0.0, known["absorbed_n"].max())
    room = max(0.1 * (high - low), 0.02)
    axes.set_ylim(low - room, high + 2 * room)


def write_caption(results: Results, rows: pd.DataFrame, comparison: Comparison) -> str:
    paired = comparison.paired and bool(rows["pairs"].gt(0).any())
    how = (
        "exchanging the two values of an iteration, in which both had the same arrival times"
        if paired
        else "dealing all values anew, as in the paper"
    )
    text = (
        "Run time: last exit minus first arrival, median over the iterations of "
        f"{launches(results)}."
    )
    if rows["p"].notna().any():
        text += (
            " Filled or hollow: by a two-sided permutation test of the ratio of medians "
            f"({comparison.permutations} permutations, {how}); --csv has each p."
        )
    elif any(launch.simulated for launch in results.launches):
        text += " Simulated times have no noise, so nothing is tested."
    if rows["absorbed_n"].notna().any():
        text += (
            f" {DEFINITION}; dashed: A = I, no slowdown; 0: slower by all of I; below 0: by more "
            "than I, so that the delays cost what they last and more."
        )
    if rows["absorbed_n_low"].notna().any():
        text += f" Bars: {100 * CONFIDENCE:.0f} % (bootstrap)."
    return text
