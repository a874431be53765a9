# SPDX-License-Identifier: BSD-3-Clause
"""Maps on a sheet, below the colour bar that says what their shades mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from matplotlib.artist import Artist
from matplotlib.cm import ScalarMappable

from agreport.figure.cell_grid import Maps
from agreport.figure.medium import medium
from agreport.figure.sheet import Sheet, sheet
from agreport.figure.text_size import LINE_CM, TITLE_PT, wrapped

LINE_PART = 0.95  # of the width: of a title
BAR_CM, TITLE_CM, HIGH_CM = 1.05, 0.45, 0.3  # the bar and its labels, a line of its title, itself


@dataclass(frozen=True)
class Bar:
    """What shades mean. marks: labels instead of matplotlib's; beside: at the right of it."""

    title: str
    colours: ScalarMappable
    marks: Mapping[float, str] = field(default_factory=dict)
    beside: str = ""

    def wrapped_title(self) -> str:
        return wrapped(self.title, LINE_PART * medium().width_cm, TITLE_PT)

    def title_cm(self) -> float:
        return TITLE_CM + self.wrapped_title().count("\n") * LINE_CM

    def draw(self, page: Sheet) -> None:
        """At the top of the body, in its middle."""
        axes = page.axes(page.width_cm / 4, self.title_cm(), page.width_cm / 2, HIGH_CM)
        scale = page.figure.colorbar(self.colours, cax=axes, orientation="horizontal")
        if self.marks:
            scale.set_ticks([*self.marks], labels=[*self.marks.values()])
        axes.text(1.01, 0.5, self.beside, transform=axes.transAxes, va="center")
        axes.set_title(self.wrapped_title())


def draw_maps(
    title: str,
    maps: Maps,
    legend: Sequence[Artist],
    caption: str,
    bar: Bar | None = None,
    below_cm: float = 0.0,
) -> Sheet:
    """The panels below the colour bar, if there is one; below_cm: of the body is left empty at its
    end."""
    bar_cm = BAR_CM + bar.title_cm() if bar else 0.0
    page = sheet(title, bar_cm + maps.height_cm + below_cm, legend, caption)
    if bar:
        bar.draw(page)
    for panel, axes in maps.place(page, bar_cm):
        panel.draw(axes, maps.cell_cm)
        page.tooltips.extend(panel.tooltips(axes))
    return page
