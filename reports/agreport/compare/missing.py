# SPDX-License-Identifier: BSD-3-Clause
"""Cases that only one side has, or that were wrong."""

import numpy as np
import pandas as pd

from .sides import Sides


def find_newly_wrong(sides: Sides) -> pd.MultiIndex:
    """Wrong on the new side, and not on the base one."""
    return sides.cases(True, "wrong").difference(sides.cases(False, "wrong"))


def find_missing(sides: Sides, reported: pd.MultiIndex) -> pd.DataFrame:
    """Cases with times that are not reported elsewhere, and why."""
    base, new = (sides.cases(side, "ok") for side in (False, True))
    wrong = sides.cases(False, "wrong").union(sides.cases(True, "wrong"))
    apart = base.union(new).union(wrong).difference(reported)
    skipped = sides.cases(False, "skipped").union(sides.cases(True, "skipped"))
    why = np.select(
        [apart.isin(wrong), apart.isin(base) & apart.isin(new), apart.isin(base)],
        ["wrong in base", "in no pair on both sides", "only in base"],
        "only in new",
    )
    why = np.where(apart.isin(skipped), np.char.add(why.astype(str), ", skipped in the other"), why)
    return pd.DataFrame({"why": why}, index=apart)
