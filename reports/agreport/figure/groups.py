# SPDX-License-Identifier: BSD-3-Clause
"""The groups of rows that are the panels of a figure."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from agformats.errors import BadInput
from agreport.data.load import FILTERS
from agreport.figure.words import plural, titles

PANELS, LINES = ("panel", "panels"), ("line of panels", "lines of panels")
FARTHEST = (
    ", by how many times as long the slowest algorithm takes as the fastest (median of a panel)"
)


@dataclass(frozen=True)
class Groups:
    """common: what all groups have in common, titles: of each the rest; start, of: the number of
    the first, and how many there are; what: one of them is, and several are; farthest: whether they
    are numbered by how far apart algorithms are."""

    groups: list[pd.DataFrame]
    common: str
    titles: list[str]
    start: int
    of: int
    what: tuple[str, str]
    farthest: bool

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
        text += FARTHEST if self.farthest else ""
        after = last + 1 if last < self.of else 1
        return f"{text}; `{command} --from {after}` draws {'more' if after > 1 else 'the first'}."


def times_apart(value: str, x: str) -> Callable[[pd.DataFrame], float]:
    """Of a group: how many times the lowest value of all algorithms the highest one is, in the
    median over x; 0 without values."""

    def of_group(rows: pd.DataFrame) -> float:
        positive = rows[value].where(rows[value] > 0)
        ends = positive.groupby(rows[x], observed=True).agg(["min", "max"])
        apart = (ends["max"] / ends["min"]).dropna()
        return float(apart.median()) if len(apart) else 0.0

    return of_group


def choose_groups(
    rows: pd.DataFrame,
    keys: Sequence[str],
    most: int,
    options: Namespace,
    what: tuple[str, str],
    apart: Callable[[pd.DataFrame], float] | None = None,
) -> Groups:
    """One for each combination of keys, in the catalogue's order, from the number options.start
    on; options.first: at most so many, None: at most `most`. apart: the number is the place among
    all by this, the largest first; None: in the catalogue's order."""
    every = list(rows.groupby(list(keys), observed=True))
    start = options.start
    if start > len(every):
        raise BadInput(f"--from: '{start}' is beyond the last; legal: 1 to {len(every)}")
    order = list(range(len(every)))
    if apart:
        far = [apart(group) for _, group in every]
        order.sort(key=lambda place: -far[place])
    places = sorted(order[start - 1 : start - 1 + (options.first or most)])
    drawn = [every[place] for place in places]
    common, rest = titles(pd.DataFrame([key for key, _ in drawn], columns=list(keys)))
    groups = [group for _, group in drawn]
    return Groups(groups, common, rest, start, len(every), what, apart is not None)


def check_count(count: int, most: int, what: str) -> None:
    """Raises BadInput if a figure without --from would have too many of something."""
    if count > most:
        raise BadInput(
            f"the figure would have {count} {what}, and {most} are the most; choose fewer "
            f"cases with {', '.join(f'--{name}' for name in FILTERS)}"
        )
