# SPDX-License-Identifier: BSD-3-Clause
"""Gives an algorithm its look in every figure: its colour, hatch, marker and line are its own for
good.

LOOKS has a row for each registered algorithm. Rows are only added, never changed or removed:
figures of different versions stand side by side.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, TypeAlias
from zlib import crc32

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from agreport.figure.words import shown

if TYPE_CHECKING:
    import pandas as pd

Values: TypeAlias = "pd.Series[float]"

# Colour-blind readers can tell all of these colours apart. Those of native and of `loch2021` can be
# told apart in grey print, too. None of them looks like a grey, which the heat map has for itself,
# except to tritanopes (tests/reports/figure/test_looks.py).
BLUE, GOLD, GREEN, PURPLE = "#0068AD", "#E6BE1E", "#00561B", "#8824ED"
SKY, VERMILLION, LIME, INDIGO = "#52A9E0", "#D5590A", "#A6CF72", "#2C1F7A"
COLOURS = (BLUE, GOLD, GREEN, PURPLE, SKY, VERMILLION, LIME, INDIGO)
STYLES = (  # of lines
    "-",
    (0, (4, 1)),
    (0, (1, 1)),
    (0, (4, 1, 1, 1)),
    (0, (4, 1, 1, 1, 1, 1)),
    (0, (8, 1, 2, 1)),
    (0, (2, 2)),
    (0, (8, 2)),
    (0, (1, 3)),
    (0, (12, 2, 1, 2)),
    (0, (6, 2, 2, 2)),
)
MARKERS = "os^DvPX<>pd*"
BAND_ALPHA, BAR_ALPHA = 0.2, 0.6
# Hatches of the algorithms in LOOKS, and of all other names. A look has the line of STYLES that has
# the number of its hatch.
HATCHES = ("", "////", "....", "----", "++++", "xxxx", "OOOO", "****", "--..", "//..", "xx..")
OTHER_HATCHES = ("\\\\\\\\", "oooo", "////////", "........", "||||")
OTHER_COLOURS = len(COLOURS) - 1
OTHERS = OTHER_COLOURS * len(OTHER_HATCHES)


@dataclass(frozen=True)
class Look:
    """How an algorithm is drawn. colour: as #RRGGBB. hatch, marker: as matplotlib has them. line:
    as matplotlib's linestyle."""

    colour: str
    hatch: str
    marker: str
    line: Any

    def patch(self, name: str) -> Patch:
        """Returns the patch of a legend."""
        return Patch(facecolor=self.colour, hatch=self.hatch, edgecolor="white", label=shown(name))


def registered(colour: str, kind: int, marker: str) -> Look:
    return Look(colour, HATCHES[kind], marker, STYLES[kind])


LOOKS: Mapping[str, Look] = {
    "ring": registered(BLUE, 0, "o"),
    "neighbor_exchange": registered(GOLD, 0, "s"),
    "recursive_doubling": registered(GREEN, 0, "^"),
    "bruck": registered(SKY, 0, "D"),
    "bruck_in_place": registered(SKY, 1, "p"),
    "sparbit": registered(VERMILLION, 0, "v"),
    "linear": registered(BLUE, 1, "s"),
    "spread": registered(GOLD, 1, "^"),
    "shift": registered(GREEN, 1, "D"),
    "shift_light_barrier": registered(BLUE, 2, "v"),
    "shift_mpi_barrier": registered(GOLD, 2, "P"),
    "shift_n_barriers": registered(SKY, 2, "X"),
    "pair": registered(VERMILLION, 1, "<"),
    "pair_light_barrier": registered(GREEN, 2, ">"),
    "pair_mpi_barrier": registered(PURPLE, 2, "p"),
    "pair_n_barriers": registered(BLUE, 3, "d"),
    "mesh2d": registered(PURPLE, 1, "o"),
    "mesh3d": registered(LIME, 2, "s"),
    "gather_bcast": registered(LIME, 1, "^"),
    "linear_gather_bcast": registered(VERMILLION, 2, "D"),
    "topology_ring": registered(GOLD, 3, "o"),
    "topology_ring_two_hop": registered(GREEN, 3, "v"),
    "topology_ring_optimal": registered(SKY, 3, "<"),
    "recursive_halving": registered(VERMILLION, 3, "P"),
    "recursive_exchange": registered(PURPLE, 3, "s"),
    "pipelined_ring": registered(LIME, 3, ">"),
    "leader": registered(BLUE, 4, "X"),
    "lane": registered(GOLD, 4, "d"),
    "bdr": registered(PURPLE, 0, "X"),
    "bslb": registered(LIME, 0, "*"),
    "clairvoyant": registered(GREEN, 6, "s"),
    "portfolio": registered(VERMILLION, 6, "^"),
    "library_gather_bcast": registered(GREEN, 4, "*"),
    "native": registered(INDIGO, 0, "P"),  # the library's calls alone have this colour
    "native_nonblocking": registered(INDIGO, 1, "o"),
    "native_persistent": registered(INDIGO, 2, "s"),
    "adaptive": registered(PURPLE, 4, "<"),
    "circulant": registered(SKY, 4, "o"),
    "ring_bidirectional": registered(VERMILLION, 4, "s"),
    "bine": registered(LIME, 4, "p"),
    "pat": registered(BLUE, 5, "^"),
    "recursive_multiplying": registered(GOLD, 5, "v"),
    "k_ring": registered(GREEN, 5, "o"),
    "bine_doubling": registered(PURPLE, 5, "D"),
    "bine_remap": registered(SKY, 5, "s"),
    "recursive_halving_remap": registered(VERMILLION, 5, "X"),
    "bruck_two_sided": registered(LIME, 5, "<"),
    "far_first": registered(BLUE, 6, "P"),
    "locality_p2p": registered(SKY, 7, "v"),
    "locality_bruck": registered(VERMILLION, 7, "o"),
    "multi_leader": registered(LIME, 7, "d"),
    "bucket": registered(BLUE, 7, ">"),
    "swing": registered(GOLD, 7, "X"),
    "file": registered(PURPLE, 6, "^"),
    "topology_phases": registered(GOLD, 6, "D"),
    "topology_phases_sender": registered(SKY, 6, ">"),
    "topology_phases_receiver": registered(LIME, 6, "v"),
    "topology_phases_barrier": registered(GREEN, 7, "p"),
    "topology_phases_barrier_sender": registered(PURPLE, 7, ">"),
    "topology_phases_barrier_receiver": registered(BLUE, 8, "*"),
    "flat": registered(GOLD, 8, "<"),
    "binomial": registered(GREEN, 8, "X"),
    "scatter_allgather": registered(PURPLE, 8, "v"),
    "linear_pipeline": registered(SKY, 8, "^"),
    "binary": registered(VERMILLION, 8, "p"),
    "k_ary": registered(LIME, 8, "D"),
    "topology_linear": registered(SKY, 9, "P"),
    "topology_binary": registered(VERMILLION, 9, ">"),
    "parallel_ring": registered(BLUE, 9, "p"),
    "butterfly": registered(GREEN, 9, "<"),
    "radix_k": registered(GOLD, 9, "p"),
    "two_tree": registered(PURPLE, 9, "P"),
    "local_redirect": registered(LIME, 9, "o"),
    "arrival_rings": registered(SKY, 10, "*"),
    "rabenseifner": registered(BLUE, 10, "D"),
    "topology_phases_dummy": registered(VERMILLION, 10, "d"),
    "alltoall_allgather": registered(GOLD, 10, "*"),
    "allgather_reduce": registered(GREEN, 10, "d"),
}


def looks(names: Sequence[str]) -> dict[str, Look]:
    """Returns the looks of these names, no two of them the same. A name that LOOKS has not
    (bruck:k=4, native:ring) has a look by its spelling, or the next one if another name here has
    that. In an order of the ranks (ring@switch) an algorithm keeps its colour."""
    found = {name: LOOKS[name] for name in names if name in LOOKS}
    for name in sorted(set(names) - set(LOOKS), key=lambda name: ("@" not in name, name)):
        taken = {(look.colour, look.hatch) for look in found.values()}
        tries = looks_for(name)
        found[name] = next(look for look in tries if (look.colour, look.hatch) not in taken)
    return {name: found[name] for name in names}


def looks_for(name: str) -> Iterator[Look]:
    """Yields the look that the spelling of the name gives, then others."""
    first = crc32(name.encode())
    flat, at, _ = name.partition("@")
    for step in count():
        if at and flat in LOOKS:
            yield reordered_look(LOOKS[flat].colour, first, step)
        else:
            yield other_look(first % OTHERS + step)


def reordered_look(colour: str, first: int, step: int) -> Look:
    """Returns a look of this colour, with a hatch that no registered algorithm has. Another step
    gives another hatch; first: the number at which the hatches begin."""
    repeat, kind = divmod(step, len(OTHER_HATCHES))
    kind = (first + kind) % len(OTHER_HATCHES)
    marker = MARKERS[(first + step) % len(MARKERS)]
    return Look(colour, OTHER_HATCHES[kind] * (1 + repeat), marker, STYLES[kind])


def other_look(number: int) -> Look:
    """Returns a look without native's colour. Two numbers differ in colour or hatch, and neighbours
    in all."""
    row, column = divmod(number, OTHER_COLOURS)
    kind = (number + row) % len(OTHER_HATCHES)
    hatch = OTHER_HATCHES[kind] * (1 + number // OTHERS)
    marker = MARKERS[(number + row) % len(MARKERS)]
    return Look(COLOURS[column], hatch, marker, STYLES[kind])


def lines(names: Iterable[str], catalogue: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Returns how the algorithms of one figure are drawn as lines, in the order of the
    catalogue."""
    drawn = {*names}
    return {
        name: {
            "color": look.colour,
            "marker": look.marker,
            "linestyle": look.line,
            "lw": 1,
            "ms": 3.5,
            "mec": "white",
            "mew": 0.3,
        }
        for name, look in looks(catalogue).items()
        if name in drawn
    }


def draw_line(axes: Axes, x: Values, ends: Sequence[Values], style: Mapping[str, Any]) -> None:
    """Draws a line with a band, and with bars, since one point has no band. ends: the middle of the
    values at x, their low and their high ends."""
    middle, low, high = ends
    axes.fill_between(x, low, high, color=style["color"], alpha=BAND_ALPHA, lw=0)
    axes.vlines(x, low, high, color=style["color"], alpha=BAR_ALPHA, lw=0.6)
    axes.plot(x, middle, **style)


def line_handles(styles: Mapping[str, dict[str, Any]]) -> list[Artist]:
    """Returns the lines of a legend."""
    return [Line2D([], [], label=shown(name), **style) for name, style in styles.items()]
