# SPDX-License-Identifier: BSD-3-Clause
"""Counts how often each host is late in leaving a collective, beside what chance would give.

A host's time in an iteration is that of its slowest rank, from the synchronisation to the exit: a
rank that computes for long arrives late, so its elapsed time alone would be short. It is by each
rank's own clock, so no common clock's error is in it.

By chance each rank is the last equally often, so each host as often as its share of the ranks says.
But lateness is handed on: who waits for a slow host leaves after it, and may be the last instead.
Who that is differs by algorithm. So slow is what is behind in most algorithms.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtrc

from agformats.errors import BadInput
from agformats.files import result_file
from agreport.data.arrival_labels import NONE
from agreport.data.companions import beside
from agreport.data.hosts import hosts_of_ranks, nodes_of, why_unknown
from agreport.data.load import PAIR, SETTING, Launch, Results
from agreport.data.rank_delays import COMPUTED, RANK_ELAPSED, load_elapsed, numbered
from agreport.data.settings import with_numbers
from agreport.data.suffixes import PER_RANK_SUFFIX
from agreport.diagnostics.caveats import some
from agreport.stats.arrays import Flags, Floats

HOST = "host"
LEVEL_PERCENT = 1.0  # chance alone makes any host pass the test with at most this probability
MOST_ALGORITHMS = 0.75  # a slow host is behind in more than this part of the algorithms
DRAWS, SEED = 20_000, 1
OF_LAUNCH = ["launch", *result_file.PAIR]


@dataclass(frozen=True)
class HostTimes:
    """The times of the hosts, in us, of one algorithm in one case of one launch: iterations down,
    hosts across.

    chance: how likely each host is the last, by chance. behind_chance: how likely each host is in
    the slower half of the hosts, by chance.
    """

    hosts: list[str]
    chance: Floats
    behind_chance: Floats
    us: Floats

    @property
    def last(self) -> Flags:
        """Returns the last host of each iteration; where two are equally late, none is the last."""
        latest = self.us == self.us.max(axis=1, keepdims=True)
        found: Flags = latest & (latest.sum(axis=1, keepdims=True) == 1)
        return found

    @property
    def behind(self) -> Flags:
        return is_behind(self.us)

    @property
    def others_us(self) -> Floats:
        """Returns, for each host in each iteration, the median time of the other hosts."""
        every = range(len(self.hosts))
        return np.column_stack(
            [np.median(np.delete(self.us, host, axis=1), axis=1) for host in every]
        )


def is_behind(us: Floats) -> Flags:
    """Returns which hosts are in the slower half of an iteration, of 5 hosts the last 2; iterations
    are down, hosts across. Where some are equally late across the middle, none of them is."""
    middle = us.shape[1] - us.shape[1] // 2 - 1
    found: Flags = us > np.sort(us, axis=1)[:, middle : middle + 1]
    return found


def why_not(launch: Launch) -> str:
    """Returns why the launch tells nothing of hosts; empty if it does."""
    said = launch.metadata
    if not beside(launch.path, PER_RANK_SUFFIX).exists():
        return "no per-rank times are beside the file (--record ranks writes them)"
    if launch.simulated:
        return "simulated, so nothing is by chance"
    if said.get("sync") == "none":
        return "with --sync none, ranks wait for those that left the call before late"
    if "root" in said:
        return "with a root, a rank's place in the tree says when it leaves"
    if reason := why_unknown(launch):
        return reason
    return "" if len({host for host, _ in nodes_of(launch)}) > 1 else "all ranks are on one host"


def find_left_out(results: Results) -> tuple[dict[int, Launch], list[str]]:
    """Finds the launches that tell something, by their numbers; says why the others, and rows, do
    not."""
    reasons: dict[str, list[str]] = {}
    kept: dict[int, Launch] = {}
    for number, launch in enumerate(results.launches):
        if reason := why_not(launch):
            reasons.setdefault(reason, []).append(str(launch.path))
        else:
            kept[number] = launch
    sentences = [f"{some(names)}: {reason}" for reason, names in reasons.items()]
    rows = results.timed()
    if count := int((rows["arrival"].ne(NONE) & rows["launch"].isin([*kept])).sum()):
        sentences.append(
            f"{count} iterations under arrival patterns: their delays say who leaves last, and "
            "all algorithms and cases share them; the pattern none counts"
        )
    return kept, sentences


def load_ranks(results: Results, launches: Mapping[int, Launch], keep_going: bool) -> Results:
    """Reads the per-rank files beside these launches of the results: a row for each rank and
    iteration, with the number that its launch has in the results."""
    files = {number: beside(launch.path, PER_RANK_SUFFIX) for number, launch in launches.items()}
    loaded = load_elapsed([str(path) for path in files.values()], keep_going, results.left_out)
    return loaded.keep(numbered(loaded.rows, files))


def host_times(
    results: Results, launches: Mapping[int, Launch], ranks: pd.DataFrame
) -> Iterator[tuple[int, list[object], HostTimes, Floats]]:
    """Yields for each algorithm in each case of a launch: the number of the launch, the values of
    the columns of result_file.PAIR, the times of its hosts, and of each iteration how far apart the
    ranks began, in us. Raises BadInput if a file has other ranks than the launch says. ranks: the
    rows that load_ranks returns."""
    rows = results.timed()
    counted = rows[rows["arrival"].eq(NONE)].groupby(OF_LAUNCH, observed=True)
    apart: dict[Any, Any] = {
        key: of_one.drop_duplicates("iteration").set_index("iteration")["imbalance_us"]
        for key, of_one in counted
    }
    ranks = ranks.assign(us=ranks[RANK_ELAPSED] + ranks[COMPUTED].fillna(0))
    groups: Iterable[tuple[Any, pd.DataFrame]] = ranks.groupby(OF_LAUNCH, observed=True)
    for key, of_one in groups:
        if key not in apart:
            continue
        number, *pair = key
        of_ranks = hosts_of_ranks(launches[number], str(of_one["mapping"].iloc[0]))
        unique = of_one.drop_duplicates(["iteration", "rank"])
        wide = unique.set_index(["iteration", "rank"])["us"].unstack("rank")
        wide = wide[wide.index.isin(apart[key].index)].dropna()
        if wide.columns.tolist() != [*range(len(of_ranks))]:
            path = beside(launches[number].path, PER_RANK_SUFFIX)
            raise BadInput(
                f"{path}: its rows are of {len(wide.columns)} ranks, and the launch says that its "
                f"hosts have {len(of_ranks)} (ranks_per_node)"
            )
        if len(wide):
            found = of_hosts(wide.to_numpy(float), np.array(of_ranks, object))
            yield number, pair, found, apart[key].loc[wide.index].to_numpy(float)


def of_hosts(us: Floats, of_ranks: "np.typing.NDArray[np.object_]") -> HostTimes:
    """Returns the times of the hosts, each that of its slowest rank, and what chance gives. us: of
    ranks, iterations down, ranks across; of_ranks: the host of each rank."""
    hosts = sorted({*of_ranks}, key=with_numbers)
    counts = [int((of_ranks == host).sum()) for host in hosts]
    latest = np.column_stack([us[:, of_ranks == host].max(axis=1) for host in hosts])
    return HostTimes(hosts, np.array(counts) / len(of_ranks), chance_behind(tuple(counts)), latest)


@cache
def chance_behind(counts: tuple[int, ...]) -> Floats:
    """Returns how likely each host is behind, for hosts with so many ranks each, if all ranks
    are alike."""
    if len({*counts}) == 1:
        return np.full(len(counts), len(counts) // 2 / len(counts))
    # The latest of n equal draws from 0 to 1 is distributed like the n-th root of one.
    draws = np.random.default_rng(SEED).random((DRAWS, len(counts))) ** (1 / np.array(counts))
    chances: Floats = is_behind(draws).mean(axis=0)
    return chances


def tabulate(results: Results, launches: Mapping[int, Launch], ranks: pd.DataFrame) -> pd.DataFrame:
    """Makes a row for each host, algorithm and case: in how many iterations it was the last, and
    behind, and by how much its time was over the median of the other hosts', as median over
    iterations.

    Launches of a case may have other hosts: a host is compared with those of its own launch. ranks:
    as of host_times.
    """
    settings = results.rows.groupby("launch")[SETTING].first()
    parts: dict[tuple[object, ...], list[pd.DataFrame]] = {}
    for launch, pair, found, apart_us in host_times(results, launches, ranks):
        setting = settings[launch]
        last, behind, others_us = found.last, found.behind, found.others_us
        for place, host in enumerate(found.hosts):
            us, other_us = found.us[:, place], others_us[:, place]
            part = {
                "last": last[:, place],
                "chance": found.chance[place],
                "behind": behind[:, place],
                "behind_chance": found.behind_chance[place],
                "us": us,
                "imbalance_us": apart_us,
                "excess_us": us - other_us,
                "excess_percent": 100 * (us / np.where(other_us > 0, other_us, np.nan) - 1),
            }
            parts.setdefault((setting, *pair, host), []).append(pd.DataFrame(part))
    if not parts:
        raise BadInput("the per-rank files have no rows of these iterations")
    rows = [summarise(pd.concat(of_one, ignore_index=True)) for of_one in parts.values()]
    index = pd.MultiIndex.from_tuples(parts, names=[*PAIR, HOST])
    table = results.in_order(pd.DataFrame(rows, index).reset_index())
    order = {"algorithm": results.catalogue, HOST: sorted(table[HOST].unique(), key=with_numbers)}
    for name, names in order.items():
        table[name] = pd.Categorical(table[name], names, ordered=True)
    return table.sort_values([*PAIR, HOST], ignore_index=True)


def summarise(part: pd.DataFrame) -> dict[str, float]:
    return {
        "iterations": len(part),
        "last": int(part["last"].sum()),
        "share_percent": 100 * part["last"].mean(),
        "chance_percent": 100 * part["chance"].mean(),
        "behind_percent": 100 * part["behind"].mean(),
        "behind_chance_percent": 100 * part["behind_chance"].mean(),
        "median_us": part["us"].median(),
        "imbalance_us": part["imbalance_us"].median(),
        "excess_us": part["excess_us"].median(),
        "excess_percent": part["excess_percent"].median(),
    }


def rank_hosts(table: pd.DataFrame, threshold_percent: float) -> pd.DataFrame:
    """Makes a row for each host over all its cases, the one that is behind most often first.

    last_p, behind_p: of binomial tests that it is that more often than by chance, times the number
    of hosts (Bonferroni). Where chances differ between cases, their mean gives no smaller p than
    they would (Hoeffding 1956). slow_in: the algorithms in half of whose cases or more its excess
    is the threshold or more, and more than the synchronisation left between ranks: who leaves that
    early takes so much longer. slow: these are most algorithms, and behind_p is LEVEL_PERCENT at
    most.
    """
    keys = [SETTING, HOST]
    names = ("share_percent", "chance_percent", "behind_percent", "behind_chance_percent")
    counts = table[[*names]].mul(table["iterations"] / 100, axis=0)
    groups = table[keys].join(counts).assign(iterations=table["iterations"], last=table["last"])
    sums = groups.groupby(keys, observed=True).sum()
    n = sums["iterations"]
    found = sums[["iterations", "last"]].join(100 * sums[[*names]].div(n, axis=0))
    clear = table["excess_us"] > table["imbalance_us"].fillna(0)
    clear &= table["excess_percent"] >= threshold_percent
    of_algorithm = [*keys, "collective", "algorithm"]
    by_algorithm = table.assign(clear=clear).groupby(of_algorithm, observed=True)
    both = by_algorithm.agg(excess=("excess_percent", "median"), clear=("clear", "mean"))
    by_host = both.assign(slow=both["clear"] >= 0.5).groupby(level=keys, observed=True)
    found["excess_percent"] = by_host["excess"].median()
    found["algorithms"] = by_host.size()
    found["slow_in"] = by_host["slow"].sum()
    for name, column in (("last_p", "share"), ("behind_p", "behind")):
        observed = sums[f"{column}_percent"].round()
        chance = found["chance_percent" if column == "share" else "behind_chance_percent"] / 100
        found[name] = np.minimum(1, len(found) * bdtrc(observed - 1, n, chance))
    most = found["slow_in"] > MOST_ALGORITHMS * found["algorithms"]
    found["slow"] = most & (found["behind_p"] <= LEVEL_PERCENT / 100)
    often = found["behind_percent"] / found["behind_chance_percent"]
    return found.loc[often.sort_values(ascending=False, kind="stable").index].reset_index()


def different_hosts(launches: Sequence[Launch]) -> str:
    """Says that launches had other hosts, if they had; they are counted together all the same."""
    sets = {",".join(sorted({host for host, _ in nodes_of(one)}, key=with_numbers)): None
            for one in launches}  # fmt: skip
    if len(sets) < 2:
        return ""
    return (
        f"launches had different hosts ({some([*sets])}): each host is compared with those of its "
        "own launch"
    )
