# SPDX-License-Identifier: BSD-3-Clause
"""Metadata that are counted with and are no numbers: each command says where, in one line."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import agreport
from agformats.errors import BadInput
from agformats.files.data_set_writer import WHOLE_FILE, Writer
from agformats.files.result_file import KINDS, Launch
from agformats.files.result_rows import read
from agreport.main import main
from shared.checksums import checksummed

from ..support.commands import Capture, Rows, Write, refused

COMMANDS = ("times", "summary", "diagnostics", "selection", "table", "tune", "page", "compare")
BAD = {"ranks": "two", "nodes": "1.5", "cases": "-1", "buffer_offset": "64 bytes"}


@pytest.fixture
def result(write: Write, rows: Rows) -> Path:
    cases = [*rows("ring", [1, 2]), *rows("bruck", [3, 4]), *rows("native", [5, 6])]
    path = write("a.csv", cases, start="1", command="b/allgather_bench --note 'x=1,,'")
    return with_checksums(path)


def with_checksums(path: Path) -> Path:
    head, columns, rows = path.read_text().partition("prepare_us,status,reason\n")
    path.write_text(checksummed(f"{head}{columns}#@head_end=columns\n{rows}"))
    return path


def words_for(command: str, path: Path) -> list[object]:
    if command == "compare":
        return [command, "--baseline", path, "--new", path.parent / "new" / "*.csv"]
    return [command, path, *(["-o", path.with_suffix(".html")] if command == "page" else [])]


def changed(path: Path, change: Callable[[str], str]) -> Path:
    path.write_text("".join(change(line) for line in path.read_text().splitlines(keepends=True)))
    return path


def filled_up(line: str, with_what: str = ",") -> str:
    """Fills the line as a spreadsheet saves it, with as many cells as the rows have."""
    return line.rstrip("\n") + with_what * 17 + "\n" if line.startswith("#") else line


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_ranks_that_are_no_number(write: Write, rows: Rows, capsys: Capture, command: str) -> None:
    cases = [*rows("ring", [1]), *rows("bruck", [1])]
    write("new/a.csv", cases)
    path = write("a.csv", cases, ranks="2 or 3")
    said = refused(capsys, *words_for(command, path))
    legal = "legal: a whole number of at most 9 digits"
    assert f"{path}:4: #@ranks= is '2 or 3'; {legal}" in said


def test_every_kind(write: Write, rows: Rows, capsys: Capture) -> None:
    assert BAD.keys() == KINDS.keys()
    for key, value in BAD.items():
        path = write("a.csv", rows("ring", [1]), **{key: value})
        said = refused(capsys, "times", path)
        assert f"#@{key}= is '{value}'; legal: {KINDS[key][1]}" in said
        assert path.read_text().splitlines()[int(said.split(":")[3]) - 1] == f"#@{key}={value}"


def test_a_key_that_stands_twice(write: Write, rows: Rows, capsys: Capture) -> None:
    path = write("a.csv", rows("ring", [1]))
    text = path.read_text().replace("#@ranks=4\n", "#@ranks=4\n#@ranks=4\n")
    path.write_text(checksummed(text))
    assert "#@ranks= is '4; 4'; legal: a whole number" in refused(capsys, "times", path)


@pytest.mark.parametrize("with_what", [",", ";"])
def test_lines_filled_up_by_a_spreadsheet(result: Path, capsys: Capture, with_what: str) -> None:
    """Lines with checksums are found too, so that it is not taken for a file without them."""
    changed(result, lambda line: filled_up(line, with_what))
    said = refused(capsys, "summary", result)
    assert f"{result}:1: '#@suite=gatherbench 0.1.0{with_what * 17}' was filled up" in said
    assert "as spreadsheets do that save a file; legal: the file as it was written" in said


@pytest.mark.parametrize("key", ["ranks", "mpi", "head_end", "start"])
def test_a_line_filled_up(result: Path, capsys: Capture, key: str) -> None:
    changed(result, lambda line: filled_up(line) if line.startswith(f"#@{key}=") else line)
    said = refused(capsys, "times", result)
    assert f"'#@{key}=" in said and "spreadsheets" in said


def test_lines_in_quotes(result: Path, capsys: Capture) -> None:
    changed(result, lambda line: f'"{line.rstrip()}"\n' if line.startswith("#@mpi") else line)
    assert f"{result}:2: '\"#@mpi=" in refused(capsys, "times", result)


def test_compressed_by_somebody(result: Path, capsys: Capture) -> None:
    text = changed(result, filled_up).read_bytes()
    packed = result.with_name("b.csv.gz")
    packed.write_bytes(gzip.compress(text))
    assert f"{packed}:1: " in refused(capsys, "times", packed)


def test_commas_that_a_launch_wrote_stay(result: Path, capsys: Capture) -> None:
    assert main(["times", str(result)]) == 0
    assert agreport.launches(result)["command"][0].endswith("'x=1,,'")


def test_a_launch_of_a_data_set(result: Path, capsys: Capture) -> None:
    launch, rows = read(result, WHOLE_FILE)
    folder = result.parent / "set"
    folder.mkdir()
    launch.metadata["ranks"] = "2,,,"
    with Writer(folder) as stored:
        stored.add(launch, rows, "b/a.csv", {"build": "b", "point": "p"})
    said = refused(capsys, "times", folder)
    assert f"{folder}/b/a.csv: #@ranks= is '2,,,'; legal: a whole number" in said


def test_a_launch_made_by_a_program() -> None:
    with pytest.raises(BadInput, match="#@nodes= is 'x'"):
        Launch(Path("a"), {"nodes": "x"}, 0)


def test_a_command_that_is_none(write: Write, rows: Rows, capsys: Capture) -> None:
    cases = [*rows("native", [9, 9], size=8), *rows("native:ring", [1, 1], size=8)]
    cases += [*rows("native", [1, 1], size=64), *rows("native:ring", [9, 9], size=64)]
    path = write("a.csv", cases, command="allgather_bench --note it's")
    assert main(["tune", str(path), "--refine"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "its command is 'allgather_bench --note it's', which no shell can read: no clos" in said


HUGE = "9" * 5000  # which Python reads as no number, for its digits


@pytest.mark.parametrize(
    ("key", "value", "command"),
    [
        ("note.sizes_times_ranks", HUGE, "arrival --size-by total"),
        ("machine.memory", HUGE, "loss"),
        ("ranks", HUGE, "loss"),
        ("model", f"hockney:alpha={HUGE},beta=x", "summary"),
    ],
)
def test_more_digits_than_python_reads(
    write: Write, rows: Rows, capsys: Capture, key: str, value: str, command: str
) -> None:
    case = [*rows("ring", [1]), *rows("native", [2])]
    late = [
        line
        for name in ("ring", "native")
        for line in rows(name, [3], place="allgather,{},regular,uniform:max=1ms,sequential")
    ]
    path = write("a.csv", case, late, **{key: value})
    name, *words = command.split()
    assert main([name, str(path), *words, *(["-o", f"{path}.svg"] if name != "summary" else [])]
                ) in (0, 2)  # fmt: skip
    assert all(len(line) < 1000 for line in capsys.readouterr().err.splitlines())
