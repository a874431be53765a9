# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as text: a line a case, and the verdict."""

import numpy as np
import pandas as pd

from agreport import render

from .comparison import Comparison
from .verdicts import VERDICTS


def report(comparison: Comparison) -> str:
    return f"{render.text(table(comparison.cases))}\nverdict: {comparison.verdict}\n"


def table(cases: pd.DataFrame) -> pd.DataFrame:
    """For reading; the worst first."""
    order = cases["verdict"].map(VERDICTS.index)
    shown = cases.assign(order=order, size=-cases["change"].abs())
    shown = shown.sort_values(["order", "size"], kind="stable")
    return pd.DataFrame(
        {
            "base_us": shown["base_us"],
            "new_us": shown["new_us"],
            "new/base": np.exp(shown["change"]),
            "low": np.exp(shown["low"]),
            "high": np.exp(shown["high"]),
            "detectable_%": 100 * np.expm1(shown["detectable"]),
            "verdict": shown["verdict"],
        }
    ).reset_index()
