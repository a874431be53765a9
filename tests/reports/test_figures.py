# SPDX-License-Identifier: BSD-3-Clause
"""What is on the figures, and that files of each kind come out."""

from collections.abc import Callable
from colorsys import rgb_to_hsv
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Text

from agreport.data.load import PANEL, Results, load
from agreport.figure.sheet import COLOURS, ENDINGS, SMALL_PT, Sheet, lines, look, looks
from agreport.main import main
from agreport.stats.contest import Contest
from agreport.winners import boxplot, heatmap
from agreport.winners.heatmap_panel import NO_RIVAL, NOT_MEASURED, NOT_RUN, Panel
from agreport.winners.table import improvements

from . import fake_arrivals

Rows = Callable[..., list[str]]
Write = Callable[..., Path]
AGAINST_BOTH = Contest("sparbit", ["ring", "bruck"], "mean")
MAGIC = {".png": b"\x89PNG\r\n", ".svg": b"<?xml", ".pdf": b"%PDF-"}


def texts(sheet: Sheet) -> list[str]:
    found = [artist for artist in sheet.figure.findobj(Text) if isinstance(artist, Text)]
    assert all(float(text.get_fontsize()) >= SMALL_PT for text in found if text.get_text())
    return [" ".join(text.get_text().split()) for text in found if text.get_visible()]


def heat_map(results: Results) -> Sheet:
    return heatmap.draw(results, AGAINST_BOTH, AGAINST_BOTH.verdicts(results, "avg"), "avg")


def box_plot(results: Results) -> Sheet:
    return boxplot.draw(results, AGAINST_BOTH, AGAINST_BOTH.all_verdicts(results))


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("command", ["heatmap", "boxplot"])
def test_files_of_each_kind(example: Path, tmp_path: Path, command: str, ending: str) -> None:
    output = tmp_path / f"figure{ending}"
    output.write_text("an old one")
    assert main([command, str(example), "-o", str(output)]) == 0
    data = output.read_bytes()
    assert data.startswith(MAGIC[ending])
    if ending == ".svg":
        assert ElementTree.fromstring(data).tag.endswith("svg")
    assert main([command, str(example), "-o", str(output)]) == 0
    assert output.read_bytes() == data, "the same results give the same file"


def test_cells(example: Path) -> None:
    verdicts = AGAINST_BOTH.verdicts(load([str(example)]), "avg")
    panel = Panel("title", verdicts)
    assert panel.sizes == [1, 2, 4, 8, 16, 32, 64, 128]
    assert panel.improvement.dropna().tolist() == pytest.approx([20, 50])
    assert panel.best.dropna().tolist() == ["ring"] * 4
    # Rows from the top: 3 skipped, 4 wrong, 5 without a rival, 6 skipped by all.
    assert panel.gaps == {NOT_RUN: [(3, 0), (4, 0)], NO_RIVAL: [(5, 0)], NOT_MEASURED: [(6, 0)]}


def test_a_cell_that_no_file_has_is_a_gap(write: Write, rows: Rows) -> None:
    def case(ranks: int, size: int) -> list[str]:
        return [
            line for name in ("sparbit", "ring") for line in rows(name, [5], ranks=ranks, size=size)
        ]

    path = write("a.csv", case(4, 1), case(4, 2), case(8, 1))
    panel = Panel("title", Contest("sparbit", ["ring"], "mean").verdicts(load([str(path)]), "avg"))
    assert panel.gaps[NOT_MEASURED] == [(1, 1)]


def test_rank_counts_on_several_numbers_of_nodes(write: Write, rows: Rows) -> None:
    path = write("a.csv", rows("ring", [1]), rows("ring", [1], nodes=2), rows("ring", [1], ranks=8))
    verdicts = Contest("sparbit", ["ring"], "mean").verdicts(load([str(path)]), "avg")
    assert Panel("title", verdicts).column_labels() == ["4 on 1", "4 on 2", "8"]


def test_heat_map_says_what_it_shows(example: Path) -> None:
    found = texts(heat_map(load([str(example)])))
    assert {"20.0", "50.0", "ring", "block size (bytes)", "ranks", "128"} <= set(found)
    assert {gap.label.format(chosen="sparbit") for gap in (NOT_MEASURED, NO_RIVAL, NOT_RUN)} <= set(
        found
    )
    assert "bruck" not in found, "the legend has only what the figure has"
    assert any(text.startswith("Fastest algorithm by mean avg time") for text in found)


def test_a_panel_for_each_collective_mapping_and_distribution(write: Write, rows: Rows) -> None:
    places = ["allgather,{},regular,none,sequential", "allgather,{},regular,none,cyclic"]
    places += ["allgatherv,{},spike,none,cyclic", "allgatherv,{},linear,none,cyclic"]
    cases = [rows("ring", [2], place=place) + rows("sparbit", [1], place=place) for place in places]
    found = texts(heat_map(load([str(write("a.csv", *cases))])))
    titles = [text for text in found if text.startswith("allgather")]
    assert titles == [
        "allgather, regular, cyclic",
        "allgather, regular, sequential",
        "allgatherv, linear, cyclic",
        "allgatherv, spike, cyclic",
    ]


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
    assert main([command, str(example), "-o", str(output), "--csv", str(numbers)]) == 0
    frame = pd.read_csv(numbers)
    assert set(PANEL) <= set(frame.columns)
    assert len(frame) == 8 * rows_a_case
    if "metric" in frame:
        frame = frame[frame["metric"] == "avg"]
    assert frame.loc[frame["won"], "improvement_percent"].tolist() == pytest.approx([20, 50])


def test_colours_are_no_greys_and_all_different() -> None:
    assert all(rgb_to_hsv(*to_rgb(colour))[1] > 0.3 for colour in COLOURS)
    assert len({look(position) for position in range(150)}) == 150


def test_filters_do_not_change_a_colour(example: Path, write: Write, rows: Rows) -> None:
    more = write("b.csv", rows("aaa", [1]))
    both, alone = load([str(example), str(more)]), load([str(example)])
    filtered = both.keep(both.rows[both.rows["algorithm"] == "sparbit"])
    for name in ("ring", "bruck", "sparbit"):
        assert looks(filtered.catalogue)[name] == looks(alone.catalogue)[name]


def test_lines_of_one_colour_differ() -> None:
    """Ninth, and seventeenth, have the first one's colour."""
    catalogue = [f"a{place}" for place in range(20)]
    styles = lines(["a16", "a0", "a8", "a1"], catalogue)
    assert list(styles) == ["a0", "a1", "a8", "a16"]
    same = [styles[name] for name in ("a0", "a8", "a16")]
    assert len({style["color"] for style in same}) == 1
    assert len({str(style["linestyle"]) for style in same}) == 3
    assert len({style["marker"] for style in same}) == 3
    assert lines(["a8"], catalogue)["a8"]["linestyle"] == "-"
