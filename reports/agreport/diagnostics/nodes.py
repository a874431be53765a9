# SPDX-License-Identifier: BSD-3-Clause
"""Which hosts are slow, and how often, by the times of all ranks (--record ranks).

The last host of an iteration is that of the rank which took longest from the synchronisation to its
exit. By chance, a host with a tenth of the ranks is the last in a tenth of the iterations. But who
waits for a slow host leaves after it. So two things make a host slow: it is in the slower half of
the hosts more often than by chance, and in most algorithms it is behind the median of the others,
by more than the synchronisation left between ranks. Iterations under arrival patterns do not count.
--csv writes all hosts, cases and algorithms, --json that, the ranking of the hosts and the verdict.
"""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agformats.errors import BadInput
from agformats.units import three_digits
from agreport.cli import inputs
from agreport.cli import options as opt
from agreport.cli.render import Part, to_records
from agreport.cli.report import Report
from agreport.data.arrival_labels import NONE
from agreport.data.hosts import nodes_of
from agreport.data.load import CASE, SETTING, Launch, Results
from agreport.data.settings import without_empty
from agreport.diagnostics.command import add_rows, threshold
from agreport.diagnostics.nodes_figure import draw
from agreport.diagnostics.ranks_apart import ranks_apart
from agreport.diagnostics.slow_hosts import (
    HOST,
    LEVEL_PERCENT,
    MOST_ALGORITHMS,
    different_hosts,
    find_left_out,
    rank_hosts,
    tabulate,
)
from agreport.figure.words import count_of, plural

FEW_ALGORITHMS = 3
THRESHOLD = threshold(
    "by how much a slow host is over the median of the others in an algorithm", 5.0
)


@dataclass(frozen=True)
class Found:
    """launches: that tell of hosts; left_out: sentences on what does not."""

    results: Results
    launches: dict[int, Launch]
    left_out: list[str]


def load(options: Namespace) -> Found:
    results = inputs.load_selected(options)
    launches, left_out = find_left_out(results)
    rows = results.timed()
    if not (rows["launch"].isin([*launches]) & rows["arrival"].eq(NONE)).any():
        raise BadInput(f"nothing tells of slow hosts: {'; '.join(left_out)}")
    return Found(results, launches, left_out)


def find_diagnostics(found: Found, _: pd.DataFrame, __: Namespace) -> Iterator[str]:
    yield from (f"left out: {sentence}" for sentence in found.left_out)
    if sentence := different_hosts([*found.launches.values()]):
        yield sentence
    yield from ranks_apart(found.results.only_launches([*found.launches]))


def list_parts(found: Found, table: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    ranking = rank_hosts(table, options.threshold)
    yield from verdict(ranking, options.threshold)
    yield from list_doubts(found, ranking)
    shown = ranking.assign(
        **{name: ranking[name].map("{:.1g}".format) for name in ("last_p", "behind_p")},
        slow=ranking["slow"].map({True: "yes", False: "no"}),
    )
    yield "\nHosts, over all their cases", without_empty(shown)
    worst = table.nlargest(options.rows, "excess_percent")
    facts = [name for name in CASE if table[name].nunique() == 1]
    yield (
        "Hosts by case and algorithm, those furthest behind the median of the others "
        f"({count_of(len(worst), len(table))})",
        worst.drop(columns=facts),
    )


def verdict(ranking: pd.DataFrame, threshold: float) -> Iterator[str]:
    test = (
        f"(binomial test, {LEVEL_PERCENT:g} % for {plural(len(ranking), 'host', 'hosts')} "
        "together, Bonferroni)"
    )
    slow = ranking["slow"]
    what = f"slow more often than by chance {test}"
    named = ", ".join(map(name_of, ranking[slow].to_dict("records")))
    yield f"{what[:1].upper()}{what[1:]}: {named}." if named else f"No host is {what}."
    for host in ranking[slow].to_dict("records"):
        yield (
            f"{name_of(host)}: in the slower half in {three_digits(host['behind_percent'])} % of "
            f"{plural(host['iterations'], 'iteration', 'iterations')} instead of "
            f"{three_digits(host['behind_chance_percent'])} %, the last in "
            f"{three_digits(host['share_percent'])} % instead of "
            f"{three_digits(host['chance_percent'])} %; {host['excess_percent']:.3g} % over the "
            f"median of the others, in {count_of(host['slow_in'], host['algorithms'])} algorithms "
            f"{threshold:g} % or more and beyond what the synchronisation left."
        )
    often = ranking[["last_p", "behind_p"]].min(axis=1) <= LEVEL_PERCENT / 100
    if late := ", ".join(map(name_of, ranking[often & ~slow].to_dict("records"))):
        yield (
            f"Late more often than by chance, but not {threshold:g} % behind in over "
            f"{100 * MOST_ALGORITHMS:g} % of the algorithms: {late}. What is late in some waits "
            "for a slow host there, or has a late place in their schedules."
        )


def name_of(host: dict[Any, Any]) -> str:
    return f"{host[HOST]} ({host[SETTING]})" if host[SETTING] else str(host[HOST])


def list_doubts(found: Found, ranking: pd.DataFrame) -> Iterator[str]:
    """What else than a slow host makes one late."""
    if not ranking["slow"].any():
        return
    if ranking["algorithms"].min() < FEW_ALGORITHMS:
        yield (
            f"Of fewer than {FEW_ALGORITHMS} algorithms, a late place in all their schedules "
            "looks like a slow host: measure more of them."
        )
    counts = {count for launch in found.launches.values() for _, count in nodes_of(launch)}
    if counts == {1}:
        yield (
            "Each host has one rank, so nothing tells a slow host from a slow rank's place: launch "
            "with the hosts in another order, and see whether the same host is slow."
        )
    yield (
        "The test takes iterations as independent, and a disturbance hits many neighbours: repeat "
        "the launch, and see who stays slow."
    )


def document(found: Found, table: pd.DataFrame, options: Namespace) -> dict[str, object]:
    ranking = rank_hosts(table, options.threshold)
    return {
        "level_percent": LEVEL_PERCENT,
        "threshold_percent": options.threshold,
        "slow": [str(host) for host in ranking.loc[ranking["slow"], HOST]],
        "hosts": to_records(ranking),
        "cases": to_records(table),
        "files": [str(launch.path) for launch in found.launches.values()],
        "left_out": found.left_out,
    }


REPORT = Report(
    "nodes",
    __doc__,
    needs=(opt.Need(add_rows), opt.Need(THRESHOLD), opt.START),
    load=load,
    table=lambda found, options: tabulate(found.results, found.launches, options.keep_going),
    draw=lambda _, table, options: draw(table, options),
    diagnostics=find_diagnostics,
    parts=list_parts,
    document=document,
)
