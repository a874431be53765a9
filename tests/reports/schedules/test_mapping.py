# SPDX-License-Identifier: BSD-3-Clause
"""Tests where ranks are, and what stays on their nodes."""

import json
from argparse import Namespace
from math import dist

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgba
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from agformats.errors import BadInput
from agreport.cli.report import join_parts
from agreport.main import main
from agreport.schedules import mapping, schedule
from agreport.schedules.diagrams import DISC_CM, OnNodes
from agreport.schedules.mapping import LEAVES, STAYS, Placed

from ..support.fake import bruck
from ..support.sheets import texts

SETTING = "4,2,2"
LOCALITY = f"""\
algorithm,ranks,nodes,ranks_per_node,mapping,bytes,step,sends,sends_on_node,sent_bytes,\
sent_bytes_on_node,status,reason
bruck,{SETTING},cyclic,1,0,4,0,4,0,ok,
bruck,{SETTING},cyclic,1,1,4,4,8,8,ok,
"""
EMPTY = f"bruck,{SETTING},cyclic,1,2,4,4,0,0,ok,\n"
OPTIONS = Namespace(nodes=2, ranks_per_node=2, steps=None)


def nodes(name: str, *node: int) -> pd.DataFrame:
    return pd.DataFrame({"mapping": name, "rank": range(len(node)), "node": node})


def test_ranks_are_in_the_boxes_of_their_nodes() -> None:
    """Loch 2021, figure 15; an unfilled slot is empty."""
    both = pd.concat([nodes("sequential", 0, 0, 1), nodes("cyclic", 0, 1, 0)])
    placed = Placed(both, None, {})
    sheet = mapping.draw(placed, OPTIONS)
    assert {"sequential mapping", "cyclic mapping", "node 0", "node 1"} <= set(texts(sheet))
    for axes, name in zip(sheet.figure.axes, ("sequential", "cyclic"), strict=True):
        boxes = [box.get_bbox() for box in axes.findobj(FancyBboxPatch)]
        discs = axes.findobj(Circle)
        inside = [
            next(n for n, box in enumerate(boxes) if box.contains(*disc.center)) for disc in discs
        ]
        assert inside == both.loc[both["mapping"] == name, "node"].tolist()
    printed = join_parts(mapping.parts(placed), "csv")
    assert printed.splitlines() == [
        "Ranks on nodes, sequential", "slot,node 0,node 1", "0,0,2", "1,1,-", "",
        "Ranks on nodes, cyclic", "slot,node 0,node 1", "0,0,1", "1,2,-",
    ]  # fmt: skip


def read_locality(algorithm: str, text: str) -> pd.DataFrame:
    return mapping.shares_on_node(algorithm, mapping.LOCALITY.read("program", text.encode()))


def test_what_stays_is_counted_and_coloured() -> None:
    locality = read_locality("bruck", LOCALITY)
    assert locality["bytes_percent"].tolist() == [0, 100]
    made = schedule.read("here", json.dumps(bruck(4)))
    placed = Placed(nodes("cyclic", 0, 1, 0, 1), locality, {"cyclic": made})
    sheet = mapping.draw(placed, OPTIONS)
    assert {"step 0, cyclic 0 of 4 stay (0 %)", "step 1, cyclic 4 of 4 stay (100 %)"} <= set(
        texts(sheet)
    )
    colours = [
        {arrow.get_edgecolor() for arrow in axes.findobj(FancyArrowPatch)}
        for axes in sheet.figure.axes
    ]
    assert colours == [{to_rgba(LEAVES)}, {to_rgba(STAYS)}]
    printed = join_parts(mapping.parts(placed), "csv").splitlines()
    assert printed[-1] == f"cyclic,8,4,50.0,{100 * 8 / 12}"


def test_a_step_without_bytes_has_no_share() -> None:
    locality = read_locality("bruck", LOCALITY + EMPTY)
    assert np.isnan(locality["bytes_percent"].iloc[2])
    assert mapping.describe_step(locality, "cyclic", 2) == "4 of 4 stay"


def test_many_slots_stand_in_several_columns() -> None:
    places = OnNodes([0] * 16, 1, 16, False)
    assert (places.columns, places.rows) == (2, 8)
    assert len(set(places.at.values())) == 16


def test_what_is_too_wide_is_refused() -> None:
    wide = Placed(nodes("cyclic", *range(30)), None, {})
    with pytest.raises(BadInput, match="or fewer ranks or nodes"):
        mapping.draw(wide, Namespace(nodes=30, ranks_per_node=1, steps=None))


@pytest.mark.parametrize("option", ["--nodes", "--ranks-per-node", "--ranks"])
@pytest.mark.parametrize("value", ["x", "0", "-1", "2.5"])
def test_bad_numbers(capsys: pytest.CaptureFixture[str], option: str, value: str) -> None:
    given = {"--nodes": "2", "--ranks-per-node": "2", option: value}
    with pytest.raises(SystemExit) as ended:
        main(["mapping", *(f"{name}={text}" for name, text in given.items()), "-o", "a.png"])
    assert ended.value.code == 2
    said = f"argument {option}: '{value}' is no whole number of 1 or more\n"
    assert capsys.readouterr().err.endswith(said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LOCALITY.splitlines()[0] + "\n", "a rank alone has no steps"),
        (LOCALITY + f"ring,{SETTING},cyclic,1,0,4,0,4,0,ok,\n", "more than one algorithm"),
        (
            LOCALITY.splitlines()[0] + f"\nx,{SETTING},cyclic,1,,,,,,skipped,needs more\n",
            "--algorithm bruck: needs more",
        ),
    ],
    ids=["nothing", "several", "skipped"],
)
def test_bad_localities(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        read_locality("bruck", text)


def test_arrows_between_neighbours_have_a_line() -> None:
    """There is more than the head of the arrow from disc to disc below each other."""
    head_cm = 0.4 * 5 * 2.54 / 72  # of `-|>` with mutation_scale 5
    at = OnNodes([0, 0], 1, 2, messages=True).at
    assert dist(at[0], at[1]) - 2 * (DISC_CM + 0.03) > 1.8 * head_cm
