# SPDX-License-Identifier: BSD-3-Clause
"""The results as a table, with the keys of the JSON: changes in percent of base; NaN: unknown."""

import numpy as np
import numpy.typing as npt
import pandas as pd

from agreport.stats.inference import Floats


def tabulate_changes(found: pd.DataFrame) -> pd.DataFrame:
    """Changes of cases, or of groups, as a table."""
    percent = {f"{name}_percent": to_percent(found[name]) for name in ("change", "low", "high")}
    kept = found[["p_slower", "p_faster", "verdict"]]
    return pd.concat([pd.DataFrame(percent, found.index), kept], axis=1).reset_index()


def tabulate_cases(cases: pd.DataFrame) -> pd.DataFrame:
    counts = cases[["base_n", "new_n"]].fillna(0).astype(int).to_numpy()
    return tabulate_changes(cases).assign(
        base_us=cases["base_us"].to_numpy(),
        new_us=cases["new_us"].to_numpy(),
        base_launches=counts[:, 0],
        new_launches=counts[:, 1],
        detectable_percent=to_percent(cases["detectable"]),
    )


def tabulate_tails(tails: pd.DataFrame) -> pd.DataFrame:
    """Changes of percentiles as a table, which may be empty."""
    if tails.empty:
        return pd.DataFrame()
    return tabulate_changes(tails).assign(
        base_us=tails["base_us"].to_numpy(), new_us=tails["new_us"].to_numpy()
    )


def tabulate_stalls(stalls: pd.DataFrame) -> pd.DataFrame:
    """Shares of calls over three medians as a table, which may be empty."""
    percent = {
        "change_percent": to_percent(stalls["change"]),
        **{f"{side}_share_percent": 100 * stalls[f"{side}_share"] for side in ("base", "new")},
    }
    kept = stalls[["base_calls", "new_calls", "p_slower", "p_faster", "verdict"]]
    return pd.concat([pd.DataFrame(percent, stalls.index), kept], axis=1).reset_index()


def to_percent(log_change: npt.ArrayLike) -> Floats:
    """NaN if it is not known; infinite if it is too large for a number."""
    change = np.asarray(log_change, float)
    with np.errstate(over="ignore"):
        return 100 * np.expm1(np.where(np.isfinite(change), change, np.nan))
