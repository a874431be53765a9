# SPDX-License-Identifier: BSD-3-Clause
"""How much of an imbalance algorithms absorb, and how much slower than another one they are.

After Marendic et al. (2016): at the left (figure 12) the ratio of medians of the run time to a
reference, with the significance of a permutation test; at the right (figure 13) the normalised
absorption A/t(balanced) against the normalised imbalance I/t(balanced). On standard output the
share of samples without serial correlation (table 7) and with an even variance.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from agformats.errors import BadInput, check_known
from agformats.former_names import add_former
from agformats.units import three_digits, time_unit
from agreport.arrivals import independence
from agreport.arrivals.absorption_table import (
    Comparison,
    absorbed,
    fastest,
    missing,
    with_run_times,
)
from agreport.arrivals.experiments import SETTING, with_balanced
from agreport.cli import options as opt
from agreport.cli import render
from agreport.cli.report import Report
from agreport.data.arrival_labels import NONE
from agreport.data.load import Results
from agreport.diagnostics.arrival_caveats import arrival_caveats
from agreport.figure.scales import is_wide, logarithmic, mark, pair_sheet
from agreport.figure.sheet import Sheet, lines
from agreport.figure.words import launches, plural, titles
from agreport.stats.inference import CONFIDENCE, PERMUTATIONS

GROUP = [*SETTING, "family"]
MOST_GROUPS = 12
# Up to which p a marker stands, as in the paper's legend; the last: not significant.
MARKERS = {0.001: "o", 0.01: "^", 0.05: "D", 1.0: "v"}
NOT_SIGNIFICANT = "#C00000"
IMBALANCES = ("normalised", "asked")


def add_comparison(parser: ArgumentParser) -> None:
    baseline = parser.add_argument(
        "--baseline",
        metavar="NAME",
        help="the algorithm that others are compared with (default: the overall fastest, by the "
        "geometric mean of medians)",
    )
    add_former(parser, baseline, "--reference")
    parser.add_argument(
        "--imbalance",
        choices=IMBALANCES,
        default=IMBALANCES[0],
        help="horizontal axis at the left: the asked imbalance over the reference's balanced "
        "time, or itself (default: %(default)s)",
    )
    parser.add_argument(
        "--unpaired",
        action="store_true",
        help="deal all values anew in the permutation test, as in the paper, instead of "
        "exchanging the two of an iteration",
    )
    parser.add_argument(
        "--permutations",
        type=int,
        default=PERMUTATIONS,
        metavar="NUMBER",
        help="of the test (default: %(default)s)",
    )


def settle_comparison(options: Namespace, found: Results) -> Results:
    """options.comparison becomes how algorithms are compared; rows keep a run time."""
    if options.permutations < 1000:
        raise BadInput(f"--permutations: '{options.permutations}' is below 1000")
    results = with_run_times(found)
    timed = set(results.timed()["algorithm"].unique())
    legal = [name for name in results.catalogue if name in timed]
    baseline = options.baseline or fastest(results)
    check_known("--baseline", [baseline], legal, "an algorithm with times here")
    options.comparison = Comparison(baseline, not options.unpaired, options.permutations)
    return results


def show(results: Results, found: pd.DataFrame, _: Namespace) -> None:
    tested = independence.samples(results)
    for caveat in [*arrival_caveats(results), *independence.warnings(tested), *missing(found)]:
        print(f"agreport: warning: {caveat}", file=sys.stderr)
    for title, table in sample_tables(tested):
        print(f"{title}\n{render.text(table)}")


def sample_tables(tested: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    patterns = tested.index.get_level_values("arrival").nunique()
    for name, (column, _) in independence.TESTS.items():
        yield (
            f"Share of samples that pass the {name}, by block size "
            f"({plural(len(tested), 'sample', 'samples')}, "
            f"{plural(patterns, 'arrival pattern', 'arrival patterns')})",
            independence.passing(tested, column),
        )


def draw(
    results: Results,
    found: pd.DataFrame,
    comparison: Comparison,
    imbalance: str = IMBALANCES[0],
    first_groups: int | None = None,
) -> Sheet:
    """first_groups: draw so many if there are more, instead of refusing."""
    groups = list(with_balanced(found).groupby(GROUP, observed=True))
    drawn = opt.limited(groups, MOST_GROUPS, first_groups, "lines of panels")
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=GROUP))
    shown = pd.concat([group for _, group in drawn])
    look = lines(shown["algorithm"].astype(str).unique().tolist(), results.catalogue)
    for style in look.values():
        del style["marker"]
    page, pairs = pair_sheet(
        rest,
        "\n".join(filter(None, ["Run time under imbalance, and its absorption", common])),
        [
            *(Line2D([], [], label=name, **style) for name, style in look.items()),
            *(significance(p) for p in MARKERS),
        ],
        caption(results, shown, comparison, len(groups) - len(drawn)),
    )
    for (left, right), (_, group) in zip(pairs, drawn, strict=True):
        draw_ratios(left, group, comparison.reference, look, imbalance)
        draw_absorption(right, group, look)
    return page


def significance(p: float) -> Line2D:
    highest = max(MARKERS)
    return Line2D(
        [],
        [],
        linestyle="",
        marker=MARKERS[p],
        ms=4,
        mfc="0.4" if p < highest else NOT_SIGNIFICANT,
        mec="0.4" if p < highest else NOT_SIGNIFICANT,
        label=f"p \N{LESS-THAN OR EQUAL TO} {p:g}" if p < highest else "not significant",
    )


def marker(p: float) -> str:
    return next(one for limit, one in MARKERS.items() if p <= limit)


def draw_ratios(
    axes: Axes,
    rows: pd.DataFrame,
    reference: str,
    look: Mapping[str, dict[str, Any]],
    imbalance: str,
) -> None:
    """Each point has the marker of its own p, the reference the one of the highest p there."""
    column = f"asked_imbalance_{'n' if imbalance == 'normalised' else 'us'}"
    if rows[column].isna().any():  # no balanced run
        column = "asked_imbalance_us"
    us, unit = (1.0, "") if column.endswith("_n") else time_unit(float(rows[column].max()))
    rows = rows.assign(x=rows[column] / us).sort_values("x")
    highest_p = rows.groupby("x")["p"].max()
    for name, style in look.items():
        line = rows[(rows["algorithm"] == name) & rows["ratio"].notna()]
        axes.plot(line["x"], line["ratio"], **style)
        chances = highest_p.reindex(line["x"]) if name == reference else line["p"]
        for x, ratio, p in zip(line["x"], line["ratio"], chances, strict=True):
            if p == p:
                ink = NOT_SIGNIFICANT if marker(p) == MARKERS[1.0] else style["color"]
                axes.plot([x], [ratio], marker(p), color=ink, ms=4, mec="white", mew=0.3)
    ratios = rows["ratio"].dropna().tolist()
    if is_wide(ratios):
        logarithmic(axes, "y", ratios)
    values = sorted(rows["x"].dropna().unique().tolist())
    mark(axes, values, [three_digits(value) for value in values], 10 if is_wide(values) else None)
    axes.set_xlabel(
        f"asked imbalance ({unit})" if unit else f"asked imbalance / t(balanced) of {reference}"
    )
    axes.set_ylabel(f"median run time / {reference}'s")


def draw_absorption(axes: Axes, rows: pd.DataFrame, look: Mapping[str, dict[str, Any]]) -> None:
    """With the lines of an algorithm that absorbs everything, and of one that absorbs nothing."""
    known = rows[rows["absorbed_n"].notna() & (rows["arrival"] != NONE)].sort_values("imbalance_n")
    axes.set_xlabel("imbalance I / t(balanced)")
    axes.set_ylabel("absorption A / t(balanced)")
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
        axes.errorbar(
            line["imbalance_n"], middle, yerr=bars, capsize=1.5, elinewidth=0.6, marker=".", **style
        )
    imbalances = known["imbalance_n"].tolist()
    if is_wide(imbalances):
        logarithmic(axes, "x", imbalances)
        every = np.geomspace(*axes.get_xlim(), 200)
    else:
        axes.set_xlim(0, 1.05 * max(imbalances) or 1)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
        every = np.linspace(*axes.get_xlim(), 2)
    axes.plot(every, every, color="0.5", lw=0.8, ls=(0, (4, 2)), scalex=False, scaley=False)
    axes.axhline(0, color="0.5", lw=0.8)
    # By the points: a bar may be long where I is many times t(balanced).
    low, high = min(0.0, known["absorbed_n"].min()), max(0.0, known["absorbed_n"].max())
    room = max(0.1 * (high - low), 0.02)
    axes.set_ylim(low - room, high + 2 * room)


def caption(results: Results, rows: pd.DataFrame, comparison: Comparison, left_out: int) -> str:
    paired = comparison.paired and bool(rows["pairs"].gt(0).any())
    how = (
        "exchanging the two values of an iteration, in which both had the same arrival times"
        if paired
        else "dealing all values anew, as in the paper"
    )
    text = (
        f"Run time: last exit minus first arrival, median over the iterations of "
        f"{launches(results)}. Markers: two-sided permutation test of the ratio of medians "
        f"({comparison.permutations} permutations, {how}); on {comparison.reference}'s line the "
        "highest p of the others. Absorption A = t(balanced) \N{MINUS SIGN} t + I, where t is the "
        "run time, t(balanced) that without delays, and I the measured imbalance; dashed: A = I, "
        f"no slowdown; 0: slower by all of I. Bars: {100 * CONFIDENCE:.0f} % (bootstrap)."
    )
    if left_out > 0:
        text += f" {plural(left_out, 'line', 'lines')} more: agreport absorption draws them."
    return text


REPORT = Report(
    "absorption",
    __doc__,
    needs=(opt.ALGORITHMS, opt.Need(add_comparison, settle_comparison)),
    table=lambda results, options: absorbed(results, options.comparison),
    draw=lambda results, found, options: draw(
        results, found, options.comparison, options.imbalance
    ),
    show=show,
)
