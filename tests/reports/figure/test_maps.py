# SPDX-License-Identifier: BSD-3-Clause
"""Tests how wide the cells of maps are, and how high the maps."""

import pandas as pd
import pytest
from matplotlib.axes import Axes

from agreport.figure.cell_grid import LEGIBLE_CELL_CM, NARROW_PAGE_CM, PAGE_CM, CellGrid, Maps
from agreport.figure.medium import Medium, drawn_for


class Grid(CellGrid):
    def draw(self, axes: Axes, cell_cm: float) -> None:
        """Nothing: only the sizes are looked at."""


def make_maps(medium: Medium, panels: int, sizes: int) -> Maps:
    """Makes maps of panels with eight numbers of ranks, and so many block sizes."""
    names = ["ranks", "bytes"]
    index = pd.MultiIndex.from_product([range(2, 10), [2**n for n in range(sizes)]], names=names)
    with drawn_for(medium):
        return Maps([Grid("allgather", pd.DataFrame({"x": 1}, index)) for _ in range(panels)])


@pytest.mark.parametrize(("paper", "highest_cm"), [(False, NARROW_PAGE_CM), (True, PAGE_CM)])
def test_a_narrow_figure_fits_a_page_with_its_caption(paper: bool, highest_cm: float) -> None:
    maps = make_maps(Medium(8.5, paper), panels=3, sizes=21)
    assert maps.height_cm <= highest_cm


def test_more_than_a_page_is_as_low_as_it_can_be() -> None:
    maps = make_maps(Medium(8.5), panels=6, sizes=21)
    assert len(maps.lines(maps.across)) == 3


@pytest.mark.parametrize(
    ("medium", "panels", "sizes"),
    [(Medium(8.5), 1, 21), (Medium(8.5, paper=True), 2, 21), (Medium(17), 3, 21)],
)
def test_cells_are_legible(medium: Medium, panels: int, sizes: int) -> None:
    assert make_maps(medium, panels, sizes).cell_cm >= LEGIBLE_CELL_CM
