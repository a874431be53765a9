# SPDX-License-Identifier: BSD-3-Clause
"""Statistics of every case and algorithm over the iterations of all launches.

Where launches have a model (--measure-model of the benchmarks): model_us, the algorithm's time by
Hockney's model; model_percent, its share of the median; and bound_percent, the share of the bound
that no collective comes below in that model. Of equal blocks without an arrival pattern.
"""

from argparse import Namespace

import pandas as pd

from agreport.data.load import Results
from agreport.times.model_shares import with_model


def table(results: Results, options: Namespace) -> pd.DataFrame:
    found = with_model(results, options.metric, options.program)
    return found.assign(metric=options.metric)
