#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints what STAR-MPI's two stages took, as Faraj 2006 does in tables 4.13 and 4.18.

    docs/studies/star_stages.py results/simulate-star/launches/*.csv.gz

A row is a case and a policy: the calls of Measure_Select, which takes ten of each algorithm, their
seconds, the milliseconds a call in either stage and with the MPI library alone, and the algorithm
at the end. The call with which a benchmark checks the result is the first of Measure_Select, and is
in no file.
"""

import sys

import pandas as pd

CALLS_OF_EACH = 10
CASE = ["collective", "ranks", "bytes"]
HEADING = [*CASE, "policy", "calls", "s", "Measure_Select", "Monitor_Adapt", "native", "at the end"]


def main() -> None:
    if not sys.argv[1:]:
        print("star_stages: a file is missing; legal: those of simulate-star", file=sys.stderr)
        sys.exit(2)
    rows = pd.concat(pd.read_csv(path, comment="#", low_memory=False) for path in sys.argv[1:])
    print("|", " | ".join(HEADING), "|")
    print("|---" * len(HEADING) + "|")
    for names, case in rows.groupby(CASE):
        native = case.loc[case["algorithm"] == "native", "avg_us"].mean() / 1000
        for policy, calls in case[case["algorithm"] != "native"].groupby("algorithm"):
            in_order = calls.sort_values("iteration")
            selecting = CALLS_OF_EACH * in_order["chosen"].nunique()
            times = in_order["avg_us"].to_numpy() / 1000
            first, rest = times[: selecting - 1].mean(), times[selecting - 1 :].mean()
            cells = [*names, policy, selecting, f"{first * selecting / 1000:.2f}", f"{first:.2f}"]
            cells += [f"{rest:.2f}", f"{native:.2f}", in_order["chosen"].iloc[-1]]
            print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    main()
