# SPDX-License-Identifier: BSD-3-Clause
"""The command line: table formats, filters, and each bad input in one line with exit code 2."""

import subprocess
import sys
from io import StringIO
from pathlib import Path

import matplotlib as mpl
import pandas as pd
import pytest

from agreport import commands
from agreport.main import main
from shared.checksums import without_checksums

from ..support.commands import Capture, Rows, Write

pytestmark = pytest.mark.slow


def test_table_formats(example: Path, tmp_path: Path, capsys: Capture) -> None:
    table = ["table", str(example), "--algorithm", "sparbit"]
    assert main([*table, "--format", "csv"]) == 0
    found = pd.read_csv(StringIO(capsys.readouterr().out))
    assert found["fastest_in"].tolist() == [2, 2, 2]
    output = tmp_path / "table.md"
    assert main([*table, "--format", "markdown", "-o", str(output)]) == 0
    assert capsys.readouterr().out == ""
    same, _, head, rule, *body = output.read_text().splitlines()
    assert same == "All rows: allgather, sequential, regular."
    assert head.startswith("| metric | cases |")
    assert set(rule) <= set("| -:")
    assert body[1].endswith("| avg | 4 | 4 | 2 | 50.00 | 2 | 0 | 0.00 | 35.00 | 35.00 | 50.00 |")
    assert main(table) == 0
    names, *lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[1].split()[-1] == "50.00"
    assert lines[1].rindex("50.00") + 5 == names.index("highest_percent") + len("highest_percent")


def test_markdown_keeps_a_bar_in_a_name(write: Write, rows: Rows, capsys: Capture) -> None:
    path = write("a.csv", rows("a|b", [1]))
    assert main(["summary", str(path), "--format", "markdown"]) == 0
    assert "a\\|b" in capsys.readouterr().out


def test_summary_names_its_metric(example: Path, capsys: Capture) -> None:
    assert main(["summary", str(example), "--format", "csv", "--metric", "max"]) == 0
    table = pd.read_csv(StringIO(capsys.readouterr().out))
    assert set(table["metric"]) == {"max"}
    # The wrong and skipped ones are left out: 3 * 4 cases, twice 2, once 1.
    assert len(table) == 17


def test_filters(write: Write, rows: Rows, capsys: Capture) -> None:
    late = 'allgather,{},regular,"delayed:rank=3,delay=1ms",cyclic'
    path = write(
        "a.csv", rows("ring", [1]), rows("ring", [2], ranks=8), rows("ring", [4], place=late)
    )
    for options, means in [
        (["--ranks", "4,8", "--mapping", "sequential"], [1, 2]),
        (["--ranks", "8"], [2]),
        (["--pattern", "delayed"], [4]),
        (["--pattern", "none", "--bytes", "1"], [1, 2]),
        (["--arrival", "delayed:rank=3,delay=1ms"], [4]),
        (["--arrival", "none", "--arrival", "delayed:rank=3,delay=1ms"], [1, 2, 4]),
    ]:
        assert main(["summary", str(path), "--format", "csv", *options]) == 0
        table = pd.read_csv(StringIO(capsys.readouterr().out))
        assert table["mean_us"].tolist() == means, options


def test_a_filter_of_bytes_takes_what_figures_say(
    write: Write, rows: Rows, capsys: Capture
) -> None:
    sizes = (1000, 1024, 65536)
    path = write("a.csv", *(rows("ring", [size], size=size) for size in sizes))
    for given, means in [("1K,64K", [1024, 65536]), ("65536", [65536]), ("1000", [1000])]:
        assert main(["summary", str(path), "--format", "csv", "--bytes", given]) == 0
        assert pd.read_csv(StringIO(capsys.readouterr().out))["mean_us"].tolist() == means
    assert main(["summary", str(path), "--bytes", "2K"]) == 2
    assert "--bytes: '2K'" in capsys.readouterr().err


def test_help_lists_every_report(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["--help"])
    assert leaving.value.code == 0
    printed = " ".join(capsys.readouterr().out.split())
    for name in commands.COMMANDS:
        assert f" {name} " in printed
        assert commands.help_of(name) in printed
        assert (commands.report(name).text or "").startswith(commands.help_of(name))


EMPTY, FOREIGN, NO_COLUMN, NOTHING_OK = "empty.csv", "foreign.csv", "no_column.csv", "nothing.csv"
BAD_STATUS, NO_TIME, BAD_NUMBER, ALONE = "status.csv", "no_time.csv", "number.csv", "alone.csv"
COMMENTS, UNFINISHED, RANKS = "comments.csv", "unfinished.csv", "a.ranks.csv"
NEGATIVE, ALL_WRONG = "negative.csv", "all_wrong.csv"


@pytest.fixture
def bad(example: Path, write: Write, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of bad files, one of each kind, and the good one; it is the current one."""
    folder = example.parent
    good = without_checksums(example.read_text())
    (folder / EMPTY).write_text("\n")
    (folder / FOREIGN).write_text("a,b\n1,2\n")
    (folder / COMMENTS).write_text("#@mpi=x\n")
    (folder / NO_COLUMN).write_text(good.replace("avg_us", "mean_us"))
    (folder / BAD_STATUS).write_text(good.replace(",ok,", ",fine,"))
    (folder / NO_TIME).write_text(good.replace(",5,10,12,", ",,,,").replace(",9,10,12,", ",9,,12,"))
    (folder / NEGATIVE).write_text(good.replace(",9,10,12,", ",-9,10,12,"))
    (folder / BAD_NUMBER).write_text(good.replace(",9,10,12,", ",9,ten,12,"))
    (folder / RANKS).write_text("rank,us\n")
    write(NOTHING_OK, rows("ring", status="skipped", reason="no"))
    write(UNFINISHED, tail="\n".join(rows("ring", [1])))
    write(ALL_WRONG, [*rows("ring", [1]), *rows("ring", status="wrong", reason="byte 0")])
    write(ALONE, rows("sparbit", [1]), rows("ring", status="skipped", reason="no"))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("heatmap nowhere.csv -o a.png", ["nowhere.csv", "no such file"]),
        ("heatmap nowhere/*.csv -o a.png", ["nowhere/*.csv", "no such file"]),
        ("heatmap a**b -o a.png", ["a**b", "no such file"]),
        (f"table {EMPTY}", [EMPTY, "empty"]),
        (f"table {FOREIGN}", [FOREIGN, "missing columns: collective, "]),
        (f"table {NO_COLUMN}", [NO_COLUMN, "missing columns: avg_us\n"]),
        (f"table {COMMENTS}", [COMMENTS, "no line of column names"]),
        (f"table {BAD_STATUS}", [f"{BAD_STATUS}:8: ", "'fine'", "ok, late, skipped, wrong"]),
        (f"table {NO_TIME}", [f"{NO_TIME}:9: ", "status ok has no time"]),
        (f"table {NEGATIVE}", [f"{NEGATIVE}:9: ", "or a negative one"]),
        (
            f"table {BAD_NUMBER}",
            [f"{BAD_NUMBER}:9: no row of a result file: avg_us is 'ten', not a number\n"],
        ),
        (f"table {RANKS}", [RANKS, "only what is beside results"]),
        (f"table {NOTHING_OK}", [NOTHING_OK, "no ok rows\n"]),
        (f"table {UNFINISHED}", [UNFINISHED, "no ok rows\n"]),
        *(
            (f"{command} {ALL_WRONG}", [ALL_WRONG, "no ok rows but of what was wrong"])
            for command in (
                *("table", "summary", "diagnostics", "arrival", "page -o a.html"),
                *("selection -o a.png", "series -o a.png", "export -o a.json"),
            )
        ),
        (
            "table example.csv alone.csv --ranks 4 --mapping sequential --distribution spike",
            ["--distribution", "'spike'", "legal: regular\n"],
        ),
        ("table example.csv --ranks 4x", ["--ranks", "'4x'", "legal: 4"]),
        ("table example.csv --algorithm sparbitt", ["--algorithm", "'sparbitt'", "bruck, sparbit"]),
        ("table example.csv --algorithm sparbitt", ["(nearest: sparbit)"]),
        ("table example.csv --versus rign", ["--versus", "'rign'", "(nearest: ring)"]),
        (
            "table example.csv --algorithm ring --versus ring",
            ["--versus ring", "nothing to compare"],
        ),
        (f"table {ALONE}", ["--algorithm sparbit", "nothing to compare"]),
        ("table example.csv --metric avg", ["unrecognized arguments", "--metric"]),
        (
            "heatmap example.csv -o a.png --metric p99",
            ["--metric", "'p99'", "legal: min, avg, max"],
        ),
        ("heatmap example.csv -o a.jpg", ["-o", "'a.jpg'", ".png, .svg, .pdf"]),
        ("heatmap example.csv -o no/a.png", ["-o", "'no/a.png'", "'no' does not exist"]),
        ("heatmap example.csv -o a.png --csv a.txt", ["--csv", "'a.txt'", ".csv"]),
        ("heatmap example.csv", ["required", "-o"]),
        ("page example.csv -o a.png", ["-o", "'a.png'", ".html"]),
        ("table example.csv -o .", ["-o", "is a directory", "'.'"]),
        ("pie example.csv", ["'pie'", *commands.COMMANDS]),
    ],
)
def test_bad_input(bad: Path, capsys: Capture, arguments: str, said: list[str]) -> None:
    try:
        code: object = main(arguments.split())
    except SystemExit as leaving:
        code = leaving.code
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    lines = printed.err.splitlines(keepends=True)
    errors = [line for line in lines if ": warning: " not in line and ": note: " not in line]
    assert len(errors) == 1
    for part in said:
        assert part in errors[0]
    assert not (bad / "a.png").exists()


def test_filters_that_leave_nothing_are_named(write: Write, rows: Rows, capsys: Capture) -> None:
    cyclic = "allgather,{},regular,none,cyclic"
    path = write("a.csv", rows("ring", [1], ranks=4), rows("ring", [1], ranks=8, place=cyclic))
    assert main(["table", str(path), "--mapping", "cyclic", "--ranks", "4"]) == 2
    assert "no ok rows left after --mapping cyclic --ranks 4\n" in capsys.readouterr().err


def test_an_interrupt_is_one_line(
    example: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("agreport.cli.inputs.read_files", interrupted)
    assert main(["table", str(example)]) == 130
    assert capsys.readouterr() == ("", "agreport: interrupted\n")


def test_importing_agreport_changes_no_setting_of_matplotlib() -> None:
    code = (
        "import matplotlib as mpl; before = dict(mpl.rcParams); import agreport.main; "
        "assert dict(mpl.rcParams) == before"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_drawing_changes_no_setting_of_matplotlib(example: Path, tmp_path: Path) -> None:
    with mpl.rc_context({"font.size": 21.0}):
        assert main(["heatmap", str(example), "-o", str(tmp_path / "a.png")]) == 0
        assert mpl.rcParams["font.size"] == 21.0
