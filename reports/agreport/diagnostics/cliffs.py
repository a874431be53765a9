# SPDX-License-Identifier: BSD-3-Clause
"""Finds cliffs: cases that take far longer than a neighbouring size or place of the buffers.

Memory is copied slowly where the destination begins a few bytes behind the source modulo a page.
The sizes and places of a program are seldom powers of two and pages, so the program may be on a
cliff although the cases that were measured beside it are not.
"""

from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.result_file import PLACES
from agformats.student import half_width
from agreport.cli.later import Module
from agreport.cli.report import OnPage, Report
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import CASE, PAIR, Results
from agreport.diagnostics.answers import Caveat
from agreport.figure.words import in_case, plural
from agreport.stats.launch_interval import launch_medians
from agreport.stats.states import slow_shares, states_of_samples

STEEP = 1.5  # an algorithm falls if it takes over so many times as long
LEVEL = 1.2  # an algorithm does not fall if it takes less than so many times as long
MOST_BYTES = 0.1  # a neighbouring size is larger by this share at most
NORMAL = 1.96  # 95 % of a normal distribution lie within so many standard deviations
OTHER_STATE = 0.5  # the state changed if the share of slow iterations did by more
KINDS = ("bytes", PLACES)  # the columns of CASE in which neighbours differ
MOST_NAMES = 3
FALLS, LEVELS, OPEN = "falls", "does not fall", "not sure"


def find_cliffs(results: Results, metric: str) -> pd.DataFrame:
    """Returns a row for each algorithm of each case on a cliff. The columns are CASE, kind (the
    column in which the neighbour differs), neighbour (its value there), algorithm, times (how many
    times as long as in the neighbour), launches (how many have both) and falls (FALLS, LEVELS or
    OPEN).

    A case is on a cliff if an algorithm takes over STEEP times as long there as in the neighbour,
    by the launches' medians. It has to do so in each of several launches, or by more than the
    launches spread; with one launch, by more than launches usually spread. Of several neighbours
    one counts (nearest).
    """
    return results.once(("cliffs", metric), lambda: cliffs(results, metric))


def cliffs(results: Results, metric: str) -> pd.DataFrame:
    medians = launch_medians(results, results.column_of(metric)).rename("us").reset_index()
    medians = medians.astype({name: object for name in PAIR if name not in ("ranks", "bytes")})
    state = slow_shares(states_of_samples(results, results.column_of(metric))).rename("state")
    medians = medians.join(state, on=[*PAIR, "launch"])
    medians = medians[medians["us"] > 0]
    shared = np.array([one.oversubscribed for one in results.launches])
    medians = medians.assign(shared=shared[medians["launch"]])
    found = [of_kind(medians, kind) for kind in KINDS]
    joined = pd.concat(found, ignore_index=True)
    order = [*CASE, "kind", "times"]
    return joined.sort_values(order, ascending=[True] * (len(order) - 1) + [False], kind="stable")


def of_kind(medians: pd.DataFrame, kind: str) -> pd.DataFrame:
    pairs = pd.DataFrame(neighbours(kind, medians[kind].unique().tolist()), columns=[kind, "to"])
    rest = [name for name in PAIR if name != kind]
    one = medians.merge(pairs, on=kind)
    other = medians.rename(columns={kind: "to"}).drop(columns="shared")
    both = one.merge(other, on=[*rest, "to", "launch"], suffixes=("", "_there"))
    # A launch that changed its state between the two tells nothing of the case.
    both = both[~((both["state"] - both["state_there"]).abs() > OTHER_STATE)]
    both = both.assign(log=np.log(both["us"] / both["us_there"]))
    steep = np.log(STEEP)
    keys = [*PAIR, "to"]
    found = both.groupby(keys, observed=True, sort=False).agg(
        launches=("log", "size"),
        median=("log", "median"),
        mean=("log", "mean"),
        least=("log", "min"),
        deviation=("log", "std"),
        shared=("shared", "any"),
    )
    spread = found["shared"].map({True: np.inf, False: catalogue().launch_spread})
    by_spread = half_width(found["deviation"].to_numpy(float), found["launches"].to_numpy())
    alone = found["launches"] == 1
    width = np.where(alone, NORMAL * spread.to_numpy(float), by_spread)
    sure = (~alone & (found["least"] > steep)) | (found["mean"] - width > steep)
    falls = (found["median"] > steep) & sure
    level = found["median"] < np.log(LEVEL)
    found = found.assign(
        times=np.exp(found["median"]),
        falls=np.select([falls, level], [FALLS, LEVELS], OPEN),
    ).reset_index()
    found = nearest(found, kind)
    named = found.rename(columns={"to": "neighbour"}).assign(kind=kind)
    columns = [*CASE, "kind", "neighbour", "algorithm", "times", "launches", "falls"]
    return named[columns].astype({"neighbour": object})


def neighbours(kind: str, values: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Returns the pairs of values that are neighbours, each pair in both orders."""
    ordered = sorted(values)
    found = [
        pair
        for pair in combinations(ordered, 2)
        if kind != "bytes" or pair[1] <= (1 + MOST_BYTES) * pair[0]
    ]
    return [*found, *((other, one) for one, other in found)]


def nearest(found: pd.DataFrame, kind: str) -> pd.DataFrame:
    """Returns the rows of the cases in which an algorithm falls, with one neighbour of each case.
    Of sizes it is the nearest one beside which an algorithm falls; of places, and of equally near
    sizes, the one beside which an algorithm falls the deepest."""
    depth = found["times"].where(found["falls"].eq(FALLS), 0.0)
    of_two = found.assign(depth=depth).groupby([*CASE, "to"], observed=True, sort=False)
    deepest = of_two["depth"].max().reset_index()
    deepest = deepest[deepest["depth"] > 0]
    far = (deepest["to"] - deepest["bytes"]).abs() if kind == "bytes" else 0
    deepest = deepest.assign(far=far).sort_values(["far", "depth"], ascending=[True, False])
    chosen = deepest.drop_duplicates(CASE)[[*CASE, "to"]]
    return found.merge(chosen, on=[*CASE, "to"])


@dataclass(frozen=True)
class Cliff:
    """A case on a cliff. case: the values of CASE, kind and neighbour. algorithms: the case's rows
    of find_cliffs, one for each algorithm."""

    case: "pd.Series[Any]"
    algorithms: pd.DataFrame

    @property
    def depth(self) -> float:
        return float(self.algorithms.loc[self.algorithms["falls"] == FALLS, "times"].max())

    def sentence(self) -> str:
        """Returns the cliff in words: with blocks of 65552 B instead of 65536 B (16 B more) native
        takes 4.6 times as long, ring 3.2 (2 ranks); not so bruck (1)."""
        kind, there = self.case["kind"], self.case["neighbour"]
        here = self.case[kind]
        if kind == "bytes":
            more = here - there
            size = f"{abs(more)} B {'more' if more > 0 else 'less'}"
            start = f"with blocks of {here} B instead of {there} B ({size})"
        else:
            start = f"with buffers {place_words(here)} instead of {place_words(there)}"
        order = self.algorithms.sort_values(
            ["times"], ascending=False, kind="stable", ignore_index=True
        )
        falling = order[order["falls"] == FALLS]
        native = falling["algorithm"].eq(LIBRARY)
        falling = pd.concat([falling[native], falling[~native]])
        named = falling.head(MOST_NAMES)
        parts = [f"{row['algorithm']} {row['times']:.2g}" for _, row in named[1:].iterrows()]
        first = named.iloc[0]
        longer = f"{first['algorithm']} takes {first['times']:.2g} times as long"
        more_of = f"{len(falling) - len(named)} more" if len(falling) > len(named) else ""
        listed = ", ".join(filter(None, [longer, *parts, more_of]))
        rest = self.case[[name for name in CASE if name != kind]].astype(str)
        level = order[order["falls"] == LEVELS].iloc[::-1]
        texts = [f"{row['algorithm']} ({row['times']:.2g})" for _, row in level.iterrows()]
        others = [f"{len(texts) - MOST_NAMES} more"] if len(texts) > MOST_NAMES else []
        not_so = ", ".join([*texts[:MOST_NAMES], *others])
        end = f"; not so {not_so}" if texts else "; no algorithm is known not to"
        return f"{start} {listed} ({in_case(rest)}){end}"


def place_words(offsets: str) -> str:
    """Returns in words what SEND,RECEIVE says."""
    parts = offsets.split(",")
    if len(parts) != 2:
        return f"at {offsets}"
    send, receive = parts
    return f"{send} B (what is sent) and {receive} B (the result) behind a page"


def list_cliffs(found: pd.DataFrame) -> list[Cliff]:
    """Returns the cliffs, the deepest first."""
    groups = found.groupby([*CASE, "kind"], observed=True, sort=False)
    cliffs = [Cliff(own.iloc[0][[*CASE, "kind", "neighbour"]], own) for _, own in groups]
    return sorted(cliffs, key=lambda one: -one.depth)


def cliff_caveats(results: Results, metric: str) -> Iterator[Caveat]:
    """Yields a reason for the cliffs between sizes and one for those between places, each with the
    deepest cliff and how many more there are."""
    found = list_cliffs(find_cliffs(results, metric))
    for kind, why in zip(
        KINDS,
        (
            "a program's sizes are seldom powers of two",
            "a program's buffers seldom begin at pages",
        ),
        strict=True,
    ):
        own = [one for one in found if one.case["kind"] == kind]
        if not own:
            continue
        more = (
            f" {plural(len(own) - 1, 'more case')} on a cliff: `agreport diagnostics` lists"
            if own[1:]
            else ""
        )
        end = f"{more} {'them' if own[2:] else 'it'}." if more else ""
        yield Caveat(f"A cliff: {own[0].sentence()}; {why}.{end}", len(own))


def cliff_tables(results: Results, metric: str = "avg") -> Iterator[tuple[str, pd.DataFrame]]:
    found = find_cliffs(results, metric)
    if len(found):
        title = f"Cases on a cliff: how many times as long as beside it ({FALLS}: over {STEEP:g})"
        yield title, shown(found)


def shown(found: pd.DataFrame) -> pd.DataFrame:
    """Returns the table without keys that all cases have in common."""
    names = [name for name in CASE if found[name].nunique() > 1 or name in ("ranks", "bytes")]
    return found[[*names, "neighbour", "algorithm", "times", "launches", "falls"]]


def table_on_page(results: Results, options: Namespace) -> pd.DataFrame:
    found = find_cliffs(results, options.metric)
    if found.empty:
        raise BadInput("no case is on a cliff")
    return shown(found).reset_index(drop=True)


# The page has this table beside the sentence; `agreport diagnostics` prints it, too.
SECTION = Report(
    "diagnostics",
    Module("diagnostics.cliffs"),
    table=table_on_page,
    on_page=(OnPage("Cliffs beside what was measured"),),
)
