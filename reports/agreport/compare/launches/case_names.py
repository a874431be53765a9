# SPDX-License-Identifier: BSD-3-Clause
"""What cases are called in sentences."""

import pandas as pd

from agreport.data.load import PAIR, SETTING
from agreport.figure.words import describe_value, size_label


def name_case(case: object, varied: list[str]) -> str:
    """What tells the case, of an index by PAIR, from the others: 'ring, 1K bytes, 4 ranks'."""
    assert isinstance(case, tuple)
    named = dict(zip(PAIR, case, strict=True))
    units = {
        "group": describe_value("group", named["group"]) or "all ranks",
        "beside": f"beside {named['beside']}",
        "ranks": f"{named['ranks']} ranks",
        "bytes": f"{size_label(int(str(named['bytes'])))} bytes",
    }
    order = ["algorithm", "bytes", "ranks", SETTING, "collective", "distribution", "arrival"]
    order += ["mapping", "group", "beside"]
    shown = [key for key in order if key in ("algorithm", "bytes") or key in varied]
    return ", ".join(units.get(key, str(named[key])) for key in shown)


def find_varied(cases: pd.DataFrame) -> list[str]:
    keys = cases.index.to_frame()
    return [key for key in PAIR if keys[key].nunique() > 1]
