# SPDX-License-Identifier: BSD-3-Clause
"""Axes that matplotlib places: as large as their labels and titles let them be."""

from matplotlib.transforms import Bbox

from agreport.figure.sheet import Sheet

DECIMALS = 4


def arrange(page: Sheet) -> None:
    """Place the axes of the body; for when everything is drawn.

    All positions are rounded, since the solver's last digits differ from run to run, and the same
    data has to give the same file.
    """
    page.figure.set_layout_engine("constrained")
    page.figure.draw_without_rendering()
    page.figure.set_layout_engine("none")
    for part in page.figure.subfigs:
        part.bbox_relative.set_points(part.bbox_relative.get_points().round(DECIMALS))
    for axes in page.body.axes:
        axes.set_position(Bbox(axes.get_position().get_points().round(DECIMALS)))
