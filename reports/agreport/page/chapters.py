# SPDX-License-Identifier: BSD-3-Clause
"""Lists the reports on the page, in its order: first what is open, then what is behind folds."""

from collections.abc import Mapping, Sequence

from agreport.cli.report import Report
from agreport.commands import report
from agreport.diagnostics import cliffs

# Each chapter has the title of its fold.
CHAPTERS: Mapping[str, Sequence[Report]] = {
    "": (
        *map(report, ("loss", "speedup", "times", "selection", "scaling", "impact")),
        cliffs.SECTION,
        *map(report, ("variation", "series", "model", "arrival", "absorption", "delays")),
    ),
    "{algorithm} against the best other algorithm, as Loch (2021) does it": (
        *map(report, ("heatmap", "boxplot", "table", "against-sets", "venn")),
    ),
}
