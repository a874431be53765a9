#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what programs took whose all-gathers were chosen while they ran, over MPICH's choice.

    docs/studies/policies.py results/simulate-policies/launches/*.csv.gz

A cell is the time of all calls over MPICH's (`native`), and in brackets the first call from which
on the program is ahead for good. The best fixed algorithm is that with the least mean.
"""

import re
import sys
from pathlib import Path
from typing import NoReturn

import numpy as np
import pandas as pd

CASE = ["nodes", "bytes"]
POLICY = "adaptive:policy="


def main() -> None:
    kinds: dict[str, list[pd.DataFrame]] = {"known": [], "unknown": [], "all": []}
    for path in sys.argv[1:]:
        kind = re.search(r"_[ab]-(known|unknown|all)_", Path(path).name)  # as the sweep names them
        if kind is None:
            refuse(f"'{path}' is not legal")
        rows = pd.read_csv(path, comment="#", low_memory=False)
        kinds[kind[1]].append(rows[rows["status"] == "ok"])
    if not all(kinds.values()):
        refuse("some files are missing")
    known, unknown, every = [pd.concat(each) for each in kinds.values()]
    heading = ["nodes", "bytes", "native, s", "best fixed", "which", *["known"] * 3, "not known"]
    print("|", " | ".join(heading), "|")
    print("|---" * len(heading) + "|")
    for case, calls in known.groupby(CASE):
        native = times(calls, "native")
        means = case_of(every, case).groupby("algorithm")["avg_us"].mean()
        means = means[~means.index.str.startswith("adaptive")]
        cells = [f"{means.min() / native.mean():.3f}", str(means.idxmin())]
        cells += [
            f"{name.removeprefix(POLICY)} {over(times(calls, name), native)}"
            for name in sorted(set(calls["algorithm"]) - {"native"})
        ]
        cells.append(over(times(case_of(unknown, case), POLICY + "agstar"), native))
        print("|", " | ".join([*map(str, case), f"{native.sum() / 1e6:.1f}", *cells]), "|")


def refuse(what: str) -> NoReturn:
    print(f"policies: {what}; legal: all of simulate-policies' launches/*.csv.gz", file=sys.stderr)
    sys.exit(2)


def case_of(rows: pd.DataFrame, case: object) -> pd.DataFrame:
    return rows[[each == case for each in zip(*(rows[name] for name in CASE), strict=True)]]


def times(rows: pd.DataFrame, algorithm: str) -> np.ndarray:
    """Returns the microseconds of each call, in order."""
    calls = rows[rows["algorithm"] == algorithm].sort_values("iteration")
    return calls["avg_us"].to_numpy()


def over(policy: np.ndarray, native: np.ndarray) -> str:
    behind = np.flatnonzero(policy.cumsum() >= native.cumsum())
    ahead = behind[-1] + 2 if len(behind) else 1
    when = "never" if ahead > len(policy) else f"{ahead}"
    return f"{policy.sum() / native.sum():.3f} ({when})"


if __name__ == "__main__":
    main()
