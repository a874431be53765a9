# SPDX-License-Identifier: BSD-3-Clause
"""How much slower an algorithm, such as the MPI library's own, is than the best of each case.

Prints in how many cases it is as good as the best, and where it is the furthest behind. -o draws a
map of its time over the best one's. Near-ties are grey.
"""

from argparse import Namespace
from collections.abc import Iterator

import pandas as pd
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap

from agformats.catalogue import catalogue
from agreport.cli import options as opt
from agreport.cli.render import Part
from agreport.cli.report import OnPage, Report
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, PANEL, Results
from agreport.data.machines import machine_texts
from agreport.data.settings import without_empty
from agreport.figure.cell_grid import Maps
from agreport.figure.medium import medium
from agreport.figure.names import listed, shown
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import DIGIT_PT, LINE_CM, POINTS_A_CM, TITLE_A_CM, wrapped
from agreport.figure.words import (
    in_case,
    launches,
    near_tie,
    panel_titles,
    plural,
    time_of,
    united_text,
)
from agreport.stats.contest import Contest
from agreport.stats.times import NEAR_SEPARATOR
from agreport.winners.heatmap_panel import GAPS
from agreport.winners.loss_panel import AS_GOOD, BOUNDS, LOSS, LossPanel, shade

MOST_CASES = 5  # of the largest losses
BAR_CM = 1.05


def losses(results: Results, options: Namespace) -> pd.DataFrame:
    """One row a case: the algorithm's time, the best one and its time, and the quotient; 1 where it
    is the fastest, NaN where it or every other one has no time."""
    found = options.contest.verdicts(results, options.metric)
    best_us = found[["chosen_us", "rival_us"]].min(axis=1)
    chosen = options.contest.chosen
    tied = found["near"].map(lambda names: chosen in names.split(NEAR_SEPARATOR))
    return pd.DataFrame(
        {
            f"{chosen}_us": found["chosen_us"],
            "best": found["fastest"],
            "best_us": best_us,
            LOSS: (found["chosen_us"] / best_us).where(found["compared"] & (best_us > 0)),
            "near_tie": tied | (found["near"].ne("") & (found["chosen_us"] == best_us)),
            "compared_with": found["rival"].notna(),
        }
    )


def draw(results: Results, found: pd.DataFrame, options: Namespace) -> Sheet:
    contest: Contest = options.contest
    chosen = shown(contest.chosen)
    groups = found.groupby(level=PANEL, observed=True)
    time = f"{contest.chosen}_us"
    panels = [LossPanel(t, groups.get_group(p), time) for p, t in panel_titles(found).items()]
    maps = Maps(panels)
    bar_title = wrapped("its time over the best one's", medium().width_cm, TITLE_A_CM)
    bar_title_cm = 0.45 + bar_title.count("\n") * LINE_CM
    gaps = [gap for gap in GAPS if any(p.gaps[gap] for p in panels)]
    page = sheet(
        f"Time of {chosen} over that of the best algorithm, by {contest.statistic} "
        f"{options.metric} time",
        BAR_CM + bar_title_cm + maps.height_cm,
        [gap.patch(contest.chosen) for gap in gaps],
        write_caption(results, found, options),
    )
    bar = page.axes(page.width_cm / 4, bar_title_cm, page.width_cm / 2, 0.3)
    colours = ScalarMappable(
        BoundaryNorm([*BOUNDS, 2 * BOUNDS[-1]], len(BOUNDS)),
        LinearSegmentedColormap.from_list("loss", [shade(bound) for bound in BOUNDS], len(BOUNDS)),
    )
    scale = page.figure.colorbar(colours, cax=bar, orientation="horizontal", spacing="uniform")
    scale.set_ticks(BOUNDS, labels=[f"{bound:g}" for bound in BOUNDS])
    scale.ax.text(1.01, 0.5, "and more", transform=scale.ax.transAxes, va="center")
    bar.set_title(bar_title)
    digits = next((n for n in (2, 1) if (n + 2) * DIGIT_PT < maps.cell_cm * POINTS_A_CM), None)
    for panel, axes in maps.place(page, BAR_CM + bar_title_cm):
        panel.draw(axes, digits)
        page.tooltips.extend(panel.tooltips(axes, contest.chosen))
    return page


def write_caption(results: Results, found: pd.DataFrame, options: Namespace) -> str:
    contest: Contest = options.contest
    near = int((found["near_tie"] & (found[LOSS] >= AS_GOOD)).sum())
    return (
        f"The {contest.statistic} is of the {time_of(options.metric)}, over all "
        f"iterations of {launches(results)}; the best is of {listed(contest.everyone)}. Grey: "
        f"{plural(near, 'near-tie', 'near-ties')} of {AS_GOOD:g} and more. Grey numbers: all "
        f"near-ties, {near_tie(results)}.{united_text(contest.united)}"
    )


def in_words(found: pd.DataFrame, chosen: str) -> Iterator[str]:
    """The answer to "is it any good here?", in three sentences at most."""
    loss = found[LOSS].dropna()
    if loss.empty:
        yield f"No case has times of {chosen} and of another algorithm."
        return
    good = int((loss < AS_GOOD).sum())
    fastest = int(found["best"][loss.index].eq(chosen).sum())
    yield (
        f"{chosen} is within {100 * (AS_GOOD - 1):.0f} % of the best in {good} of "
        f"{plural(len(loss), 'case', 'cases')} ({100 * good / len(loss):.0f} %), and the fastest "
        f"in {fastest}."
    )
    if loss.max() == 1:
        return
    median = f"It loses {100 * (loss.median() - 1):.0f} % in the median case"
    near = found["near_tie"][loss.index]
    if near.all():
        yield f"{median}, but nowhere can it be told from the best."
        return
    worst = loss[~near].idxmax()
    case = in_case(pd.Series(worst, CASE).astype(str))
    yield (
        f"{median}; in the worst it takes {loss[worst]:.2g} times as long as "
        f"{found['best'][worst]}: {case}."
    )
    if untold := int((near & (loss >= AS_GOOD)).sum()):
        yield f"In {untold} of the others it cannot be told from the best."


def worst_cases(losses: pd.DataFrame) -> pd.DataFrame:
    """Those that are no near-ties."""
    behind = losses[(losses[LOSS] >= AS_GOOD) & ~losses["near_tie"]].nlargest(MOST_CASES, LOSS)
    found = behind.drop(columns=["near_tie", "compared_with"]).reset_index()
    # What most launches have none of: groups, something beside the calls.
    ordinary = [
        name for name, value in catalogue().ordinary.items() if (found[name] == value).all()
    ]
    return without_empty(found.drop(columns=ordinary))


def how_to_mend(results: Results) -> str:
    """The command that makes the library choose better, of equal blocks."""
    tune = "agreport tune FILES --distribution regular --arrival none"
    if any(name.startswith(f"{LIBRARY}:") for name in results.timed_algorithms()):
        return f"{tune} says which of its own algorithms the library should choose."
    return (
        "To make the library choose better, time its own algorithms too (native:NAME of --list); "
        f"then {tune} says which it should choose."
    )


def parts(results: Results, found: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    yield from in_words(found, options.contest.chosen)
    yield from machine_texts(results)
    worst = worst_cases(found)
    if len(worst):
        yield "The largest losses", worst
        if options.contest.chosen == LIBRARY:
            yield how_to_mend(results)


REPORT = Report(
    "loss",
    __doc__,
    view="loss",
    needs=(opt.CONTEST, opt.METRIC),
    table=losses,
    draw=draw,
    parts=parts,
    on_page=(
        OnPage(
            "What {algorithm} loses",
            "Map: block sizes up, rank counts across; the time of {algorithm} over the best one's",
        ),
    ),
)
