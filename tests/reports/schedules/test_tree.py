# SPDX-License-Identifier: BSD-3-Clause
"""The trees on which blocks travel."""

import json
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.patches import Circle, FancyArrowPatch

from agreport.main import main
from agreport.schedules import schedule, tree
from agreport.schedules.schedule import Schedule
from agreport.schedules.tree import Edge

from ..support.commands import Capture, refused
from ..support.fake import Document, bruck, document, step, transfer
from ..support.sheets import texts


def read(given: Document) -> Schedule:
    return schedule.read("here", json.dumps(given))


def sparbit_5() -> Document:
    """Loch 2021, figure 13."""
    schedules: list[list[Document]] = [[] for _ in range(5)]
    for distance, behind in ((4, [0]), (2, [0]), (1, [0, 2])):
        for r, steps in enumerate(schedules):
            own = [(r - k) % 5 for k in behind]
            others = [(r - distance - k) % 5 for k in behind]
            steps.append(
                step([transfer((r + distance) % 5, *own)], [transfer((r - distance) % 5, *others)])
            )
    return document(schedules)


def test_the_trees_of_sparbit() -> None:
    """Loch 2021, figures 10 b and 12."""
    found = tree.grow(read(sparbit_5()), 0)
    assert found.edges == [Edge(0, 0, 4), Edge(1, 0, 2), Edge(2, 0, 1), Edge(2, 2, 3)]
    assert found.again == 0
    assert list(found.places()) == [0, 1, 2, 3, 4]  # as the figure has them, left to right
    shifted = tree.grow(read(sparbit_5()), 3)
    assert list(shifted.places()) == [3, 4, 0, 1, 2]


def test_no_two_edges_cross() -> None:
    """Each subtree stands together, and to the right of those that begin later."""
    found = tree.grow(read(bruck(21)), 3)
    places = found.places()
    assert sorted(places) == [*range(21)]
    step_of = {edge.receiver: edge.step for edge in found.edges}
    for edge in found.edges:
        between = [
            r for r, at in places.items() if places[edge.sender] < at < places[edge.receiver]
        ]
        assert all(step_of[rank] > edge.step for rank in between)


def test_what_a_rank_gets_again_is_told() -> None:
    again = document(
        [
            [step([transfer(1, 0)], []), step([transfer(1, 0)], [])],
            [step([], [transfer(0, 0)]), step([], [transfer(0, 0)])],
        ]
    )
    found = read(again)
    grown = tree.grow(found, 0)
    assert (len(grown.edges), grown.again) == (1, 1)
    said = "Not drawn: ranks receive what they have, 1 time."
    assert any(said in text for text in texts(tree.draw(found, [grown], {})))


@pytest.mark.slow
def test_the_figure() -> None:
    found = read(sparbit_5())
    sheet = tree.draw(found, [tree.grow(found, block) for block in range(5)], {})
    assert {"block 0", "block 4", "step 0", "step 2"} <= set(texts(sheet))
    assert len(sheet.figure.axes) == 5
    for axes in sheet.figure.axes:
        assert len(axes.findobj(Circle)) == 5
        assert len(axes.findobj(FancyArrowPatch)) == 4


def test_files(tmp_path: Path) -> None:
    given, numbers, output = tmp_path / "a.json", tmp_path / "a.csv", tmp_path / "a.png"
    given.write_text(json.dumps(sparbit_5()))
    command = f"tree --schedule {given} --block 1,0 --csv {numbers} -o {output}"
    assert main(command.split()) == 0
    rows = pd.read_csv(numbers)
    assert rows["block"].tolist() == [1] * 4 + [0] * 4
    assert rows.iloc[4].tolist() == [0, 0, 0, 0, 4]
    assert output.exists()


def reduction(**more: object) -> Document:
    """Rank 1 hands its contribution over to rank 0."""
    schedules = [[step([], [transfer(1, 0)])], [step([transfer(0, 0)], [])]]
    return document(schedules, collective="reduce", combines=True, **more)


@pytest.mark.parametrize("block", ["0", "all"])
@pytest.mark.parametrize("more", [{}, {"collective": "allreduce", "keeps_contributions": True}])
def test_what_is_combined_has_no_tree(
    tmp_path: Path, capsys: Capture, block: str, more: Document
) -> None:
    given, output = tmp_path / "a.json", tmp_path / "a.png"
    given.write_text(json.dumps({**reduction(), **more}))
    line = refused(capsys, "tree", "--schedule", given, "--block", block, "-o", output)
    assert "made_up combines what ranks begin with" in line and "; legal: a schedule" in line
    assert not output.exists()


@pytest.mark.parametrize(
    ("block", "said"),
    [("5", "--block: '5' is no block; legal: 0 to 4, all"), ("", "--block: '' is no block")],
)
def test_bad_blocks(tmp_path: Path, capsys: Capture, block: str, said: str) -> None:
    given, output = tmp_path / "a.json", tmp_path / "a.png"
    given.write_text(json.dumps(sparbit_5()))
    assert main(["tree", "--schedule", str(given), "--block", block, "-o", str(output)]) == 2
    assert said in capsys.readouterr().err
    assert not output.exists()
