# SPDX-License-Identifier: BSD-3-Clause
"""The groups of rows that are the panels of a figure."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import FILTERS
from agreport.figure.words import plural, titles

PANELS, LINES = ("panel", "panels"), ("line of panels", "lines of panels")


@dataclass(frozen=True)
class Groups:
    """common: what all groups have in common, titles: of each the rest; start, of: the number of
    the first, and how many there are; what: one of them is, and several are."""

    groups: list[pd.DataFrame]
    common: str
    titles: list[str]
    start: int
    of: int
    what: tuple[str, str]

    @property
    def rows(self) -> pd.DataFrame:
        return pd.concat(self.groups)

    def head(self, what: str) -> str:
        return "\n".join(filter(None, [what, self.common]))

    def describe_rest(self, command: str) -> str:
        """The end of a caption; command: that draws what is left out."""
        if len(self.groups) == self.of:
            return ""
        last = self.start + len(self.groups) - 1
        text = f" Drawn: {self.start} to {last} of {plural(self.of, *self.what)}"
        after = last + 1 if last < self.of else 1
        return f"{text}; {command} --from {after} draws {'more' if after > 1 else 'the first'}."


def choose_groups(
    rows: pd.DataFrame, keys: Sequence[str], most: int, options: Namespace, what: tuple[str, str]
) -> Groups:
    """One for each combination of keys, in the catalogue's order, from the number options.start
    on; options.first: at most so many, None: at most `most`."""
    every = list(rows.groupby(list(keys), observed=True))
    start = options.start
    if start > len(every):
        raise BadInput(f"--from: '{start}' is beyond the last; legal: 1 to {len(every)}")
    drawn = every[start - 1 : start - 1 + (options.first or most)]
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=list(keys)))
    return Groups([group for _, group in drawn], common, rest, start, len(every), what)


def check_count(count: int, most: int, what: str) -> None:
    """What has no --from draws all or nothing."""
    if count > most:
        raise BadInput(
            f"the figure would have {count} {what}, and {most} are the most; choose fewer "
            f"cases with {', '.join(f'--{name}' for name in FILTERS)}"
        )
