# SPDX-License-Identifier: BSD-3-Clause
"""Figures for papers: without title and caption, as wide as asked, with names as people write them.

The sweep of these tests has as many panels and columns as Loch's (2021), and fewer block sizes.
"""

import re
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from agformats.catalogue import catalogue
from agformats.errors import Illegal
from agreport import commands
from agreport.data.load import Results
from agreport.figure.latex import commands_in, paragraph
from agreport.figure.medium import DEFAULT, Medium, drawn_for, medium, parse_width
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import SMALL_PT
from agreport.figure.words import FORMULA, shown, title_of, within
from agreport.main import main, parser
from agreport.stats.contest import Contest

from ..conftest import lines, writer
from ..support.loading import load

COLUMN = Medium(8.5, paper=True)
PAGE = Medium(17.0, paper=True)
POINTS_A_CM = 72 / 2.54
ROUNDING = 1e-6
ALGORITHMS = ("ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit")
DISTRIBUTIONS = ("broadcast", "spike", "half_full", "linear", "geometric")


def write_sweep(folder: Path, distributions: Sequence[str]) -> Path:
    """Two mappings and 32 numbers of ranks; which algorithm is the fastest depends on all."""
    cases = [
        [
            line
            for place, name in enumerate(ALGORITHMS)
            for line in lines(
                name,
                [1000 + (7 * place + 3 * ranks + size) % 11 + n * place for n in range(2)],
                ranks=ranks,
                size=size,
                place=f"allgatherv,{{}},{distribution},none,{mapping}",
            )
        ]
        for mapping in ("sequential", "cyclic")
        for distribution in distributions
        for ranks in range(8, 264, 8)
        for size in (1, 1048576)
    ]
    return writer(folder)("sweep.csv", *cases, registry=",".join(ALGORITHMS))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return load([str(write_sweep(tmp_path_factory.mktemp("sweep"), DISTRIBUTIONS))])


def contest_of(results: Results) -> Contest:
    others = [name for name in results.timed_algorithms() if name != "sparbit"]
    return Contest("sparbit", others, "mean", united=True)


def drawn(command: str, results: Results) -> Sheet:
    contest = contest_of(results)
    given = ["-", "-o", "a.png", *(["--united"] if command != "selection" else [])]
    given += ["--metric", "avg"] if command in ("heatmap", "variation") else []
    options = parser().parse_args([command, *given])
    options.contest = contest
    report = commands.report(command)
    assert report.table and report.draw
    found: Sheet = report.draw(results, report.table(results, options), options)
    return found


def texts(sheet: Sheet) -> Iterator[tuple[str, Text]]:
    """Returns what can be read, after everything has its place."""
    sheet.settle()
    sheet.figure.draw_without_rendering()
    for artist in sheet.figure.findobj(Text):
        if isinstance(artist, Text) and artist.get_visible() and artist.get_text():
            yield artist.get_text(), artist


def words_of(sheet: Sheet) -> list[Text]:
    """All but the labels of ticks, of which matplotlib also has some that it does not draw."""
    ticks = {
        label
        for axes in sheet.figure.axes
        for label in (*axes.get_xticklabels(), *axes.get_yticklabels())
    }
    return [artist for _, artist in texts(sheet) if artist not in ticks]


def meet(one: Text, other: Text) -> bool:
    """Returns whether a reader sees them overlap, by a point and more."""
    both = Bbox.intersection(one.get_window_extent(), other.get_window_extent())
    return both is not None and min(both.width, both.height) > one.figure.dpi / 72


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [COLUMN, PAGE], ids=["column", "page"])
@pytest.mark.parametrize("command", ["boxplot", "heatmap", "venn", "variation"])
def test_all_words_are_on_the_figure(sweep: Results, command: str, chosen: Medium) -> None:
    with drawn_for(chosen):
        page = drawn(command, sweep)
        page.settle()
        box = page.figure.get_tightbbox()
        sizes = {float(artist.get_fontsize()) for _, artist in texts(page)}
        met = [pair for pair in combinations(words_of(page), 2) if meet(*pair)]
    width, height = page.figure.get_size_inches()
    assert width == pytest.approx(chosen.width_cm / 2.54)
    assert min(box.x0, box.y0, width - box.x1, height - box.y1) > -ROUNDING
    assert sizes <= {SMALL_PT, SMALL_PT + 1}, "fonts keep their size"
    assert not met


@pytest.mark.slow
def test_counts_of_a_boxplot_are_whole(sweep: Results) -> None:
    with drawn_for(COLUMN):
        found = [text for text, _ in texts(drawn("boxplot", sweep))]
    assert len([text for text in found if re.fullmatch(r"\d+ \+ \d+ of 64", text)]) == 15
    assert [text for text in found if "half-full" in text]


@pytest.mark.slow
@pytest.mark.parametrize("command", ["heatmap", "variation"])
def test_labels_do_not_run_together(sweep: Results, command: str) -> None:
    """The labels are of the ticks along each horizontal axis."""
    with drawn_for(COLUMN):
        page = drawn(command, sweep)
        page.settle()
        page.figure.draw_without_rendering()
        for axes in page.figure.axes:
            low, high = axes.get_xlim()
            boxes = [
                label.get_window_extent()
                for place, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
                if label.get_text() and low <= place <= high
            ]
            for one, other in pairwise(boxes):
                assert one.x1 <= other.x0


@pytest.mark.slow
def test_maps_of_five_distributions_fit_a_page(sweep: Results) -> None:
    """They are in the catalogue's order, with block sizes upwards and powers of two labelled."""
    with drawn_for(PAGE):
        page = drawn("heatmap", sweep)
        found = [text for text, _ in texts(page)]
    assert page.figure.get_figheight() * 2.54 < 25
    titles = [text.replace("\n", " ") for text in found if text.startswith("Allgatherv")]
    names = ("broadcast", "spike", "half-full", "linear", "geometric")
    assert titles == [f"Allgatherv, {name}, united mappings" for name in names]
    assert {"8", "16", "32", "64", "128", "256"} <= set(found)
    sizes = [label.get_text() for label in page.figure.axes[1].get_yticklabels()]
    assert sizes == ["1", "1M"]


@pytest.mark.slow
def test_title_and_caption_are_in_a_text_file(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "figure.svg"
    sparbit = [str(example), "--algorithm", "sparbit"]
    (tmp_path / "figure.txt").write_text("a file that nobody named\n")
    assert main(["boxplot", *sparbit, "-o", str(output), "--paper"]) == 0
    assert (tmp_path / "figure.txt").read_text() == "a file that nobody named\n"
    text = tmp_path / "figure.svg.tex"
    assert f"title and caption of {output}: {text}" in capsys.readouterr().err
    title, _, caption = text.read_text(encoding="utf-8").partition(". ")
    assert title == (
        "Improvement of Sparbit over the second best algorithm where it is the fastest"
    )
    assert caption.startswith("min, avg, max: of the elapsed time") and "Ring, Bruck" in caption
    assert caption.count("\n") == 1, "one line that ends"
    drawn_text = words(output)
    assert not any("Improvement of" in text or "elapsed" in text for text in drawn_text)
    assert {"min", "avg", "max"} <= drawn_text, "the legend stays"
    assert main(["boxplot", *sparbit, "-o", str(tmp_path / "b.svg")]) == 0
    assert "Improvement of sparbit over the second best algorithm where it is the fastest" in (
        words(tmp_path / "b.svg")
    )
    assert not (tmp_path / "b.svg.tex").exists()


def test_a_caption_is_latex() -> None:
    """A bare percent sign comments out the rest of its line, with the brace at its end."""
    caption = f"{FORMULA}; less than 2\N{NO-BREAK SPACE}% apart, of --metric a_b & \\x{{}} ~^ <5>."
    assert paragraph("Loss #1\nof $x", caption) == (
        r"Loss \#1. of \$x. 100 $\times$ (1 $-$ t / t~best~other); less than 2~\% apart, of "
        r"-{}-metric a\_b \& \textbackslash{}x\{\} \textasciitilde{}\textasciicircum{} $<$5$>$."
    )


def test_commands_are_no_part_of_a_caption() -> None:
    """They are for those who draw, and LaTeX would make a dash of their hyphens."""
    caption = "Drawn: 1 to 8 of 9; `agreport scaling --from 9` draws more. Bars: 5 to 95."
    assert paragraph("T", caption) == "T. Drawn: 1 to 8 of 9. Bars: 5 to 95."
    assert commands_in(caption) == ["`agreport scaling --from 9` draws more"]


def words(svg: Path) -> set[str]:
    """Each line of a text is an element of its own."""
    return {
        text.text or "" for text in ElementTree.parse(svg).iter("{http://www.w3.org/2000/svg}text")
    }


@pytest.mark.slow
@pytest.mark.parametrize("paper", [[], ["--paper"]], ids=["screen", "paper"])
@pytest.mark.parametrize(("width", "cm"), [("8.5cm", 8.5), ("85mm", 8.5), ("3.35in", 8.509)])
def test_width_of_the_page(
    example: Path, tmp_path: Path, width: str, cm: float, paper: list[str]
) -> None:
    for ending in (".svg", ".pdf"):
        output = tmp_path / f"a{ending}"
        assert main(["venn", str(example), "-o", str(output), "--width", width, *paper]) == 0
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert float(root.attrib["width"].removesuffix("pt")) == pytest.approx(cm * POINTS_A_CM)
    data = (tmp_path / "a.pdf").read_bytes()
    box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ", data)
    assert box and float(box[1]) == pytest.approx(cm * POINTS_A_CM)
    assert b"/Type3" not in data and b"/FontFile2" in data


@pytest.mark.parametrize(
    "text", ["4cm", "61cm", "8.5", "cm", "8.5pt", "-8cm", "nancm", "infcm", ""]
)
def test_illegal_widths(
    example: Path, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "a.png"
    with pytest.raises(SystemExit) as ended:
        main(["venn", str(example), "-o", str(output), f"--width={text}"])
    assert ended.value.code == 2 and not output.exists()
    error = capsys.readouterr().err
    assert f"'{text}' is not legal; legal: 5cm to 60cm" in error and error.count("\n") == 1
    with pytest.raises(Illegal):
        parse_width(text)


@pytest.mark.slow
def test_a_schedule_that_is_wider_than_the_figure(
    fake: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "a.png"
    given = ["schedule", "--algorithm", "ring", "--ranks", "32", "--steps", "0", "-o", str(output)]
    assert main([*given, "--width", "5cm"]) == 2
    error = capsys.readouterr().err
    assert "--width: '5cm' is too narrow for one diagram; legal: " in error
    least = re.search(r"legal: ([0-9.]+cm) or more", error)
    assert least and main([*given, "--width", least[1]]) == 0


def test_every_command_with_a_figure_has_both_options() -> None:
    drawing = [report for report in commands.reports() if report.draw] + [
        report
        for report in commands.reports()
        if report.name in ("compare", "loch2021", "proficz2021")
    ]
    assert len(drawing) > 12
    for report in drawing:
        command = ArgumentParser()
        report.add_options(command)
        help_text = command.format_help()
        assert "--paper" in help_text and "--width LENGTH" in help_text, report.name


@pytest.mark.slow
def test_the_medium_holds_for_one_command(example: Path, tmp_path: Path) -> None:
    given = ["venn", str(example), "-o", str(tmp_path / "a.png"), "--paper", "--width", "9cm"]
    assert main(given) == 0
    assert medium() is DEFAULT


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("recursive_doubling", "Recursive doubling"),
        ("bdr", "BDR"),
        ("bdr:tau=13ms", "BDR, tau 13ms"),
        ("half_full", "Half-full"),
        ("sparbit:batch=2", "Sparbit, batch 2"),
        ("ring@switch", "Ring, switch order"),
        ("bruck@paired:k=4", "Bruck, paired order, k 4"),
        ("leader:inner=bruck_in_place", "Leader, inner bruck in place"),
        ("native:recursive_doubling", "Native, recursive doubling"),
        ("united", "United"),
        ("aaa_bbb", "aaa_bbb"),
        ("file:my_sizes.txt", "file:my_sizes.txt"),
    ],
)
def test_names_in_print(name: str, title: str) -> None:
    assert title_of(name) == title
    assert shown(name) == name, "users type it"
    with drawn_for(COLUMN):
        assert shown(name) == title


def test_names_after_other_words() -> None:
    with drawn_for(COLUMN):
        assert within("half_full") == "half-full"
    assert within("half_full") == "half_full"


def test_titles_are_the_catalogues() -> None:
    for table in (catalogue().algorithms, catalogue().distributions, catalogue().mappings):
        for row in table:
            assert title_of(row.name) == row.title and "_" not in row.title.replace("MPI_", "")


@pytest.mark.slow
def test_latex_has_names_in_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_sweep(tmp_path, ["half_full"])
    given = ["table", str(path), "--united", "--format"]
    assert main([*given, "latex"]) == 0
    found = capsys.readouterr().out.splitlines()
    assert found[0] == "% All rows: allgatherv, united, half_full."
    assert found[3].startswith("metric & cases & "), "what is the same in all rows is no column"
    assert main([*given, "markdown"]) == 0
    assert capsys.readouterr().out.startswith("All rows: allgatherv, united, half_full.\n\n| metr")
    assert main([*given, "csv"]) == 0
    assert "allgatherv,united,half_full," in capsys.readouterr().out
