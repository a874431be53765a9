# SPDX-License-Identifier: BSD-3-Clause
"""Names of algorithms, distributions, mappings and collectives as people write them.

The catalogue has them. Figures that are not for a paper keep the names that users type.
"""

from functools import cache

import pandas as pd

from agformats.catalogue import catalogue
from agreport.figure.medium import medium
from agreport.stats.times import UNITED

FILE = "file"  # algorithms and distributions that the user wrote down
# The columns of tables that hold such names.
NAMED = ("collective", "mapping", "distribution", "algorithm", "fastest", "second", "rival")


@cache
def titles() -> dict[str, str]:
    known = catalogue()
    tables = (known.algorithms, known.distributions, known.mappings, known.collectives)
    found = {row.name: row.title for table in tables for row in table}
    return {**found, UNITED: UNITED.capitalize()}


def in_print(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with names as people write them."""
    named = [name for name in NAMED if name in frame]
    return frame.assign(**{name: frame[name].astype(str).map(title_of) for name in named})


def title_of(name: str) -> str:
    """sparbit:batch=2 -> Sparbit, batch 2; ring@switch -> Ring, switch order; a name that is not
    ours stays, and so does that of a file."""
    whole, *parameters = name.split(":")
    base, _, order = whole.partition("@")
    title = titles().get(base)
    if title is None or (base == FILE and parameters):
        return name
    parts = [title, *([f"{order} order"] if order else [])]
    return ", ".join([*parts, *(part.replace("=", " ").replace("_", " ") for part in parameters)])


def shown(name: str) -> str:
    """The name as a figure has it: as people write it in a paper, else as users type it."""
    return title_of(name) if medium().paper else name


def within(name: str) -> str:
    """The same name behind other words, so in lower case: half-full, sequential."""
    text = shown(name)
    return text[:1].lower() + text[1:]


def listed(names: list[str]) -> str:
    return ", ".join(map(shown, names))
