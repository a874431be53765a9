# SPDX-License-Identifier: BSD-3-Clause
"""The history as a page of its own: findings first, then a small line a case."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from agformats.student import half_width
from agreport.cli.render import plain
from agreport.compare.words import to_percent
from agreport.stats.arrays import Floats

from . import words
from .findings import History

TEMPLATE = Path(__file__).with_name("history.html")
DATA = "@DATA@"


def text(history: History) -> str:
    data = json.dumps(describe(history), allow_nan=False, separators=(",", ":"))
    # In a script no text may look like a tag.
    return TEMPLATE.read_text(encoding="utf-8").replace(DATA, data.replace("<", "\\u003c"))


def describe(history: History) -> dict[str, Any]:
    means, count = history.series.means()
    reach = interval_of(history, means, count)
    return {
        "head": words.describe(history),
        "verdict": words.verdict(history),
        "slower": bool(history.failed),
        "findings": [
            {
                "text": words.sentence(history, each),
                "kind": each.kind,
                "slower": each.worse,
                "place": each.place,
            }
            for each in history.findings
        ],
        "versions": [
            {"name": each.name, "date": each.date, "launches": len(each.launches)}
            for each in history.versions
        ],
        "cases": [
            {
                "name": words.case_name(history, number),
                "us": numbers(np.exp(means[:, number])),
                "low": numbers(np.exp(means[:, number] - reach[:, number])),
                "high": numbers(np.exp(means[:, number] + reach[:, number])),
                "level": numbers(np.exp(history.changes.level[:, number])),
                "marks": marks_of(history, number),
            }
            for number in history.by_change()
        ],
    }


def interval_of(history: History, means: Floats, count: Floats) -> Floats:
    """Returns half of Student's interval of each mean of launches; NaN of one launch."""
    series = history.series
    off = (series.values - means[series.version]) ** 2
    squares = np.zeros(means.shape)
    np.add.at(squares, series.version, np.nan_to_num(off))
    with np.errstate(invalid="ignore", divide="ignore"):
        deviation = np.sqrt(squares / (count - 1))
        found: Floats = np.where(count > 1, half_width(deviation, count.astype(int)), np.nan)
    return found


def marks_of(history: History, number: int) -> list[dict[str, Any]]:
    return [
        {
            "place": each.place,
            "kind": each.kind,
            "percent": plain(float(to_percent(each.factors[each.cases.index(number)]))),
        }
        for each in history.findings
        if number in each.cases
    ]


def numbers(values: Floats) -> list[float | None]:
    return [round(each, 4) if np.isfinite(each) else None for each in values.tolist()]
