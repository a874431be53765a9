# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of every case and algorithm over the iterations of all launches."""

from agreport.cli import options as opt
from agreport.cli.report import Report
from agreport.stats.summary import summarise

REPORT = Report(
    "summary",
    __doc__,
    needs=(opt.METRIC,),
    table=lambda results, options: summarise(results, options.metric).assign(metric=options.metric),
)
