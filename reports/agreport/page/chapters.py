# SPDX-License-Identifier: BSD-3-Clause
"""Lists the reports on the page, in its order: first what is open, then what is behind folds."""

from collections.abc import Mapping, Sequence

from agreport.arrivals import absorption, arrival, delays
from agreport.cli.report import Report
from agreport.diagnostics import cliffs
from agreport.times import impact, model, scaling, series, speedup, times, variation
from agreport.winners import against_sets, boxplot, heatmap, loss, selection, table, venn

# Each chapter has the title of its fold.
CHAPTERS: Mapping[str, Sequence[Report]] = {
    "": (
        *(loss.REPORT, speedup.REPORT, times.REPORT, selection.REPORT, scaling.REPORT),
        impact.REPORT,
        cliffs.SECTION,
        *(variation.REPORT, series.REPORT, model.REPORT),
        *(arrival.REPORT, absorption.REPORT, delays.REPORT),
    ),
    "{algorithm} against the best other algorithm, as Loch (2021) does it": (
        *(heatmap.REPORT, boxplot.REPORT, table.REPORT, against_sets.REPORT, venn.REPORT),
    ),
}
