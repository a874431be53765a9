# SPDX-License-Identifier: BSD-3-Clause
"""The reports on which algorithm wins each case."""

from agformats.notes import tell
from agreport.cli import options as opt
from agreport.cli.later import Module
from agreport.cli.report import OnPage, Report
from agreport.cli.rows import choice

heatmap = Module("winners.heatmap")
selection = Module("winners.selection")
loss = Module("winners.loss")
table = Module("winners.table")
boxplot = Module("winners.boxplot")
venn = Module("winners.venn")
against_sets = Module("winners.against_sets")
words = Module("figure.words")

NEAR_TIES = ("corner", "hatch", "none")  # how near-ties are drawn

MAP_TEXT = (
    "Heat map: block sizes up, rank counts across; the best algorithm of each case, or the "
    "improvement of {algorithm} where it is the best"
)

NEAR = opt.Need(
    choice(
        "--near-ties",
        NEAR_TIES,
        "how they are drawn, in the colour of the other algorithm",
        figure=True,
    )
)

REPORTS = (
    Report(
        "selection",
        selection,
        logs=True,
        needs=(opt.ALGORITHMS, opt.UNITED, opt.STATISTIC, opt.METRIC, NEAR),
        table=selection.selections,
        draw=selection.draw,
        parts=selection.parts,
        on_page=(
            OnPage(
                "Which algorithm to select",
                "Map: block sizes up, rank counts across; the fastest algorithm of each case, with "
                "a corner in the colour of a near-tie",
                select=selection.several,
                flows=True,
            ),
        ),
    ),
    Report(
        "heatmap",
        heatmap,
        logs=True,
        needs=(opt.CONTEST, opt.METRIC, NEAR),
        table=lambda results, options: options.contest.verdicts(results, options.metric),
        draw=heatmap.draw,
        on_page=(
            OnPage("Where {algorithm} wins", MAP_TEXT, flows=True),
            OnPage(
                "Where {algorithm} wins if each algorithm has the better of its mappings",
                MAP_TEXT,
                select=heatmap.both_mappings,
                flows=True,
            ),
        ),
    ),
    Report(
        "loss",
        loss,
        logs=True,
        needs=(opt.CONTEST, opt.METRIC),
        table=loss.losses,
        draw=loss.draw,
        parts=loss.parts,
        on_page=(
            OnPage(
                "How many times as long {algorithm} takes as the best algorithm",
                "Map: block sizes up, rank counts across; how many times as long {algorithm} "
                "takes as the best",
                flows=True,
            ),
        ),
    ),
    Report(
        "table",
        table,
        needs=(opt.CONTEST,),
        table=lambda results, options: table.improvements(results, options.contest),
        diagnostics=table.doubts,
        on_page=(OnPage(""),),
    ),
    Report(
        "boxplot",
        boxplot,
        needs=(opt.CONTEST,),
        table=lambda results, options: options.contest.all_verdicts(results),
        draw=boxplot.draw,
        on_page=(
            OnPage(
                "By how much",
                "Boxplot: improvement of {algorithm} over the second best algorithm where it is "
                "the fastest",
            ),
        ),
    ),
    Report(
        "venn",
        venn,
        needs=(opt.CONTEST,),
        table=lambda results, options: venn.regions(options.contest.all_verdicts(results)),
        draw=venn.draw,
        on_page=(
            OnPage(
                "Fastest by min, avg and max",
                "Venn diagrams: cases in which {algorithm} is the fastest by min, avg and max",
            ),
        ),
    ),
    Report(
        "against-sets",
        against_sets,
        needs=(opt.CONTEST, opt.METRIC),
        table=lambda results, options: against_sets.against_sets(
            results, options.contest, options.metric
        ),
        diagnostics=lambda results, *_: words.same_text(results),
        write=lambda _, __, options: tell(
            f"agreport: {words.what_a_time_is(options.statistic, options.metric)}"
        ),
        on_page=(OnPage("Against some of the others only"),),
    ),
)
