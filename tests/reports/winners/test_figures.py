# SPDX-License-Identifier: BSD-3-Clause
"""Tests what is on the figures, and that files of each kind come out."""

from argparse import Namespace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from agreport.data.load import PANEL, SETTING, Results
from agreport.figure.cell_grid import labelled
from agreport.figure.sheet import Sheet
from agreport.main import main
from agreport.stats.contest import Contest
from agreport.winners import boxplot, heatmap
from agreport.winners.maps import NO_RIVAL, NOT_MEASURED, NOT_RUN, TIED, ContestPanel, Style
from agreport.winners.table import improvements

from ..support import fake_arrivals
from ..support.commands import Capture, Rows, Write
from ..support.loading import load
from ..support.sheets import texts

pytestmark = pytest.mark.slow

AGAINST_BOTH = Contest("sparbit", ["ring", "bruck"], "mean")
OPTIONS = Namespace(contest=AGAINST_BOTH, metric="avg", near_ties="corner")


def heat_map(results: Results) -> Sheet:
    return heatmap.draw(results, AGAINST_BOTH.verdicts(results, "avg"), OPTIONS)


def panel_of(verdicts: pd.DataFrame) -> ContestPanel:
    return ContestPanel("title", verdicts, Style({}, "corner"))


def box_plot(results: Results) -> Sheet:
    return boxplot.draw(results, AGAINST_BOTH.all_verdicts(results), OPTIONS)


def test_cells(example: Path) -> None:
    verdicts = AGAINST_BOTH.verdicts(load([str(example)]), "avg")
    panel = panel_of(verdicts)
    assert panel.sizes == [1, 2, 4, 8, 16, 32, 64, 128]
    assert panel.improvement.dropna().tolist() == pytest.approx([20, 50])
    assert panel.best.dropna().tolist() == ["ring"] * 3
    # Rows from the top: 3 skipped, 4 wrong, 5 without a rival, 6 skipped by all, 7 a tie.
    assert panel.gaps == {NOT_RUN: [(3, 0), (4, 0)], NO_RIVAL: [(5, 0)], NOT_MEASURED: [(6, 0)],
                          TIED: [(7, 0)]}  # fmt: skip


def test_a_cell_that_no_file_has_is_a_gap(write: Write, rows: Rows) -> None:
    def case(ranks: int, size: int) -> list[str]:
        return [
            line for name in ("sparbit", "ring") for line in rows(name, [5], ranks=ranks, size=size)
        ]

    path = write("a.csv", case(4, 1), case(4, 2), case(8, 1))
    panel = panel_of(Contest("sparbit", ["ring"], "mean").verdicts(load([str(path)]), "avg"))
    assert panel.gaps[NOT_MEASURED] == [(1, 1)]


def test_rank_counts_on_several_numbers_of_nodes(write: Write, rows: Rows) -> None:
    one = write("a.csv", rows("ring", [1]), rows("ring", [1], ranks=8))
    two = write("b.csv", rows("ring", [1], nodes=2), nodes="2")
    found = texts(heat_map(load([str(one), str(two)])))
    titles = [text for text in found if "allgather" in text]
    assert titles[:2] == [f"{n}, allgather, regular, sequential" for n in ("1 node", "2 nodes")]


def test_heat_map_says_what_it_shows(example: Path) -> None:
    found = texts(heat_map(load([str(example)])))
    assert {"20.0", "50.0", "ring", "block size (bytes)", "ranks", "128"} <= set(found)
    assert {gap.label.format(chosen="sparbit") for gap in (NOT_MEASURED, NO_RIVAL, NOT_RUN)} <= set(
        found
    )
    assert "bruck" in found, "the colour of a corner"
    assert any(text.startswith("Fastest algorithm by mean avg time") for text in found)


def test_a_panel_for_each_collective_mapping_and_distribution(write: Write, rows: Rows) -> None:
    places = ["allgather,{},regular,none,sequential", "allgather,{},regular,none,cyclic"]
    places += ["allgatherv,{},spike,none,cyclic", "allgatherv,{},linear,none,cyclic"]

    def titles(*numbers: int) -> list[str]:
        cases = [
            rows("ring", [2], place=place, ranks=ranks)
            + rows("sparbit", [1], place=place, ranks=ranks)
            for place in places
            for ranks in numbers
        ]
        found = texts(heat_map(load([str(write("a.csv", *cases))])))
        return [text for text in found if text.startswith("allgather")]

    assert titles(4, 8) == [
        "allgather, regular, sequential",
        "allgather, regular, cyclic",
        "allgatherv, spike, cyclic",
        "allgatherv, linear, cyclic",
    ]
    # Distributions are across, if there is one number of ranks.
    assert titles(4) == [
        "allgather, sequential, 4 ranks",
        "allgather, cyclic, 4 ranks",
        "allgatherv, cyclic, 4 ranks",
    ]


def test_titles_of_narrow_panels_are_apart(write: Write, rows: Rows) -> None:
    """They have one number of ranks each, as simulations of several machines have."""
    files = []
    for number, cluster in enumerate(("chain-of-four", "star-of-four", "one-switch", "torus-4x4")):
        cases = [rows(name, [time]) for name, time in (("ring", 2), ("sparbit", 1))]
        told = {"simulated": "yes", "note.cluster": cluster}
        files.append(str(write(f"{number}.csv", *cases, **told)))
    page = heat_map(load(files, by=["cluster"]))
    page.settle()
    axes = page.figure.axes
    titles = [one.title for one in axes if one.get_title().startswith("simulated")]
    assert len(titles) == len(files)
    boxes = [title.get_window_extent() for title in titles]
    assert not any(first.overlaps(second) for first, second in combinations(boxes, 2))


def test_arrival_patterns_are_never_mixed(tmp_path: Path) -> None:
    """Each is a panel, a group and a line of its own, in the order of the delays; also alone."""
    labels = ["none", "uniform:max=9ms", "uniform:max=10ms"]
    cases = [
        fake_arrivals.case(label, {"sparbit": [1], "ring": [2 + place], "bruck": [9]})
        for place, label in enumerate(labels)
    ]
    results = load([str(fake_arrivals.write(tmp_path / "a.csv", *cases))])
    titles = [f"allgather, regular, sequential, arrival {label}" for label in labels]
    found = texts(heat_map(results))
    assert [text for text in found if text.startswith("allgather")] == titles
    assert [text for text in texts(box_plot(results)) if text.startswith("allgather")] == titles
    table = improvements(results, AGAINST_BOTH).xs("avg", level="metric")
    gains = dict(zip(table.index.get_level_values("arrival"), table["mean_percent"], strict=True))
    assert gains == pytest.approx({labels[0]: 50, labels[1]: 200 / 3, labels[2]: 75})
    alone = results.keep(results.rows[results.rows["arrival"] == labels[1]])
    assert titles[1] in texts(heat_map(alone))


def test_percentages_go_where_they_are_illegible(write: Write, rows: Rows) -> None:
    cases = [
        [*rows("sparbit", [1.1], ranks=ranks), *rows("ring", [2], ranks=ranks)]
        for ranks in range(2, 66)
    ]
    results = load([str(write("a.csv", *cases))])
    assert "45.0" not in texts(heat_map(results))
    assert any("too small for legible percentages" in text for text in texts(heat_map(results)))
    few = results.keep(results.rows[results.rows["ranks"] < 10])
    assert texts(heat_map(few)).count("45.0") == 8


def test_boxplot_counts(example: Path, write: Write, rows: Rows) -> None:
    never = "allgatherv,{},spike,none,cyclic"
    lost = write("b.csv", [*rows("sparbit", [3], place=never), *rows("ring", [2], place=never)])
    found = texts(box_plot(load([str(example), str(lost)])))
    assert found.count("0 + 2 of 4") == 3
    assert found.count("0 + 0 of 1") == 3
    assert {"min", "avg", "max", "improvement over the second best algorithm (%)"} <= set(found)


@pytest.mark.parametrize(("command", "rows_a_case"), [("heatmap", 1), ("boxplot", 3)])
def test_the_numbers_behind(example: Path, tmp_path: Path, command: str, rows_a_case: int) -> None:
    numbers, output = tmp_path / "numbers.csv", tmp_path / "figure.png"
    arguments = [command, str(example), "--algorithm", "sparbit"]
    assert main([*arguments, "-o", str(output), "--csv", str(numbers)]) == 0
    frame = pd.read_csv(numbers)
    assert set(PANEL) - {SETTING} <= set(frame.columns), "one launch has nothing to be apart from"
    assert SETTING not in frame
    assert len(frame) == 8 * rows_a_case
    if "metric" in frame:
        frame = frame[frame["metric"] == "avg"]
    assert frame.loc[frame["won"], "improvement_percent"].tolist() == pytest.approx([20, 50])


def test_each_report_says_who_is_not_compared(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """With 2 ranks sparbit is ring, so it is compared with bruck alone."""
    times = {"ring": 9.0, "sparbit": 10.0, "bruck": 11.0}
    cases = [rows(name, [us] * 8, ranks=2) for name, us in times.items()]
    told = {"ranks": "2", "collective": "allgather", "same_messages": "ring = sparbit"}
    path = str(write("a.csv", [line for case in cases for line in case], **told))
    said = "With 2 ranks ring and sparbit send the same messages"
    for command in ("heatmap", "boxplot", "venn"):
        figure = tmp_path / f"{command}.svg"
        assert main([command, path, "--algorithm", "sparbit", "--paper", "-o", str(figure)]) == 0
        caption = figure.with_suffix(".svg.tex").read_text()
        assert "send the same messages" in " ".join(caption.split())
    capsys.readouterr()
    for command in ("table", "against-sets"):
        assert main([command, path, "--algorithm", "sparbit"]) == 0
        assert f"agreport: warning: {said}" in capsys.readouterr().err
    for arguments in (["selection"], ["loss", "--algorithm", "sparbit", "--versus", "ring"]):
        assert main([*arguments, path]) == 0
        assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("labels", "step", "expected"),
    [
        ([5, 8, 13, 16, 21, 24, 29, 32], 1, [5, 8, 13, 16, 21, 24, 29, 32]),
        ([5, 8, 13, 16, 21, 24, 29, 32], 2, [8, 16, 24, 32]),
        ([1, 2, 3, 4, 5, 6, 7, 8], 3, [1, 4, 8]),
        ([5, 13, 21], 2, [5, 21]),
    ],
)
def test_powers_of_two_are_among_the_labels(
    labels: list[int], step: int, expected: list[int]
) -> None:
    assert [labels[n] for n in labelled([str(label) for label in labels], step)] == expected


def test_fonts_of_a_pdf_are_truetype(example: Path, tmp_path: Path) -> None:
    """Publishers such as IEEE refuse Type 3."""
    output = tmp_path / "a.pdf"
    assert main(["boxplot", str(example), "-o", str(output)]) == 0
    data = output.read_bytes()
    assert b"/Type3" not in data and b"/Type /Font" in data and b"/FontFile2" in data


def test_text_of_a_svg_is_text_and_has_no_date(example: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.svg"
    assert main(["heatmap", str(example), "--algorithm", "sparbit", "-o", str(output)]) == 0
    data = output.read_text()
    root = ElementTree.fromstring(data)
    words = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"block size (bytes)", "ranks", "50.0"} <= set(words)
    assert "dc:date" not in data
    assert "sans-serif" in data, "where the font is not there"
