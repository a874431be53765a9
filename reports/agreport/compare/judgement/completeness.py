# SPDX-License-Identifier: BSD-3-Clause
"""Which cases there are too few launches of, or none, on a side."""

import numpy as np
import pandas as pd

from agreport.figure.words import plural
from agreport.stats.inference import Flags

from ..launches.case_names import find_varied, name_case
from .permutations import Units

FEWEST_PAIRS, FEWEST_A_SIDE = 2, 3


def find_few(units: Units) -> Flags:
    """Which cases have launches too few on a side: a spread is not known from two, and a side of
    two launches is in one of two modes too often."""
    known = ~np.isnan(units.values)
    if units.new is None:
        return np.asarray(known.sum(axis=0) < FEWEST_PAIRS)
    sides = [known[units.new == new].sum(axis=0) for new in (False, True)]
    return np.asarray(np.minimum(*sides) < FEWEST_A_SIDE)


def find_lost(missing: pd.DataFrame, few: Flags) -> list[str]:
    """Cases of which nothing can be said, as one sentence that names the first."""
    found = []
    if len(missing):
        why = missing["why"].iloc[0]
        first = name_case(missing.index[0], find_varied(missing))
        found.append(
            f"{plural(len(missing), 'case', 'cases')} not compared (first: {first}: {why}); "
            "--allow missing judges the others"
        )
    if few.any() and not few.all():
        found.append(
            f"{plural(int(few.sum()), 'case', 'cases')} in too few launches; --allow missing "
            "judges the others"
        )
    return found
