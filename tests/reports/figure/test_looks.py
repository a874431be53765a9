# SPDX-License-Identifier: BSD-3-Clause
"""Each algorithm keeps its look, and looks can be told apart: by the colour-blind, and in grey
print.

What they see is simulated after Machado, Oliveira and Fernandes (2009), severity 1.
"""

from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import pytest
from matplotlib.colors import to_hex, to_rgb

from agformats.catalogue import catalogue
from agreport.compare.figure import MAP
from agreport.data.algorithm_sets import LIBRARY
from agreport.figure.looks import COLOURS, INDIGO, LOOKS, lines, looks
from agreport.winners.loss import BOUNDS, shade
from agreport.winners.maps import GREYS

Values = npt.NDArray[np.float64]

PROTANOPIA = np.array([
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
])  # fmt: skip
TRITANOPIA = np.array([
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.303900],
])  # fmt: skip
DEUTERANOPIA = np.array([
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.011820, 0.042940, 0.968881],
])  # fmt: skip
EYES = {"all": np.eye(3), "protanope": PROTANOPIA, "deuteranope": DEUTERANOPIA,
        "tritanope": TRITANOPIA}  # fmt: skip
TO_XYZ = np.array([
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
])  # fmt: skip
WHITE = TO_XYZ.sum(axis=1)
TOGETHER = [*catalogue().algorithm_set("loch2021").algorithms, LIBRARY]
PARAMETERS = [f"bruck:k={k}" for k in range(2, 60)]


def lab(colours: list[str], seen: Values) -> Values:
    """CIE L*a*b* of each colour, after this matrix of linear red, green and blue."""
    rgb = np.array([to_rgb(colour) for colour in colours])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    part = np.clip(linear @ seen.T, 0, 1) @ TO_XYZ.T / WHITE
    f = np.where(part > 216 / 24389, np.cbrt(part), (24389 / 27 * part + 16) / 116)
    x, y, z = f.T
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=1)


def nearest(places: Values) -> float:
    return min(float(np.linalg.norm(a - b)) for a, b in combinations(places, 2))


def test_every_algorithm_has_a_look() -> None:
    """One row of LOOKS is all that a new algorithm needs; one colour is the library's alone."""
    assert [each.name for each in catalogue().algorithms if each.name not in LOOKS] == []
    assert [name for name, look in LOOKS.items() if look.colour == INDIGO] == [
        "native", "native_nonblocking", "native_persistent",
    ]  # fmt: skip


def test_no_two_looks_are_the_same() -> None:
    every = looks([*LOOKS, *PARAMETERS])
    assert len({(look.colour, look.hatch) for look in every.values()}) == len(every)
    for a, b in combinations(LOOKS.values(), 2):
        if a.colour == b.colour:
            assert a.marker != b.marker and a.line != b.line


def test_no_other_algorithm_changes_a_look() -> None:
    few = looks(["native", "bruck:k=4", "ring"])
    many = looks(["aaa", "bruck:k=4", "bruck:k=5", "native", "native:ring", "ring", "sparbit"])
    assert list(few) == ["native", "bruck:k=4", "ring"], "in the given order"
    assert few == {name: many[name] for name in few}
    assert lines(["ring"], ["bruck", "ring"])["ring"] == lines(["ring"], ["ring"])["ring"]


def test_an_order_of_the_ranks_keeps_the_colour() -> None:
    names = [f"{name}@{order.name}{parameter}" for name in ("ring", "bruck", "sparbit")
             for order in catalogue().orders for parameter in ("", ":batch=2")]  # fmt: skip
    every = looks([*LOOKS, *names, *PARAMETERS])
    assert len({(look.colour, look.hatch) for look in every.values()}) == len(every)
    for name in names:
        flat = LOOKS[name.partition("@")[0]]
        assert every[name].colour == flat.colour
        assert every[name].line != flat.line or every[name].hatch != flat.hatch


@pytest.mark.parametrize("who", EYES)
def test_colours_are_far_apart(who: str) -> None:
    """The algorithms have no hatches, such as a default set's: the distance is over eight times
    what can be seen."""
    assert nearest(lab(list(COLOURS), EYES[who])) > (25 if who == "all" else 19)


@pytest.mark.parametrize("who", EYES)
def test_shades_are_apart(who: str) -> None:
    """Slower and faster of a comparison and what is between, and each step of losses."""
    change = lab([to_hex(MAP(place)) for place in (0.0, 0.5, 1.0)], EYES[who])
    assert nearest(change) > 40
    steps = lab([to_hex(shade(bound)) for bound in BOUNDS], EYES[who])
    assert min(float(np.linalg.norm(a - b)) for a, b in pairwise(steps)) > 8


def test_a_default_set_has_no_hatches() -> None:
    assert all(LOOKS[name].hatch == "" for name in TOGETHER)
    assert len({LOOKS[name].marker for name in TOGETHER}) == len(TOGETHER)


def test_these_are_apart_in_grey_print() -> None:
    lightness = lab([LOOKS[name].colour for name in TOGETHER], np.eye(3))[:, :1]
    assert nearest(lightness) > 10


@pytest.mark.parametrize("seen", [np.eye(3), PROTANOPIA, DEUTERANOPIA])
def test_colours_are_far_from_greys(seen: Values) -> None:
    """They are far from the greys of improvements, and so from white."""
    assert np.hypot(*lab(list(COLOURS), seen)[:, 1:].T).min() > 20


@pytest.mark.parametrize("seen", EYES.values())
def test_colours_that_are_near_have_other_markers(seen: Values) -> None:
    for a, b in combinations(LOOKS.values(), 2):
        if a.hatch == b.hatch and nearest(lab([a.colour, b.colour], seen)) < 20:
            assert a.marker != b.marker


def test_a_large_improvement_is_dark() -> None:
    """White is the colour of paper, of nothing."""
    small, large = (float(np.mean(GREYS(part)[:3])) for part in (0.0, 1.0))
    assert 0.2 < large < 0.3 and 0.9 < small < 0.97, "apart from white, and from native"
