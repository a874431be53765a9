# SPDX-License-Identifier: BSD-3-Clause
"""A result file that is not what was written is refused, or read without the altered cases."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agformats.files.result_rows import read
from agreport.data.load import read_files
from agreport.main import main
from shared.checksums import checksummed, without_checksums

from ..support.commands import Capture, Rows, Write


@pytest.fixture
def launch(write: Write, rows: Rows) -> Path:
    """Three cases; lines 1 to 6 are metadata, 7 the columns, each case is two rows and its end."""
    cases = [[*rows("sparbit", [5], size=c), *rows("ring", [9], size=c)] for c in (1, 2, 4)]
    return write("a.csv", *cases)


def change_lines(path: Path, change: Callable[[list[str]], list[str]]) -> None:
    lines = path.read_text().splitlines(keepends=True)
    changed = change(lines)
    assert changed != lines
    path.write_text("".join(changed))


def edited(number: int, old: str, new: str) -> Callable[[list[str]], list[str]]:
    def change(lines: list[str]) -> list[str]:
        assert old in lines[number - 1]
        line = lines[number - 1].replace(old, new)
        return [*lines[: number - 1], line, *lines[number:]]

    return change


# A row has what is done, the lines and the case that are named, and the sizes that --keep-going
# leaves.
ALTERED: dict[str, tuple[Callable[[list[str]], list[str]], str, list[int] | None]] = {
    "a digit": (edited(11, ",5,", ",4,"), "lines 11 to 13 (#@case_end=1)", [1, 4]),
    "a name": (edited(12, "regular", "rEgular"), "lines 11 to 13 (#@case_end=1)", [1, 4]),
    "an emptied cell": (edited(12, ",ok,", ",,"), "lines 11 to 13 (#@case_end=1)", [1, 4]),
    "a comment": (edited(12, "all", "#all"), "lines 11 to 13 (#@case_end=1)", [1, 4]),
    "a return": (edited(12, "regular", "reg\rular"), "lines 11 to 13 (#@case_end=1)", [1, 4]),
    "a row removed": (lambda t: [*t[:10], *t[11:]], "lines 11 to 12 (#@case_end=1)", [1, 4]),
    "a row doubled": (lambda t: [*t[:11], *t[10:]], "lines 11 to 14 (#@case_end=1)", [1, 4]),
    "rows swapped": (
        lambda t: [*t[:10], t[11], t[10], *t[12:]],
        "lines 11 to 13 (#@case_end=1)",
        [1, 4],
    ),
    "a case removed": (lambda t: [*t[:10], *t[13:]], "lines 11 to 13 (#@case_end=2)", [1]),
    "a case doubled": (lambda t: [*t[:13], *t[10:]], "lines 14 to 16 (#@case_end=1)", [1, 2, 4]),
    "an end mark removed": (lambda t: [*t[:12], *t[13:]], "lines 11 to 15 (#@case_end=2)", [1]),
    "an end mark renamed": (edited(13, "=1", "=7"), "lines 11 to 13 (#@case_end=7)", [1, 4]),
    "a checksum lost": (edited(13, " crc32", " crc16"), "lines 11 to 16 (#@case_end=2)", [1]),
    "metadata": (edited(2, "Open", "Closed"), "lines 1 to 10 (#@case_end=0)", None),
    "column names": (
        edited(7, "min_us,avg_us", "avg_us,min_us"),
        "lines 1 to 10 (#@case_end=0)",
        None,
    ),
    "the first case": (edited(8, ",5,", ",4,"), "lines 1 to 10 (#@case_end=0)", None),
}


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_other_line_ends_are_refused(launch: Path, capsys: Capture, ending: str) -> None:
    """With returns before the line ends no checksum would be seen, and nothing would be checked."""
    altered = launch.read_bytes().replace(b",5,", b",4,").replace(b"\n", b"\r\n")
    path = launch.with_name(f"b.csv{ending}")
    path.write_bytes(gzip.compress(altered) if ending else altered)
    for options in ([], ["--keep-going"]):
        assert main(["summary", str(path), *options]) == 2
        (message,) = capsys.readouterr().err.splitlines()
        assert message == (
            f"agreport: error: {path}:10: was altered: the line '#@case_end=0' ends in a carriage "
            "return behind its checksum, as editors for Windows write; legal: the file as it was "
            "written"
        )
    text = without_checksums(launch.read_text())
    launch.write_bytes(text.encode().replace(b"\n", b"\r\n"))
    assert main(["summary", str(launch)]) == 0, "it has none"


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_file_is_refused(launch: Path, capsys: Capture, name: str) -> None:
    change, said, _ = ALTERED[name]
    change_lines(launch, change)
    assert main(["summary", str(launch)]) == 2
    (message,) = capsys.readouterr().err.splitlines()
    assert message.startswith(f"agreport: error: {launch}:")
    assert f"was altered in {said}" in message and "legal: the file as it was written" in message


@pytest.mark.slow
@pytest.mark.parametrize("name", ALTERED)
def test_altered_cases_are_left_out_on_demand(launch: Path, capsys: Capture, name: str) -> None:
    change, said, sizes = ALTERED[name]
    change_lines(launch, change)
    if sizes is None:
        assert main(["summary", str(launch), "--keep-going"]) == 2
        return
    results = read_files([str(launch)], keep_going=True)
    assert sorted(results.rows["bytes"].unique()) == sizes
    assert set(results.rows["avg_us"]) == {5, 9}
    (left_out,) = results.left_out
    assert f"was altered in {said}" in left_out
    capsys.readouterr()
    assert main(["summary", str(launch), "--keep-going"]) == 3
    assert capsys.readouterr().err == f"agreport: warning: {left_out}\n"


def test_a_head_with_its_own_checksum(launch: Path) -> None:
    """The benchmark writes it so: then the first case alone can be left out."""
    lines = launch.read_text().splitlines()
    launch.write_text(checksummed("\n".join([*lines[:7], "#@head_end=columns", *lines[7:], ""])))
    assert "head_end" not in read(launch)[0].metadata
    change_lines(launch, edited(9, ",5,", ",4,"))
    found = read_files([str(launch)], keep_going=True)
    assert sorted(found.rows["bytes"].unique()) == [2, 4]
    change_lines(launch, edited(7, "min_us,avg_us", "avg_us,min_us"))
    with pytest.raises(BadInput, match=r"altered in lines 1 to 8 \(#@head_end=columns\)"):
        read_files([str(launch)], keep_going=True)


def test_a_compressed_file(launch: Path) -> None:
    packed = launch.with_suffix(".csv.gz")
    packed.write_bytes(gzip.compress(launch.read_bytes()))
    assert read(packed)[0].checked
    change_lines(launch, edited(11, ",5,", ",4,"))
    packed.write_bytes(gzip.compress(launch.read_bytes()))
    with pytest.raises(BadInput, match=r"a\.csv\.gz:11: was altered in lines 11 to 13"):
        read(packed)


@pytest.mark.parametrize("torn", ["allgather,ri", "allgather,ri\n", "#@case_end=3", "\0" * 99])
def test_what_a_kill_leaves_is_cut(launch: Path, torn: str) -> None:
    whole = read(launch)[1]
    launch.write_text(launch.read_text() + torn)
    found, rows = read(launch)
    assert rows.equals(whole)
    assert found.cut_rows == (0 if torn.startswith("#") else 1)


def test_a_line_without_a_checksum_behind_others(launch: Path) -> None:
    launch.write_text(launch.read_text() + "#@oversubscribed=yes\n")
    with pytest.raises(BadInput, match=r"a\.csv:17: was altered: the line '#@oversubscribed=yes'"):
        read(launch)


def test_lacking_cases_are_told(launch: Path, capsys: Capture) -> None:
    """The last case may be gone without a trace in what is left, but the number of cases tells."""
    text = launch.read_text().replace("#@nodes=1\n", "#@nodes=1\n#@cases=3\n")
    launch.write_text(checksummed(text))
    assert read(launch)[0].lacking == 0
    change_lines(launch, lambda lines: lines[:-3])
    assert main(["summary", str(launch), "--format", "csv"]) == 0
    assert capsys.readouterr().err == (
        f"agreport: warning: {launch}: lacks 1 of 3 cases; the launch was not finished, or the "
        "file was cut\n"
    )


def test_files_without_checksums_are_read_and_told_once(launch: Path, capsys: Capture) -> None:
    other = launch.with_name("b.csv")
    for path in (launch, other):
        path.write_text(without_checksums(launch.read_text()))
    assert main(["summary", str(launch), str(other), "--format", "csv"]) == 0
    assert capsys.readouterr().err == (
        "agreport: note: 2 of 2 files have no checksums, so nothing tells whether they were "
        f"altered (the first is {launch})\n"
    )


def test_files_without_checksums_are_doubted(launch: Path, capsys: Capture) -> None:
    launch.write_text(without_checksums(launch.read_text()))
    assert main(["diagnostics", str(launch)]) == 0
    assert "1 of 1 files have no checksums" in capsys.readouterr().out


def test_compare_takes_the_option(launch: Path, capsys: Capture) -> None:
    other = launch.with_name("b.csv")
    other.write_bytes(launch.read_bytes())
    change_lines(other, edited(11, ",5,", ",4,"))
    sides = ["compare", "--baseline", str(launch), "--new", str(other)]
    assert main(sides) == 2
    assert "or --keep-going" in capsys.readouterr().err
    main([*sides, "--keep-going"])
    assert "these rows are left out" in capsys.readouterr().err
