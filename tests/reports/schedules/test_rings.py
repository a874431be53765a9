# SPDX-License-Identifier: BSD-3-Clause
"""Component rings, g_max and k_min."""

from math import gcd

import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch

from agformats.errors import BadInput
from agreport.figure.medium import Medium, drawn_for
from agreport.schedules import rings
from agreport.schedules.diagrams import BEND, AroundCircle

from ..support.sheets import texts


def shifts(ranks: int, *distances: int, algorithm: str = "made_up") -> pd.DataFrame:
    """Steps in which each rank sends to the one at a distance."""
    rows = []
    for step, distance in enumerate(distances):
        count = gcd(distance, ranks)
        members = ";".join(
            " ".join(str((first + k * distance) % ranks) for k in range(ranks // count))
            for first in range(count)
        )
        rows.append((algorithm, ranks, step, count, ranks // count, ranks // count, members))
    columns = ["algorithm", "ranks", *rings.COUNTS, "members"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("ranks", "g_max", "k_min"),
    [(8, 4, 2), (16, 8, 2), (5, 1, 5), (21, 1, 21), (20, 4, 5), (84, 4, 21), (2, 1, 2)],
)
def test_extremes_are_the_papers(ranks: int, g_max: int, k_min: int) -> None:
    """Loch 2021, 5.2: p/2 and 2 at a power of two, 1 where p is odd, else the highest power of two
    that divides p."""
    halving = [1 << k for k in reversed(range((ranks - 1).bit_length()))]
    found = rings.find_extremes(shifts(ranks, *halving))
    assert found[["g_max", "k_min"]].to_numpy().tolist() == [[g_max, k_min]]
    assert g_max * k_min == ranks


@pytest.mark.slow
def test_the_figure() -> None:
    """Loch 2021, figure 16."""
    both = pd.concat([shifts(8, 1, 2, 4, algorithm="a"), shifts(8, 4, 2, 1, algorithm="b")])
    sheet = rings.draw(both, None)
    assert {"a, step 2 4 rings of 2 ranks", "b, step 2 1 ring of 8 ranks"} <= set(texts(sheet))
    assert any("b: g_max = 4, k_min = 2." in text for text in texts(sheet))
    colours = [
        {arrow.get_edgecolor() for arrow in axes.findobj(FancyArrowPatch)}
        for axes in sheet.figure.axes
    ]
    assert [len(found) for found in colours] == [1, 2, 4, 4, 2, 1]
    assert [len(axes.findobj(FancyArrowPatch)) for axes in sheet.figure.axes] == [8] * 6
    assert len(rings.draw(both, "0").figure.axes) == 2


def test_two_ranks_that_exchange_have_two_arrows() -> None:
    """Neighbours on the circle have them too, whose arrow would be straight."""
    assert [arrow.bend for arrow in rings.draw_arrows("0 1")] == [BEND] * 2
    assert AroundCircle(4).bend(0, 1) == 0.0


def test_names_in_print() -> None:
    with drawn_for(Medium(paper=True)):
        sheet = rings.draw(shifts(8, 4, algorithm="recursive_doubling"), None)
    assert "Recursive doubling, step 0 4 rings of 2 ranks" in texts(sheet)


def test_rings_of_different_size() -> None:
    assert rings.count_rings(2, 2, 3) == "2 rings of 2 to 3 ranks"
    assert rings.count_rings(1, 8, 8) == "1 ring of 8 ranks"


@pytest.mark.parametrize(
    ("rows", "steps", "said"),
    [
        (pd.concat([shifts(4, 1), shifts(8, 1)]), None, "--ranks: a figure has one number"),
        (shifts(33, 1), None, "32 at most"),
        (shifts(8, 4, 2, 1), "1:3", "--steps 1:3: legal: 0 to 2"),
    ],
    ids=["several", "many", "steps"],
)
def test_what_cannot_be_drawn(rows: pd.DataFrame, steps: str | None, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        rings.draw(rows, steps)
