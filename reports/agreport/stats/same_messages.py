# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms that are one with so many ranks, since they send the same messages, by what launches
say of that."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

from agreport.data.load import Results

KEY = "same_messages"
Groups = Mapping[tuple[str, int], Sequence[Sequence[str]]]  # by collective and ranks
Pairs = set[frozenset[str]]


def same_messages(results: Results) -> Groups:
    """Returns groups of two or more algorithms, in the order of all. Two are one where every launch
    that timed both says so: on other nodes they may be two, and older files do not say."""
    one: defaultdict[tuple[str, int], Pairs] = defaultdict(set)
    two: defaultdict[tuple[str, int], Pairs] = defaultdict(set)
    timed = results.timed_runs.groupby("launch", observed=True)["algorithm"].unique()
    for number, names in timed.items():
        metadata = results.launches[int(str(number))].metadata
        where = metadata.get("collective", ""), int(metadata.get("ranks", 0))
        groups = [set(group.split(" = ")) for group in metadata.get(KEY, "").split("; ")]
        for pair in map(frozenset, combinations(names, 2)):
            (one if any(pair <= group for group in groups) else two)[where].add(pair)
    names = results.timed_algorithms()
    return {where: groups_of(names, pairs - two[where]) for where, pairs in one.items()}


def groups_of(names: Sequence[str], pairs: Pairs) -> list[list[str]]:
    """Returns the groups of two or more names. Each name, in order, joins the first group with all
    names of which it is one of the pairs."""
    groups: list[list[str]] = []
    for name in names:
        for group in groups:
            if all(frozenset((name, other)) in pairs for other in group):
                group.append(name)
                break
        else:
            groups.append([name])
    return [group for group in groups if len(group) > 1]
