# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of every case and algorithm over the iterations of all launches.

Where launches have a model (--measure-model of the benchmarks): model_us, the algorithm's time by
Hockney's model; model_percent, its share of the median; and bound_percent, the share of the bound
that no collective comes below in that model. Of equal blocks without an arrival pattern.
"""

from agreport.cli import options as opt
from agreport.cli import program
from agreport.cli.report import Report
from agreport.times.model_shares import with_model

REPORT = Report(
    "summary",
    __doc__,
    logs=True,
    needs=(opt.METRIC, opt.Need(program.add_program)),
    table=lambda results, options: with_model(results, options.metric, options.program).assign(
        metric=options.metric
    ),
)
