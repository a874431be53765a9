# SPDX-License-Identifier: BSD-3-Clause
"""One panel of the loss map: of a collective, mapping, distribution and arrival pattern."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import BoundaryNorm, LinearSegmentedColormap, to_rgb

from agreport.figure.tooltips import Tooltip
from agreport.winners.maps import MapPanel, legible

LOSS = "loss"
AS_GOOD = 1.05  # what is lost below this is called nothing
# The colours of the map, as factors; the last one is for all above.
BOUNDS = (1.0, AS_GOOD, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0)
SHADES = colormaps["Reds"]
TIE = to_rgb("0.93")


class LossPanel(MapPanel):
    """In each cell the quotient."""

    def __init__(self, title: str, found: pd.DataFrame, chosen: str) -> None:
        super().__init__(title, found)
        self.chosen, self.loss = chosen, self.cells[LOSS]
        self.find_gaps(self.cells[f"{chosen}_us"].notna(), self.cells["compared_with"].eq(True))

    def draw(self, axes: Axes, cell_cm: float) -> None:
        near = self.cells["near_tie"].eq(True)
        colours = [
            TIE if tie and loss >= AS_GOOD else shade(loss)
            for loss, tie in zip(self.loss.fillna(1.0), near, strict=True)
        ]
        self.fill(axes, colours)
        self.hatch_gaps(axes)
        decimals = digits(cell_cm)
        if decimals is not None:
            there = self.loss.notna()
            inks = [
                "0.5" if tie else "black" if loss < BOUNDS[-2] else "white"
                for loss, tie in zip(self.loss[there], near[there], strict=True)
            ]
            self.print_numbers(axes, self.loss, lambda loss: number(loss, decimals), inks)

    def tooltips(self, axes: Axes) -> Iterator[Tooltip]:
        chosen = self.chosen

        def text(found: "pd.Series[Any]") -> str:
            best = f"; {found['best']} {found['best_us']:.4g} µs" if found["best"] != chosen else ""
            return f"{chosen} {found[f'{chosen}_us']:.4g} µs{best}; {found[LOSS]:.3g} times"

        return self.describe(axes, self.loss.notna(), text)


def digits(cell_cm: float) -> int | None:
    """Decimals of the quotients; None: they do not fit."""
    return legible({n: n + 2 for n in (1, 2)}, cell_cm)


def number(loss: float, decimals: int) -> str:
    """Three digits at most: 1.05, 12.3, 123."""
    return f"{loss:.{max(0, decimals - (loss >= 10) - (loss >= 100))}f}"


def shade(loss: float) -> tuple[float, float, float]:
    """The paper's white where nothing is lost."""
    if loss < AS_GOOD:
        return (1.0, 1.0, 1.0)
    place = np.searchsorted(BOUNDS, loss, side="right") - 1
    return to_rgb(SHADES(0.08 + 0.82 * place / (len(BOUNDS) - 1)))


def colours() -> ScalarMappable:
    """The shades between the bounds, for a colour bar."""
    shades = [shade(bound) for bound in BOUNDS]
    return ScalarMappable(
        BoundaryNorm([*BOUNDS, 2 * BOUNDS[-1]], len(BOUNDS)),
        LinearSegmentedColormap.from_list("loss", shades, len(BOUNDS)),
    )
