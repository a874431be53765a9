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
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.patches import Patch

from agformats.errors import BadInput
from agformats.units import in_percent, three_digits
from agreport.cli import inputs
from agreport.cli.render import to_records
from agreport.cli.report import Part
from agreport.data.arrival_labels import NONE
from agreport.data.hosts import nodes_of
from agreport.data.load import CASE, PAIR, SETTING, Launch, Results
from agreport.diagnostics.arrival_caveats import ranks_apart
from agreport.diagnostics.slow_hosts import (
    HOST,
    LEVEL_PERCENT,
    MOST_ALGORITHMS,
    different_hosts,
    find_left_out,
    load_ranks,
    rank_hosts,
)
from agreport.figure.cell_grid import Bar, CellGrid, Maps, draw_maps, hatch
from agreport.figure.panels import choose_groups
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM
from agreport.figure.words import plural

FEW_ALGORITHMS = 3
GROUP = [name for name in PAIR if name not in ("bytes", "arrival")]
MOST_GROUPS = 30
# The paper's white where a host is there no more often than by chance.
SHADES = LinearSegmentedColormap.from_list(
    "behind", ["white", *colormaps["Reds"](np.linspace(0.15, 0.9, 8))]
)
DARK = 0.6  # from here on, numbers are white
BAR_TITLE = "how often it was in the slower half of the hosts"
NOT_THERE = ("xxxxx", "0.75")


@dataclass(frozen=True)
class Found:
    """Results, and which of their launches tell of hosts. launches: the launches that do, by their
    numbers. ranks: the rows of their ranks. left_out: sentences on what does not tell of hosts."""

    results: Results
    launches: dict[int, Launch]
    ranks: pd.DataFrame
    left_out: list[str]


def load(options: Namespace) -> Found:
    results = inputs.load_selected(options)
    launches, left_out = find_left_out(results)
    rows = results.timed()
    if not (rows["launch"].isin([*launches]) & rows["arrival"].eq(NONE)).any():
        raise BadInput(f"nothing tells of slow hosts: {'; '.join(left_out)}")
    ranks = load_ranks(results, launches, options.keep_going)
    results = replace(results, left_out=[*results.left_out, *ranks.left_out])
    options.left_out = results.left_out
    return Found(results, launches, ranks.rows, left_out)


def find_diagnostics(found: Found, _: pd.DataFrame, __: Namespace) -> Iterator[str]:
    yield from (f"left out: {sentence}" for sentence in found.left_out)
    if sentence := different_hosts([*found.launches.values()]):
        yield sentence
    for caveat in ranks_apart(found.results.only_launches([*found.launches])):
        yield caveat.text


def list_parts(found: Found, table: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    ranking = rank_hosts(table, options.threshold)
    yield from verdict(ranking, options.threshold)
    yield from list_doubts(found, ranking)
    shown = ranking.assign(
        **{name: ranking[name].map("{:.1g}".format) for name in ("last_p", "behind_p")},
    )
    yield "\nHosts, over all their cases", shown
    worst = table.nlargest(options.rows, "excess_percent")
    facts = [name for name in CASE if table[name].nunique() == 1]
    yield (
        "Hosts by case and algorithm, those furthest behind the median of the others "
        f"({len(worst)} of {len(table)})",
        worst.drop(columns=facts),
    )


def verdict(ranking: pd.DataFrame, threshold: float) -> Iterator[str]:
    test = (
        f"(binomial test, {LEVEL_PERCENT:g} % for {plural(len(ranking), 'host')} "
        "together, Bonferroni)"
    )
    slow = ranking["slow"]
    what = f"slow more often than by chance {test}"
    named = ", ".join(map(name_of, ranking[slow].to_dict("records")))
    yield f"{what[:1].upper()}{what[1:]}: {named}." if named else f"No host is {what}."
    for host in ranking[slow].to_dict("records"):
        yield (
            f"{name_of(host)}: in the slower half in {three_digits(host['behind_percent'])} % of "
            f"{plural(host['iterations'], 'iteration')} instead of "
            f"{three_digits(host['behind_chance_percent'])} %, the last in "
            f"{three_digits(host['share_percent'])} % instead of "
            f"{three_digits(host['chance_percent'])} %; {in_percent(host['excess_percent'])} over "
            f"the median of the others, in {host['slow_in']} of {host['algorithms']} algorithms "
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
    """Says what else than a slow host makes one late."""
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
        "left_out": [*found.results.left_out, *found.left_out],
    }


class HostPanel(CellGrid):
    """A panel with hosts across. Each cell has the share of the iterations in which the host was in
    the slower half."""

    def __init__(self, title: str, found: pd.DataFrame) -> None:
        super().__init__(title, found.set_index([HOST, "bytes"]))
        self.column_name = HOST
        self.share = self.cells["behind_percent"]
        chance = self.cells["behind_chance_percent"]
        self.above = ((self.share - chance) / (100 - chance)).clip(lower=0)
        self.gaps = self.places(self.share.isna())

    def draw(self, axes: Axes, cell_cm: float) -> None:
        above = self.above.to_numpy(float).reshape(len(self.sizes), len(self.columns))
        axes.pcolormesh(
            np.ma.masked_invalid(above), cmap=SHADES, vmin=0, vmax=1, edgecolors="0.9",
            linewidth=0.3,
        )  # fmt: skip
        hatch(axes, self.gaps, *NOT_THERE)
        if has_numbers(cell_cm):
            above_chance = self.above[self.share.notna()]
            inks = ["white" if each > DARK else "black" for each in above_chance]
            self.print_numbers(axes, self.share, "{:.0f}".format, inks)


def has_numbers(cell_cm: float) -> bool:
    """Returns whether they fit into the cells."""
    return cell_cm * POINTS_A_CM > 3 * DIGIT_PT


def draw(table: pd.DataFrame, options: Namespace) -> Sheet:
    chosen = choose_groups(table, GROUP, options, most=MOST_GROUPS)
    panels = [
        HostPanel(title, group.assign(host=group[HOST].cat.remove_unused_categories()))
        for title, group in zip(chosen.titles, chosen.groups, strict=True)
    ]
    maps = Maps(panels)
    numbers = has_numbers(maps.cell_cm)
    caption = (
        "White: no more often than by chance. A slow host is dark in all panels; one that waits "
        "for it, or has a late place in a schedule, in some. Iterations without arrival patterns."
    )
    if not numbers:
        caption += " The cells are too small for legible numbers; --csv writes them."
    gaps = [Patch(facecolor="white", edgecolor=NOT_THERE[1], hatch=NOT_THERE[0], lw=0,
                  label="not measured")]  # fmt: skip
    return draw_maps(
        chosen.head("How often each host left late"),
        maps,
        gaps if any(panel.gaps for panel in panels) else [],
        caption + chosen.describe_rest("agreport nodes"),
        Bar(
            BAR_TITLE + (" (numbers: % of the iterations)" if numbers else ""),
            ScalarMappable(Normalize(0, 1), SHADES),
            {0.0: "as by chance", 1.0: "always"},
        ),
    )
