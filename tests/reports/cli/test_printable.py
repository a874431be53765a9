# SPDX-License-Identifier: BSD-3-Clause
"""Names from files that a terminal, a spreadsheet or XML would take for something else."""

import warnings
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import agreport
from agformats.errors import printable
from agreport.cli import render
from agreport.cli.missing_letters import missing_letters_named
from agreport.main import main
from shared.checksums import checksummed

from ..support.commands import Capture, Rows, Write
from ..support.fake_launches import side

TITLE = "\x1b]0;pwned\x07\x1b[31mred"
ESCAPED = r"\x1b]0;pwned\x07\x1b[31mred"


@pytest.fixture
def evil(write: Write, rows: Rows) -> Path:
    """Makes a file with such names of an algorithm, a key, and the file itself."""
    cases = [*rows(TITLE, [1, 2]), *rows("ring", [3, 4])]
    return write("\x1b[2J.csv", cases, tail="cut\n", start="1", **{f"note.{TITLE}": TITLE})


def is_clean(text: str) -> bool:
    return all(letter.isprintable() or letter in "\n\N{NO-BREAK SPACE}" for letter in text)


@pytest.mark.parametrize("form", render.FORMATS)
def test_tables_of_every_form(evil: Path, tmp_path: Path, capsys: Capture, form: str) -> None:
    """They are printed on a terminal, with what is said beside them, and written into a file."""
    table = tmp_path / "table"
    assert main(["summary", str(evil), "--format", form]) == 0
    printed = capsys.readouterr()
    assert is_clean(printed.out) and is_clean(printed.err)
    assert r"\x1b[2J.csv: cut off" in printed.err
    assert main(["summary", str(evil), "--format", form, "-o", str(table)]) == 0
    assert table.read_text() == printed.out
    if form != "latex":  # which has its own backslashes
        assert ESCAPED in printed.out


@pytest.mark.parametrize("report", ["loss", "times", "diagnostics", "table", "selection"])
def test_other_reports(evil: Path, tmp_path: Path, capsys: Capture, report: str) -> None:
    assert main([report, str(evil), *(["-o", str(tmp_path / "a.svg")] if report in
                 ("loss", "selection") else [])]) == 0  # fmt: skip
    printed = capsys.readouterr()
    assert is_clean(printed.out) and is_clean(printed.err)
    for figure in tmp_path.glob("*.svg"):
        ElementTree.parse(figure)


def test_letters_that_the_font_lacks_are_named_once(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """Instead of a warning of matplotlib for each, which says where its sources lie."""
    path = write("a.csv", [*rows("中文中", [1, 2]), *rows("ring", [3, 4])])
    assert main(["loss", str(path), "-o", str(tmp_path / "a.png")]) == 0
    said = capsys.readouterr().err
    assert "agreport: note: the font of figures lacks 中 文; PNG and PDF have boxes instead" in said
    assert said.count("lacks") == 1 and "Glyph" not in said


@pytest.mark.parametrize("command", ["scaling", "series", "loss"])
def test_names_that_look_like_tex(write: Write, rows: Rows, tmp_path: Path, command: str) -> None:
    """matplotlib would take what is between dollar signs for a formula: this is none."""
    path = write("a.csv", [*rows("file:$a_{$", [1, 2]), *rows("ring", [3, 4])])
    figure = tmp_path / "a.svg"
    assert main([command, str(path), "-o", str(figure)]) == 0
    assert "file:$a_{$" in figure.read_text()
    assert main([command, str(path), "-o", str(figure.with_suffix(".png"))]) == 0


def test_other_warnings_stay() -> None:
    with pytest.warns(UserWarning, match="^other$"), missing_letters_named():
        warnings.warn("other", stacklevel=1)


def test_python_programs_get_clean_warnings(evil: Path, capsys: Capture) -> None:
    agreport.load(evil)
    said = capsys.readouterr().err
    assert is_clean(said) and r"\x1b[2J.csv: cut off" in said


def test_xml_of_a_comparison(tmp_path: Path, capsys: Capture) -> None:
    logs = np.zeros((2, 1))
    sides = side(tmp_path / "a", logs), side(tmp_path / "b", logs)
    for number, path in enumerate(sorted(tmp_path.rglob("*.csv"))):
        text = path.read_text().replace("ring", TITLE)
        path.write_text(checksummed(f"#@start={number}\n{text}"))
    junit = tmp_path / "junit.xml"
    main(["compare", "--baseline", *sides[0], "--new", *sides[1], "--junit", str(junit)])
    assert is_clean(capsys.readouterr().out)
    assert ESCAPED in "".join(str(each.get("name")) for each in ElementTree.parse(junit).iter())


@pytest.mark.parametrize("start", ["=", "+", "-", "@"])
def test_no_formula_in_csv(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture, start: str
) -> None:
    name = f"{start}cmd|/C calc!A0"
    path = write("a.csv", [*rows(name, [1, 2]), *rows("ring", [3, 4])])
    outputs = [tmp_path / "summary.csv", tmp_path / "times.csv"]
    assert main(["summary", str(path), "--format", "csv", "-o", str(outputs[0])]) == 0
    assert main(["times", str(path), "--csv", str(outputs[1])]) == 0
    assert main(["summary", str(path), "--format", "csv"]) == 0
    for text in (*(output.read_text() for output in outputs), capsys.readouterr().out):
        assert f"'{name}" in text
        assert f",{name}" not in text and not text.startswith(name)
    assert main(["summary", str(path)]) == 0
    assert f" {name}" in capsys.readouterr().out  # a terminal has no formulas


def test_numbers_in_csv_stay_numbers() -> None:
    frame = pd.DataFrame({"a": ["-1", "+2.5e3", "-", "x"], "b": [-1.5, 2, -3, np.nan], "=c": "\td"})
    text = render.csv(frame)
    assert text == "a,b,'=c\n-1,-1.5,'\td\n+2.5e3,2.0,'\td\n-,-3.0,'\td\nx,,'\td\n"
    assert pd.read_csv(StringIO(text))["b"].tolist()[:3] == [-1.5, 2, -3]
    assert render.csv(pd.DataFrame()) == "\n"


def test_what_is_printable_stays() -> None:
    text = "µ 100 %\tä\n\N{NO-BREAK SPACE}█\n"
    assert printable(text) == text
    assert printable("a\rb\x9b\u202e\udcff\n") == "a\\rb\\x9b\\u202e\\udcff\n"
