# SPDX-License-Identifier: BSD-3-Clause
"""Step diagrams: what is read from schedules, and what is on the figures."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_rgb, to_rgba_array
from matplotlib.patches import FancyArrowPatch

from agformats.errors import BadInput
from agreport.figure.looks import COLOURS
from agreport.figure.sheet import Sheet
from agreport.main import main
from agreport.reports.schedules import MOST_RANKS
from agreport.schedules import schedule, schedule_figure
from agreport.schedules.diagrams import rank_colour
from agreport.schedules.schedule import MOST_BLOCKS, Schedule, name_blocks
from agreport.schedules.source import MOST_STEPS
from agreport.schedules.step_panel import RECEIVED, label_sender

from ..support.commands import Capture, refused
from ..support.fake import Document, bruck, document, step, transfer
from ..support.sheets import check_files, texts

NAMES = [str(number) for number in range(20)]


def read(given: Document) -> Schedule:
    return schedule.read("here", json.dumps(given))


def drawn(given: Document) -> Sheet:
    found = read(given)
    return schedule_figure.draw(found, {}, range(len(found.rounds)))


def barrier_then_swap() -> Document:
    """Step 0: a token from 0 to 1; step 1, after a barrier: both blocks."""
    return document(
        [
            [step([transfer(1)], []), step([transfer(1, 0)], [transfer(1, 1)], barrier=True)],
            [step([], [transfer(0)]), step([transfer(0, 1)], [transfer(0, 0)], barrier=True)],
        ]
    )


def test_steps_and_buffers() -> None:
    """Figure 7 of Loch (2021): 10 ranks, 1, 2, 4 and then 2 blocks."""
    found = read(bruck(10))
    assert [len(one.messages[0].blocks) for one in found.rounds] == [1, 2, 4, 2]
    assert [one.messages[9].receiver for one in found.rounds] == [8, 7, 5, 1]
    assert [sorted(one.held[9]) for one in found.rounds] == [
        [0, 9],
        [0, 1, 2, 9],
        [0, 1, 2, 3, 4, 5, 6, 9],
        [*range(10)],
    ]
    assert sorted(found.rounds[3].received[9]) == [7, 8]
    assert (found.ranks_wait, found.segmented) == (False, False)


def test_blocks_are_named_as_they_are_sent() -> None:
    assert name_blocks(NAMES, (0, 1, 2, 3)) == "0-3"
    assert name_blocks(NAMES, (7, 8, 9, 0)) == "7-9,0"
    assert name_blocks(NAMES, (3, 1)) == "3,1"
    assert name_blocks(NAMES, (0, 14, 12, 10, 8, 6, 4, 2)) == "0,2..14"
    assert name_blocks(NAMES, (0, 4, 8)) == "0,4,8"
    assert name_blocks(NAMES, (5, 9, 10, 11, 2)) == "5,9-11,2"


def test_labels_name_the_peers_only_if_these_get_different_blocks() -> None:
    def labels(*sends: Document) -> list[str]:
        receives = [
            [step([], [{"peer": 0, "blocks": one["blocks"]} for one in sends if one["peer"] == r])]
            for r in (1, 2, 3, 4)
        ]
        found = read(document([[step(list(sends), [])], *receives]))
        return label_sender(found, 0, 0)

    assert labels(transfer(1, 0), transfer(2, 0), transfer(3)) == ["0"]
    arrow = "\N{RIGHTWARDS ARROW}"
    assert labels(transfer(1, 0), transfer(3, 0), transfer(2, 1, 2)) == [
        f"0 {arrow} 1,3",
        f"1-2 {arrow} 2",
    ]
    assert labels(*(transfer(peer, peer) for peer in (1, 2, 3, 4))) == ["4 blocks"]
    assert labels() == []


@pytest.mark.slow
def test_the_figure_says_who_sends_what() -> None:
    found = texts(drawn(bruck(10)))
    assert "made_up, 10 ranks: who sends which blocks to whom" in found
    assert {"step 0", "step 3", "7-9,0", "0-3", "received in this step", "not held"} <= set(found)
    assert "token (message without blocks)" not in found
    assert found.count("9") == 4 * 2 + 4 + 1  # as sender, receiver, end of the buffer, and block 9
    assert any("0,2..6" in text for text in found) is False


def test_buffers_as_the_algorithm_works_in_them() -> None:
    """Figure 7 of Loch (2021): each rank's buffer begins with its own block."""
    found = read({**bruck(5), "scratch_first_block": [0, 1, 2, 3, 4]})
    assert found.scratch == [0, 1, 2, 3, 4]
    for scratch in (False, True):
        sheet = schedule_figure.draw(found, {}, [0], scratch)
        (cells,) = sheet.figure.findobj(PatchCollection)
        colours = [to_rgb(colour) for colour in to_rgba_array(cells.get_facecolor())]
        own = [colours[5 * rank : 5 * rank + 5].index(rank_colour(rank)) for rank in range(5)]
        assert own == ([0] * 5 if scratch else [0, 1, 2, 3, 4])
        assert any("in its scratch buffer" in text for text in texts(sheet)) == scratch
    with pytest.raises(BadInput, match="--scratch: made_up has none"):
        schedule_figure.draw(read(bruck(5)), {}, [0], True)


def test_tokens_and_barriers_are_marked() -> None:
    sheet = drawn(barrier_then_swap())
    found = texts(sheet)
    assert {"step 0", "step 1, after a barrier", "token (message without blocks)"} <= set(found)
    arrows = sheet.figure.findobj(FancyArrowPatch)
    dashed = [arrow.get_linestyle() != "solid" for arrow in arrows]
    assert dashed == [True, False, False]


def test_segments_are_named_by_rank_and_number() -> None:
    given = document(
        [
            [step([transfer(1, 0, 1)], [transfer(1, 2)])],
            [step([transfer(0, 2)], [transfer(0, 0, 1)])],
        ],
        segments=[2, 1],
    )
    assert read(given).owners == [0, 0, 1]
    found = texts(drawn(given))
    assert {"0.0-0.1", "1.0", "0.0"} <= set(found)
    assert any("2.1 is the second of rank 2's block" in text for text in found)


def test_what_follows_the_last_step() -> None:
    gather = [[step([], [transfer(1, 1)])], [step([transfer(0, 1)], [])]]
    said = "After the last one the MPI library broadcasts all blocks from rank 0."
    for broadcast in (True, False):
        found = texts(drawn(document(gather, broadcast_at_end=broadcast)))
        assert any(text.endswith(said) for text in found) == broadcast


def test_steps_of_different_index_meet_in_rounds() -> None:
    """Gather to rank 0 by a binomial tree, and broadcast back: rank 1 waits for two rounds."""
    everything = (0, 1, 2, 3)
    given = document(
        [
            [
                step([], [transfer(1, 1)]),
                step([], [transfer(2, 2, 3)]),
                step([transfer(2, *everything)], []),
                step([transfer(1, *everything)], []),
            ],
            [step([transfer(0, 1)], []), step([], [transfer(0, *everything, round=3)])],
            [
                step([], [transfer(3, 3)]),
                step([transfer(0, 2, 3)], []),
                step([], [transfer(0, *everything)]),
                step([transfer(3, *everything)], []),
            ],
            [step([transfer(2, 3)], []), step([], [transfer(2, *everything, round=3)])],
        ]
    )
    found = read(given)
    assert [found.title(number) for number in range(4)] == [
        *("round 0", "round 1", "round 2", "round 3")
    ]
    ends = [[(m.sender, m.receiver) for m in one.messages] for one in found.rounds]
    assert ends == [[(1, 0), (3, 2)], [(2, 0)], [(0, 2)], [(0, 1), (2, 3)]]
    assert found.rounds[2].held[1] == {1}
    assert any("over several rounds" in text for text in texts(drawn(given)))


def test_the_numbers_behind_the_figure(tmp_path: Path) -> None:
    path, numbers = tmp_path / "a.json", tmp_path / "a.csv"
    path.write_text(json.dumps(barrier_then_swap()))
    command = ["schedule", "--schedule", str(path), "-o", str(tmp_path / "a.png")]
    assert main([*command, "--csv", str(numbers)]) == 0
    assert numbers.read_text().splitlines() == [
        "round,after_barrier,sender,receiver,block_count,blocks",
        "0,False,0,1,0,",
        "1,True,0,1,1,0",
        "1,True,1,0,1,1",
    ]
    assert main([*command, "--csv", str(numbers), "--steps", "0"]) == 0
    assert len(numbers.read_text().splitlines()) == 2


def test_received_blocks_are_grey_and_others_in_their_owners_colour() -> None:
    sheet = drawn(bruck(2))
    (buffers,) = [c for axes in sheet.figure.axes for c in axes.collections]
    colours = [to_rgb(colour) for colour in to_rgba_array(buffers.get_facecolor())]
    grey = to_rgb(RECEIVED)
    assert colours == [to_rgb(COLOURS[0]), grey, grey, to_rgb(COLOURS[1])]


def test_every_rank_has_its_colour() -> None:
    assert len({rank_colour(rank) for rank in range(MOST_RANKS)}) == MOST_RANKS


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 5, MOST_RANKS])
def test_panels_stay_on_the_page_and_texts_apart(ranks: int) -> None:
    found = read(bruck(ranks))
    sheet = schedule_figure.draw(found, {}, range(len(found.rounds))[-2:])
    shown = [text for axes in sheet.figure.axes for text in axes.texts if text.get_text()]
    boxes = [text.get_window_extent() for text in shown]
    low, high = (np.array([getattr(box, end) for box in boxes]) for end in ("min", "max"))
    page = sheet.figure.bbox
    assert (low >= page.min).all() and (high <= page.max).all()
    meet = ((low[:, np.newaxis] <= high) & (high[:, np.newaxis] >= low)).all(axis=2)
    assert meet.sum() == len(boxes), "each with itself"


@pytest.mark.slow
def test_files_of_each_kind(fake: Path, tmp_path: Path) -> None:
    check_files(tmp_path, "schedule --algorithm ring --ranks 3")


def test_options_are_handed_on(fake: Path, tmp_path: Path) -> None:
    output = str(tmp_path / "a.png")
    given = "--algorithm ring --ranks 3 --ranks-per-node 2 --topology t.conf --bytes 8"
    assert main(["schedule", *given.split(), "-o", output]) == 0
    assert (fake.parent / "calls.txt").read_text() == f"show {given} --format json\n"


@pytest.mark.slow
def test_a_schedule_from_a_file_or_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, first, second = tmp_path / "a.json", tmp_path / "1.svg", tmp_path / "2.svg"
    path.write_text(json.dumps(bruck(5)))
    assert main(["schedule", "--schedule", str(path), "-o", str(first)]) == 0
    monkeypatch.setattr("sys.stdin", io.StringIO(path.read_text()))
    assert main(["schedule", "--schedule", "-", "-o", str(second)]) == 0
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.slow
def test_chosen_steps(fake: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.svg"
    command = ["schedule", "--algorithm", "ring", "--ranks", "4", "-o", str(output)]
    assert main([*command, "--steps", "0,2"]) == 0
    fewer = output.stat().st_size
    assert main(command) == 0
    assert fewer < output.stat().st_size


WRONG = {
    "no_json": "{",
    "no_object": "[]",
    "no_peer": json.dumps(document([[step([{"blocks": []}], [])]])),
    "few": json.dumps({**bruck(4), "ranks": 5}),
    "peer": json.dumps(document([[step([transfer(1, 0)], [])]])),
    "block": json.dumps(document([[step([transfer(1, 2)], [])], []])),
    "half": json.dumps(document([[step([{**transfer(1, 0), "peer": 0.5}], [])], []])),
    "segments": json.dumps({**bruck(2), "segments": [1]}),
    "fault": json.dumps({**bruck(2), "fault": "rank 1 never receives block 0"}),
    "old": json.dumps({name: value for name, value in bruck(2).items() if name != "rounds"}),
    "late": json.dumps({**bruck(4), "rounds": 1}),
    "pieces": json.dumps({**bruck(2), "segments": [1, MOST_BLOCKS]}),
    "still": json.dumps(document([[], []])),
    "many": json.dumps(bruck(MOST_RANKS + 1)),
    "long": json.dumps(document([[step([], []) for _ in range(MOST_STEPS + 1)]] * 2)),
}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", ["--algorithm NAME and --ranks NUMBER, or --schedule FILE"]),
        ("--algorithm ring", ["--ranks NUMBER"]),
        ("--algorithm ring --ranks x", ["--ranks", "'x' is no whole number of 1 or more"]),
        ("--algorithm ring --ranks 33", ["--ranks 33", "32"]),
        ("--algorithm ring --ranks 1", ["ring has no steps at --ranks 1"]),
        (
            "--algorithm rong --ranks 4",
            ["agreport: error: allgather_schedule: --algorithm: 'rong' is no algorithm; legal: "],
        ),
        ("--algorithm ring --ranks 4 --steps 3", ["--steps 3", "0 to 2"]),
        ("--algorithm ring --ranks 4 --steps 2:1", ["--steps", "'2:1'"]),
        ("--algorithm ring --ranks 4 --steps a", ["--steps", "'a'"]),
        ("--schedule nowhere.json", ["nowhere.json"]),
        ("--schedule few --ranks 5", ["--ranks", "--schedule few"]),
        ("--schedule no_json", ["no_json: not what `allgather_schedule show --format json`"]),
        ("--schedule no_object", ["no_object: not what"]),
        ("--schedule no_peer", ["no_peer: not what", "'peer'"]),
        ("--schedule few", ["few: not what", "are not those of 5 ranks"]),
        ("--schedule peer", ["peer: not what", "rank 0, step 0: no such peer or blocks"]),
        ("--schedule block", ["block: not what", "rank 0, step 0: no such peer or blocks"]),
        ("--schedule half", ["half: not what"]),
        ("--schedule segments", ["segments: not what", "are not those of 2 ranks"]),
        ("--schedule fault", ["fault: this is no all-gather: rank 1 never receives block 0"]),
        ("--schedule old", ["old: has no rounds", "write it anew"]),
        ("--schedule late", ["late: not what"]),
        ("--schedule pieces", ["513 segments", "512"]),
        ("--schedule still", ["no steps"]),
        ("--schedule many", ["many: --ranks 33: at most 32 can be drawn"]),
        ("--schedule long", ["41 steps", "40", "--steps"]),
    ],
)
def test_bad_input(
    fake: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    arguments: str,
    said: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in WRONG.items():
        (tmp_path / name).write_text(text)
    line = refused(capsys, "schedule", *arguments.split(), "-o", "a.png")
    assert [part for part in said if part not in line] == []
    assert not (tmp_path / "a.png").exists()
