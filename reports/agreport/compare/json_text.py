# SPDX-License-Identifier: BSD-3-Clause
"""The comparison for other programs: JSON, as compare.schema.json beside this file describes it."""

import json
from collections.abc import Iterator
from math import expm1, isfinite
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .agreement import differences
from .comparison import Comparison
from .verdicts import ALARMS, FALSE_DISCOVERIES, POWER

SCHEMA = Path(__file__).with_name("compare.schema.json")
VERSION = 1


def document(comparison: Comparison) -> dict[str, Any]:
    power = comparison.power
    return {
        "format": "agreport compare",
        "version": VERSION,
        "verdict": comparison.verdict,
        "exit_code": comparison.exit_code,
        "compared_by": comparison.pairing.kind,
        "metric": comparison.metric,
        "threshold_percent": 100 * comparison.threshold,
        "false_alarms_percent": 100 * ALARMS,
        "false_discoveries_percent": 100 * FALSE_DISCOVERIES,
        "power_percent": 100 * POWER,
        "base": files(comparison, False),
        "new": files(comparison, True),
        "differences": [
            {"key": key, "base": base, "new": new}
            for key, base, new in differences(comparison.sides)
        ],
        "cases": list(cases(comparison.cases)),
        "together": list(rows(comparison.groups[comparison.groups["verdict"] != ""])),
        "not_compared": [
            {**keys(index, comparison.missing), "why": str(row["why"])}
            for index, row in comparison.missing.iterrows()
        ],
        "power": {
            "detectable_percent_in_half": percent(power.half),
            "detectable_percent_in_all": percent(power.worst),
            "more_for_threshold_in_half": power.more_half,
            "more_for_threshold_in_all": power.more_worst,
        },
        "warnings": comparison.warnings,
    }


def files(comparison: Comparison, new: bool) -> list[str]:
    return [str(comparison.sides.launches[n].path) for n in comparison.sides.numbers(new)]


def cases(found: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for row, told in zip(found.iterrows(), rows(found), strict=True):
        values = row[1]
        yield {
            **told,
            "base_us": number(values["base_us"]),
            "new_us": number(values["new_us"]),
            "base_launches": whole(values["base_n"]),
            "new_launches": whole(values["new_n"]),
            "detectable_percent": percent(values["detectable"]),
        }


def rows(found: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """What a case has, and all cases of a launch together."""
    for index, row in found.iterrows():
        yield {
            **keys(index, found),
            "change_percent": percent(row["change"]),
            "low_percent": percent(row["low"]),
            "high_percent": percent(row["high"]),
            "p_slower": number(row["p_slower"]),
            "p_faster": number(row["p_faster"]),
            "verdict": str(row["verdict"]),
        }


def keys(index: Any, found: pd.DataFrame) -> dict[str, Any]:
    named = dict(zip(found.index.names, index, strict=True))
    return {
        str(key): int(value) if isinstance(value, (int, np.integer)) else str(value)
        for key, value in named.items()
    }


def percent(change: float) -> float | None:
    return 100 * expm1(change) if isfinite(change) else None


def number(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def whole(value: float) -> int:
    return int(value) if isfinite(value) else 0


def cases_csv(comparison: Comparison) -> str:
    """The numbers of the figure: a line a case, its keys and values as in the JSON."""
    return pd.DataFrame(cases(comparison.cases)).to_csv(index=False)


def text(comparison: Comparison) -> str:
    return json.dumps(document(comparison), indent=1, allow_nan=False) + "\n"
