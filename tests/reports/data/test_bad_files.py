# SPDX-License-Identifier: BSD-3-Clause
"""Bad result files: named with the line and what is wrong, and the others are read all the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agreport.data.load import read_files
from agreport.main import main
from shared.checksums import without_checksums

from ..support.commands import Capture, Rows, Write
from ..support.loading import load
from ..support.pages import draw_only

Change = Callable[[str], str]

HEADER_LINE, FIRST_ROW = 7, 8


def line(number: int, change: Change) -> Change:
    """Changes one line of a text; numbers are from 1 on, as in messages."""

    def changed(text: str) -> str:
        lines = text.split("\n")
        lines[number - 1] = change(lines[number - 1])
        return "\n".join(lines)

    return changed


def replaced(old: str, new: str) -> Change:
    return lambda text: text.replace(old, new)


# A row has what is done to the example, and what is said of it behind the name of the file.
FAULTS: dict[str, tuple[Change, str]] = {
    "a column of a newer version": (
        line(HEADER_LINE, lambda text: text.replace(",prepare_us", ",prepare_us,warmth")),
        ":7: not a result file; foreign columns: warmth",
    ),
    "a newer version": (
        replaced("gatherbench 0.1.0", "gatherbench 0.3.0 (git abc)"),
        ": its suite is 'gatherbench 0.3.0 (git abc)', newer than this agreport (0.2.0)",
    ),
    "another suite": (
        replaced("gatherbench 0.1.0", "OSU 7.4"),
        ": its suite is 'OSU 7.4'; expected 'gatherbench MAJOR.MINOR.PATCH'",
    ),
    "a byte order mark": (
        lambda text: f"\ufeff{text}",
        ": begins with a byte order mark, which some editors put before a text; legal: the file as",
    ),
    "a suite without a version": (
        replaced("gatherbench 0.1.0", "gatherbench"),
        ": its suite is 'gatherbench', without a version; expected 'gatherbench MAJOR.MINOR.PATCH'",
    ),
    "another unit": (
        line(HEADER_LINE, replaced("avg_us", "avg_ms")),
        ":7: not a result file; 'avg_ms' is not in the unit of 'avg_us'",
    ),
    "another unit of what it may lack": (
        line(HEADER_LINE, replaced("run_us", "run_ns")),
        ":7: not a result file; 'run_ns' is not in the unit of 'run_us'",
    ),
    "units mixed in a row": (
        line(9, replaced(",9,10,12,", ",0.009,10,0.012,")),
        ":9: min_us = 0.009, avg_us = 10, max_us = 0.012 are not in this order; are they in one",
    ),
    "a column twice": (line(HEADER_LINE, replaced("run_us", "avg_us")), ":7: not a result file; "),
    "a torn row": (line(9, lambda text: text[:20]), ":9: no row of a result file: 3 cells for 18"),
    "a cell too many": (line(9, lambda text: text + ",1"), ":9: no row of a result file: 19 cells"),
    # Python 3.10 names the NUL, newer ones count cells.
    "zeros of a crash": (line(9, lambda text: "\0" * 40), ":9: no row of a result file: "),
    "no bytes": (line(10, replaced(",4,1,1,4,", ",4,1,,4,")), ":10: no row of a result file: byt"),
    "a size with a unit": (
        line(10, replaced(",4,1,1,4,", ",4,1,1K,4,")),
        ":10: no row of a result file: bytes is '1K', not a whole number",
    ),
    "a quote without end": (
        line(10, replaced(",regular,", ',"regular,')),
        ":10: no row of a result file: '",
    ),
    "two files in one": (
        lambda text: text + text,
        ":52: no row of a result file: the line of column names again; are these two files in one?",
    ),
    "the same case twice": (
        lambda text: text + "\n".join([*text.split("\n")[7:9], "#@case_end=again", ""]),
        ":46: iteration 0 of allgather, sequential, regular, none, 4, 1, sparbit stands in line "
        "8 already",
    ),
    "an iteration twice": (line(9, replaced(",1,9,", ",0,9,")), ":9: iteration 0 of allgather, "),
    "skipped twice": (
        lambda text: text.replace(SKIPPED, f"{SKIPPED}\n{SKIPPED}"),
        ":27: skipped or wrong of allgather, sequential, regular, none, 4, 8, sparbit stands in "
        "line 26 already",
    ),
    "no time at all": (line(8, replaced(",5,6,8,", ",inf,inf,inf,")), ":8: a row with status ok"),
    "a negative run": (
        line(9, replaced(",9,10,12,13,", ",9,10,12,-13,")),
        ":9: run_us = -13 is no time; legal: 0 and more",
    ),
    "an endless run": (
        line(9, replaced(",9,10,12,13,", ",9,10,12,inf,")),
        ":9: run_us = inf is no time; legal: 0 and more",
    ),
}
SKIPPED = (
    "allgather,sparbit,regular,none,sequential,4,1,8,32,,,,,,,,skipped,needs <even>; ranks = 4"
)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_with_its_line(example: Path, name: str) -> None:
    change, said = FAULTS[name]
    before = without_checksums(example.read_text())
    example.write_text(change(before))
    assert example.read_text() != before
    with pytest.raises(BadInput) as refusal:
        load([str(example)])
    assert str(refusal.value).startswith(f"{example}{said}")


def test_lines_are_counted_behind_comments_and_a_resume(write: Write, rows: Rows) -> None:
    tail = "allgather,torn\n#@resumed=now\n\n# a note\n" + rows("bruck", [1])[0].replace(
        ",0,", ",x,"
    )
    path = write("a.csv", rows("ring", [1]), tail=f"{tail}\n#@case_end=1\n")
    with pytest.raises(BadInput, match=r"a\.csv:14: no row of a result file: iteration is 'x'"):
        load([str(path)])


def test_one_bad_file_among_many(write: Write, rows: Rows, tmp_path: Path, capsys: Capture) -> None:
    """The others are reported; scripts see it in the exit code."""
    for number in range(9):
        write(f"{number}.csv", [*rows("sparbit", [1 + number]), *rows("ring", [20])])
    (tmp_path / "4.csv").write_text("a,b\n1,2\n")
    assert main(["summary", str(tmp_path), "--format", "csv"]) == 3
    printed = capsys.readouterr()
    assert ",8,0,5.0," in printed.out, "8 iterations with a mean of 5"
    assert printed.err.startswith(f"agreport: warning: left out: {tmp_path}/4.csv:1: not a result")
    assert len(printed.err.splitlines()) == 1


def test_only_bad_files(tmp_path: Path, capsys: Capture) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("a,b\n1,2\n")
    assert main(["summary", str(tmp_path)]) == 2
    *warnings, error = capsys.readouterr().err.splitlines()
    assert [str(tmp_path / name) in text for name, text in zip("ab", warnings, strict=True)]
    assert error == f"agreport: error: {tmp_path}: none of 2 files can be read"


def test_a_file_that_may_not_be_read(write: Write, rows: Rows, tmp_path: Path) -> None:
    write("a.csv", rows("ring", [1]))
    (tmp_path / "b.csv").symlink_to(tmp_path / "gone.csv")
    (tmp_path / "c.csv").mkdir()
    results = read_files(
        [str(tmp_path / "*.csv"), str(write("d.csv", rows("ring", [2])))], skip_bad_files=True
    )
    assert results.rows["avg_us"].tolist() == [1, 2]
    assert "b.csv" in results.left_out[0]


def test_a_copy_of_a_launch_does_not_count_twice(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """Nor one that was made before the launch went on."""
    first, second = rows("ring", [1]), rows("ring", [2], size=2)
    start = "2026-11-21T12:00:00+0000"
    write("a.csv", first, second, start=start)
    write("b.csv", first, start=start)
    write("c.csv", first, start="2026-11-21T12:00:01+0000")
    results = read_files([str(tmp_path)], skip_bad_files=True)
    assert results.rows["avg_us"].tolist() == [1, 2, 1]
    assert results.rows["launch"].tolist() == [0, 0, 1]
    said = f"{tmp_path / 'b.csv'}: the same launch as {tmp_path / 'a.csv'}; give one of them"
    assert results.left_out == [said]
    assert said in capsys.readouterr().err


def test_copies_of_a_folder_are_one_line(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """agsweep collect leaves them so, where the files and the data set hold the same launches."""
    for folder in ("a", "b", "c/d"):
        for number in range(5):
            write(f"{folder}/{number}.csv", rows("ring", [1 + number]), start=str(number))
    results = read_files([str(tmp_path)], skip_bad_files=True)
    assert results.rows["avg_us"].tolist() == [1, 2, 3, 4, 5]
    end = f"same as in {tmp_path}/a (the first: 0.csv and 0.csv); give one of the folders"
    said = [f"{tmp_path}/{folder}: 5 launches are the {end}" for folder in ("b", "c/d")]
    assert results.left_out == said
    assert capsys.readouterr().err.splitlines() == [
        f"agreport: warning: left out: {text}" for text in said
    ]


@pytest.mark.slow
def test_the_page_says_what_is_left_out(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_only(monkeypatch)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    page = tmp_path / "report.html"
    assert main(["page", str(tmp_path), "-o", str(page)]) == 3
    assert "bad.csv:1: not a result file; missing columns: collective" in page.read_text()


def test_standard_input_is_not_read(capsys: Capture) -> None:
    """It was called no such file."""
    assert main(["summary", "-"]) == 2
    told = capsys.readouterr().err
    assert told == (
        "agreport: error: '-': standard input is not read; legal: a file that has what it gives\n"
    )


def test_results_by_another_name_are_named(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture
) -> None:
    """A folder stands for what ends in .csv, and what was written as .xlsx is not silently lost."""
    write("a.csv", rows("ring", [1]))
    write("b.xlsx", rows("ring", [2]), start="2")
    (tmp_path / "c.txt").write_text("a table")
    assert main(["summary", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert "do not end in .csv or .csv.gz are not read: b.xlsx; legal: their names" in said
    assert "c.txt" not in said
    assert main(["summary", str(tmp_path / "b.xlsx")]) == 0
