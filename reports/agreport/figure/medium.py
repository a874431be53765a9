# SPDX-License-Identifier: BSD-3-Clause
"""Says what figures are drawn for: how wide the column is, and whether a paper's or a reader's
screen.

It is settled once, by main, and holds for every figure of a command.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from agformats.errors import Illegal

CM_OF = {"cm": 1.0, "mm": 0.1, "in": 2.54}
NARROWEST_CM, WIDEST_CM = 5.0, 60.0
NARROW_CM = 12.0
LEGAL_WIDTH = f"{NARROWEST_CM:g}cm to {WIDEST_CM:g}cm, such as 8.5cm, 85mm or 3.35in"


@dataclass(frozen=True)
class Medium:
    """What figures are drawn for.

    width_cm: the width of every figure; its fonts keep their size. paper: whether the figure is for
    a paper, with names as people write them. on_page: whether the figure is on a page, which has
    the title and the caption itself.
    """

    width_cm: float = 17.0  # the text width of a page
    paper: bool = False
    on_page: bool = False

    @property
    def bare(self) -> bool:
        """Returns the medium without title and caption."""
        return self.paper or self.on_page

    @property
    def narrow(self) -> bool:
        """True for a column of a paper, not its whole width; title and caption have many lines."""
        return self.width_cm < NARROW_CM


DEFAULT = Medium()
ENDINGS = (".png", ".svg", ".pdf")  # of the names of files
CURRENT = ContextVar("medium", default=DEFAULT)


def medium() -> Medium:
    return CURRENT.get()


@contextmanager
def drawn_for(chosen: Medium) -> Iterator[None]:
    before = CURRENT.set(chosen)
    try:
        yield
    finally:
        CURRENT.reset(before)


def parse_width(text: str) -> float:
    """Returns the width in centimetres."""
    number, unit = text[:-2], text[-2:]
    try:
        width_cm = float(number) * CM_OF[unit]
    except (KeyError, ValueError):
        raise Illegal(LEGAL_WIDTH) from None
    if not NARROWEST_CM <= width_cm <= WIDEST_CM:
        raise Illegal(LEGAL_WIDTH)
    return width_cm
