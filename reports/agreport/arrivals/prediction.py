# SPDX-License-Identifier: BSD-3-Clause
"""What it takes to predict arrivals: how far predictions are off, and the helper thread's time."""

import pandas as pd

from agformats.units import three_digits
from agreport.arrivals.delays import in_order
from agreport.data.load import PAIR, Results

HEADING = "What prediction takes"
LEGEND = (
    "How far the worst rank's prediction was off, as median and largest of the iterations, and in "
    "times of one block's message (t); the processor time of the helper thread on the busiest "
    "rank (median), which the computation may miss."
)
ALWAYS = ("ranks", "bytes", "arrival", "algorithm")


def prediction_table(results: Results) -> pd.DataFrame:
    """A row for each case of an algorithm that predicts; empty if none does."""
    rows = results.timed().dropna(subset=["prediction_error_us", "helper_us"])
    keys = [column for column in PAIR if column in ALWAYS or rows[column].nunique() > 1]
    groups = rows.groupby(keys, observed=True)
    medians = groups[["prediction_error_us", "helper_us", "message_us"]].median()
    columns = {
        "off_us": medians["prediction_error_us"],
        "off_t": medians["prediction_error_us"] / medians["message_us"],
        "largest_us": groups["prediction_error_us"].max(),
        "helper_us": medians["helper_us"],
    }
    shown = {name: values.map(three_digits) for name, values in columns.items()}
    table = pd.DataFrame(shown).reset_index()
    return table.sort_values("arrival", key=in_order, kind="stable")
