# SPDX-License-Identifier: BSD-3-Clause
"""The launches of both sides, and which of them have something in common to compare."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agformats.errors import BadInput
from agreport.cli import options as opt
from agreport.data.load import PAIR, Launch, Results, load, result_files
from agreport.stats.inference import Flags

SIDES = ("baseline", "new")  # the options


@dataclass(frozen=True)
class Sides:
    """new: of each launch whether it is on the new side; rows name launches by number."""

    results: Results
    new: Flags

    @property
    def launches(self) -> list[Launch]:
        return self.results.launches

    def numbers(self, new: bool) -> list[int]:
        return [int(number) for number in np.flatnonzero(self.new == new)]

    def files(self, new: bool) -> list[str]:
        return [str(self.launches[number].path) for number in self.numbers(new)]

    def rows(self, new: bool) -> pd.DataFrame:
        """The rows with times."""
        timed = self.results.timed()
        found: pd.DataFrame = timed[self.new[timed["launch"].to_numpy()] == new]
        return found

    def cases(self, new: bool, status: str) -> pd.MultiIndex:
        rows = self.results.with_status(status)
        rows = rows[self.new[rows["launch"].to_numpy()] == new]
        return pd.MultiIndex.from_frame(rows[PAIR].drop_duplicates())


def load_sides(baseline: Sequence[str], new: Sequence[str], options: Namespace) -> Sides:
    """Each launch is on one side; the filters of the options are applied to both."""
    paths = {side: result_files(names) for side, names in zip(SIDES, (baseline, new), strict=True)}
    found = {path.resolve() for path in paths["baseline"]}
    if both := [path for path in paths["new"] if path.resolve() in found]:
        raise BadInput(f"{both[0]}: given with --baseline and with --new; a launch is on one side")
    files = sorted((path.resolve(), side) for side in SIDES for path in paths[side])
    results = load([str(path) for path, _ in files])
    rows, given = opt.filtered(options, results.rows)
    sides = Sides(results.keep(rows), np.array([side == "new" for _, side in files]))
    for new_side, side in enumerate(SIDES):
        if sides.rows(bool(new_side)).empty:
            raise BadInput(f"--{side}: no ok rows{opt.left(given)}")
    return sides
