# SPDX-License-Identifier: BSD-3-Clause
"""Tests what agreport writes: never over measurements, and whole or not at all."""

import errno
import gzip
import os
import resource
import signal
import subprocess
import sys
from argparse import Namespace, _SubParsersAction
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from agformats.errors import BadInput
from agformats.files import outputs
from agformats.files.data_set_schema import RESULTS
from agformats.files.outputs import OutputFile, replacing, write_text
from agreport import commands
from agreport.cli.later import Module
from agreport.cli.report import Report
from agreport.figure.sheet import Sheet, sheet
from agreport.main import main, parser

from ..data.test_data_set import collected
from ..support.commands import Capture, Rows, Write, refused
from ..support.fake_trace import Call, FakeTrace

MEASURED = "has measurements, which are not overwritten; legal: another file"


@pytest.fixture
def run(write: Write, rows: Rows) -> Path:
    return write("run.csv", [*rows("ring", [1, 2]), *rows("bruck", [3, 4])], start="1")


@pytest.fixture
def other(write: Write, rows: Rows) -> Path:
    return write("other.csv", [*rows("ring", [1, 2]), *rows("bruck", [3, 4])], start="2")


def test_nothing_is_written_before_all_is_found(tmp_path: Path) -> None:
    def parts(*_: object) -> list[str]:
        raise BadInput("the last part is missing")

    drawn = Mock(Sheet)
    table = pd.DataFrame({"x": [1]})
    report = Report("x", Module("x"), load=Mock(), table=Mock(return_value=table),
                    draw=Mock(return_value=drawn), parts=parts)  # fmt: skip
    options = Namespace(output=tmp_path / "x.svg", csv=tmp_path / "x.csv", json=None, format="text")
    with pytest.raises(BadInput, match="the last part"):
        report.execute(options)
    drawn.write.assert_not_called()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["-o", "--output"])
def test_a_table_never_takes_the_place_of_its_input(
    run: Path, capsys: Capture, option: str
) -> None:
    before = run.read_bytes()
    said = refused(capsys, "summary", run, option, run)
    assert said == f"agreport summary: error: argument -o/--output: '{run}' {MEASURED}"
    assert run.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("other.csv", "summary {run} -o"),
        ("other.csv", "loss {run} --csv"),
        ("other.csv", "nodes {run} --json"),
        ("other.csv", "compare --baseline {run} --new {other} --csv"),
        ("other.csv", "compare --baseline {run} --new {other} --junit"),
        ("link.html", "page {run} -o"),
        ("link.svg", "loss {run} -o"),
        ("link.json", "export {run} -o"),
        ("other.csv", "trace folder --export"),
        ("other.csv", "trace folder --calls"),
        ("other.csv", "tune {run} --agstar"),
        ("packed.json", "export {run} -o"),
        ("rank_0.agtrace", "summary {run} -o"),
    ],
)
def test_no_output_takes_the_place_of_measurements(
    run: Path, other: Path, tmp_path: Path, capsys: Capture, name: str, arguments: str
) -> None:
    for ending in ("html", "svg", "json"):
        (tmp_path / f"link.{ending}").symlink_to(other)
    (tmp_path / "packed.json").write_bytes(gzip.compress(other.read_bytes()))
    (tmp_path / "rank_0.agtrace").write_bytes(b"#@agtrace=2\n")
    path = tmp_path / name
    before = path.read_bytes()
    words = [word.format(run=run, other=other) for word in arguments.split()]
    said = refused(capsys, *words, path)
    assert words[-1] in said and f"'{path}' {MEASURED}" in said
    assert path.read_bytes() == before and path.is_symlink() == name.startswith("link")


def test_every_output_of_every_command_is_looked_at() -> None:
    """What says that it writes a file has the type that refuses; `folder`: only a new one."""
    (known,) = (one for one in parser()._actions if isinstance(one, _SubParsersAction))
    words = ("write", "overwritten", "figure: ")
    for command in commands.COMMANDS:
        for action in known.choices[command]._actions:
            told = str(action.help)
            if any(word in told for word in words) and action.metavar not in (None, "FOLDER"):
                reads_it = "wrote" in told or "library's algorithms" in told
                assert isinstance(action.type, OutputFile) or reads_it, (command, action.dest)
            if action.dest in ("output", "csv", "json") and action.metavar != "FOLDER":
                assert isinstance(action.type, OutputFile), (command, action.dest)


def test_both_sides_of_a_comparison_are_kept(run: Path, other: Path, capsys: Capture) -> None:
    before = run.read_bytes(), other.read_bytes()
    sides = ["compare", "--baseline", run, "--new", other]
    refused(capsys, *sides, "--csv", other, "--json", run)
    assert (run.read_bytes(), other.read_bytes()) == before


def test_an_input_without_metadata_is_an_input(run: Path, tmp_path: Path, capsys: Capture) -> None:
    """It is known by its inode, a glob, and the folder that it is read in."""
    plain = tmp_path / "in" / "plain.csv"
    plain.parent.mkdir()
    lines = run.read_text().splitlines(keepends=True)
    plain.write_text("".join(line for line in lines if not line.startswith("#")))
    before = plain.read_bytes()
    again = tmp_path / "again.csv"
    again.hardlink_to(plain)
    for given in (plain, again, plain.parent, tmp_path / "i?" / "*.csv"):
        said = refused(capsys, "summary", given, "-o", plain)
        assert said.endswith(
            f"argument -o/--output: '{plain}' is an input of FILES; legal: another file"
        )
    assert plain.read_bytes() == before


def test_what_other_options_read_is_an_input(run: Path, tmp_path: Path, capsys: Capture) -> None:
    costs = tmp_path / "costs.csv"
    costs.write_text("model,algorithm\n")
    said = refused(capsys, "predict", run, "--costs", costs, "--csv", costs)
    assert f"argument --csv: '{costs}' is an input of --costs; legal: another file" in said
    assert costs.read_text() == "model,algorithm\n"


def test_two_outputs_in_one_file_are_refused(run: Path, other: Path, capsys: Capture) -> None:
    out = run.with_name("out.txt")
    said = refused(
        capsys, "compare", "--baseline", run, "--new", other, "--csv", out, "--json", out
    )
    assert f"'{out}' is that of --" in said
    assert not out.exists()


@pytest.mark.parametrize("name", [RESULTS, "manifest.json", "a/0.csv", "table.txt"])
def test_a_data_set_is_left_as_it_is(run: Path, tmp_path: Path, capsys: Capture, name: str) -> None:
    """A file that is new in it could take the place of a launch."""
    stored = collected(tmp_path / "set", {"a/0.csv": run})
    (stored / "manifest.json").write_text("{}\n")
    (stored / "a").mkdir()
    before = {path: path.read_bytes() for path in stored.rglob("*") if path.is_file()}
    for given in (run, stored):
        said = refused(capsys, "summary", given, "-o", stored / name)
        assert f"'{stored / name}' is inside the data set '{stored}'; legal: a file outs" in said
    assert {path: path.read_bytes() for path in stored.rglob("*") if path.is_file()} == before


def test_a_publication_is_made_beside_a_data_set(
    run: Path, tmp_path: Path, capsys: Capture
) -> None:
    stored = collected(tmp_path / "set", {"a/0.csv": run})
    said = refused(capsys, "loch2021", stored, "-o", stored / "page")
    assert f"--output: {stored / 'page'} is inside the data set '{stored}'; legal: " in said
    assert not (stored / "page").exists()


def test_a_file_that_cannot_be_read_is_kept(
    run: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(outputs, "begin", refuse)
    table = tmp_path / "table.txt"
    table.write_text("before\n")
    said = refused(capsys, "summary", run, "-o", table)
    assert f"argument -o/--output: '{table}' is there, and what it is cannot be read: Permi" in said
    assert table.read_text() == "before\n"


def test_an_older_report_is_replaced(run: Path, tmp_path: Path) -> None:
    """It is replaced beside the results too, through a link, and with the rights that it had."""
    table, link = tmp_path / "table.txt", tmp_path / "link.txt"
    table.write_text("before\n")
    table.chmod(0o640)
    link.symlink_to(table)
    assert main(["summary", str(tmp_path), "-o", str(link)]) == 0
    assert "ring" in table.read_text() and "before" not in table.read_text()
    assert link.is_symlink() and table.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.txt", "run.csv", "table.txt"]


def test_a_new_file_has_the_rights_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "any").write_text("")
    write_text(tmp_path / "a", "")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "any").stat().st_mode


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Python 3.11 would leave a part of the compiled file of each module that is imported here."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.getsignal(signal.SIGXFSZ)
    compiles, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
        sys.dont_write_bytecode = compiles


@pytest.mark.parametrize(("command", "ending"), [("page", "html"), ("loss", "png")])
def test_a_failed_write_leaves_the_older_report_whole(
    run: Path, tmp_path: Path, capsys: Capture, command: str, ending: str
) -> None:
    report = tmp_path / f"report.{ending}"
    report.write_text("before\n")
    names = sorted(tmp_path.iterdir())
    with files_of_at_most(1000):
        assert main([command, str(run), "-o", str(report)]) == 2
    assert f"'{report}' cannot be written: File too large" in capsys.readouterr().err
    assert report.read_text() == "before\n" and sorted(tmp_path.iterdir()) == names


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), replacing(tmp_path / "a") as file:
        file.write("half")
        raise KeyboardInterrupt
    assert [*tmp_path.iterdir()] == []


def test_the_text_beside_a_figure_is_no_way_round(other: Path, run: Path, capsys: Capture) -> None:
    """--paper writes FILE.svg.tex."""
    text = run.with_name("loss.svg.tex")
    text.symlink_to(other)
    before = other.read_bytes()
    said = refused(capsys, "loss", run, "-o", run.with_name("loss.svg"), "--paper")
    assert f"'{text}' {MEASURED}" in said
    assert other.read_bytes() == before and not run.with_name("loss.svg").exists()


def test_pipes_and_standard_output_are_written_as_they_are(run: Path, tmp_path: Path) -> None:
    """A shell's file is not replaced either: what follows would be lost."""
    words = [sys.executable, "-m", "agreport.main", "summary", str(run), "-o", "/dev/stdout"]
    plain = subprocess.run(words, capture_output=True, check=True, text=True)
    assert "ring" in plain.stdout
    out = tmp_path / "out.txt"
    with out.open("w") as file:
        subprocess.run(words, stdout=file, check=True)
        assert os.path.samestat(os.fstat(file.fileno()), out.stat())
    assert out.read_text() == plain.stdout
    words[-1] = f"/dev/fd/{(ends := os.pipe())[1]}"  # as a shell's >(COMMAND)
    subprocess.run(words, check=True, pass_fds=ends[1:])
    os.close(ends[1])
    with os.fdopen(ends[0]) as reader:
        assert reader.read() == plain.stdout


@pytest.mark.parametrize("option", ["loss -o", "summary -o", "nodes --json"])
def test_a_pipe_that_nobody_reads_is_refused(
    run: Path, tmp_path: Path, capsys: Capture, option: str
) -> None:
    """A link to it is refused, too. To open it would wait for ever."""
    command, name = option.split()
    pipe, link = tmp_path / "pipe.svg", tmp_path / "link.svg"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for path in (pipe, link):
        said = refused(capsys, command, run, name, path)
        legal = "a regular file, a new name, or /dev/stdout"
        assert name in said and said.endswith(f"'{path}' is a pipe; legal: {legal}")
    with pytest.raises(BadInput, match="is a pipe"):
        write_text(pipe, "text")


def test_a_figure_is_the_same_in_a_file_and_over_an_older_one(tmp_path: Path) -> None:
    for name in ("new.svg", "old.svg"):
        path = tmp_path / name
        if name == "old.svg":
            path.write_text("before")
        sheet("title", 2.0, [], "caption").write(path)
    assert (tmp_path / "new.svg").read_bytes() == (tmp_path / "old.svg").read_bytes()


def test_a_trace_is_an_input(tmp_path: Path, capsys: Capture) -> None:
    folder = FakeTrace([Call([0.0, 5.0, 1.0, 2.0])]).write(tmp_path / "trace")
    rank = folder / "rank_0.agtrace"
    before = rank.read_bytes()
    assert MEASURED in refused(capsys, "trace", folder, "--export", rank)
    assert rank.read_bytes() == before


def test_what_was_written_is_said(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error, also where a table is printed; nothing of what goes elsewhere."""
    figure, numbers = tmp_path / "a.svg", tmp_path / "a.csv"
    assert main(["selection", str(example), "-o", str(figure), "--csv", str(numbers)]) == 0
    assert f"agreport: wrote {figure}, {numbers}\n" in capsys.readouterr().err
    assert main(["summary", str(example), "-o", "/dev/stdout"]) == 0
    assert main(["summary", str(example)]) == 0
    assert "wrote" not in capsys.readouterr().err


@pytest.mark.slow
def test_of_many_files_the_last_is_named(
    example: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main(["loch2021", str(example), "-o", str(folder)]) in (0, 3)
    others = len([*folder.iterdir()]) - 1
    assert f"agreport: wrote {folder}/index.html and {others} other files\n" in (
        capsys.readouterr().err
    )
