# SPDX-License-Identifier: BSD-3-Clause
"""The comparison for other programs: JSON, as compare.schema.json beside this file describes it,
or its cases as CSV."""

import json
from pathlib import Path
from typing import Any

from agreport.cli import render
from agreport.cli.render import plain, to_records
from agreport.stats.multiple_tests import ALPHA, FALSE_DISCOVERY_RATE
from agreport.stats.power import POWER

from . import words
from .comparability import find_differences
from .comparison import Comparison
from .words import tabulate_cases, tabulate_changes, tabulate_stalls, to_percent

SCHEMA = Path(__file__).with_name("compare.schema.json")
VERSION = 6


def text(comparison: Comparison) -> str:
    return json.dumps(describe(comparison), indent=1, allow_nan=False) + "\n"


def csv(comparison: Comparison) -> str:
    return render.FORMATS["csv"](tabulate_cases(comparison.cases))


def describe(comparison: Comparison) -> dict[str, Any]:
    power = comparison.power
    return {
        "format": "agreport compare",
        "version": VERSION,
        "verdict": comparison.verdict,
        "exit_code": comparison.exit_code,
        "compared_by": comparison.pairing.kind,
        "metric": comparison.metric,
        "threshold_percent": 100 * comparison.rules.threshold,
        "goal_percent": 100 * comparison.rules.goal,
        "no_verdict_because": comparison.obstacles,
        "false_alarms_percent": 100 * ALPHA,
        "false_discoveries_percent": 100 * FALSE_DISCOVERY_RATE,
        "power_percent": 100 * POWER,
        "base": comparison.sides.files(False),
        "new": comparison.sides.files(True),
        "differences": [
            {"key": key, "base": base, "new": new}
            for key, base, new in find_differences(comparison.sides)
        ],
        "cases": to_records(tabulate_cases(comparison.cases)),
        "tails": to_records(tabulate_changes(comparison.tails)),
        "stalls": to_records(tabulate_stalls(comparison.stalls)),
        "not_tested": [*words.describe_untested(comparison)],
        "not_compared": to_records(comparison.missing.reset_index()),
        "power": {
            "detectable_percent_in_half": plain(float(to_percent(power.half))),
            "detectable_percent_in_all": plain(float(to_percent(power.worst))),
            "more_for_goal_in_half": power.more_half,
            "more_for_goal_in_all": power.more_worst,
        },
        "warnings": comparison.diagnostics,
    }
