# SPDX-License-Identifier: BSD-3-Clause
"""One command for all views: which report it means, and which options it refuses."""

from pathlib import Path

import pytest

from agreport import commands
from agreport.cli.report import Report
from agreport.main import main
from agreport.winners.command import REPORTS

from ..support.commands import Capture, refused


def test_the_other_names_are_those_of_the_views() -> None:
    assert [report.name for report in REPORTS] == [*commands.ALIASES]


@pytest.mark.slow
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: str(report.name))
def test_a_view_is_what_its_other_name_gives(
    report: Report, example: Path, tmp_path: Path, capsys: Capture
) -> None:
    """What is printed, and the bytes of the figure and of its numbers."""
    # Without an algorithm the map is the other one.
    chosen = ["--algorithm", "sparbit"] if report.compares else []
    figure, numbers = tmp_path / "figure.svg", tmp_path / "numbers.csv"
    outputs = ["-o", str(figure), "--csv", str(numbers)] if report.draw else []
    found = []
    for command in ([report.name], ["winners", "--as", report.view]):
        assert main([*command, str(example), *chosen, *outputs]) == 0
        files = [path.read_bytes() for path in (figure, numbers) if report.draw]
        found.append((capsys.readouterr().out, files))
    assert found[0] == found[1]
    assert found[0] != ("", [])


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: str(report.name))
def test_a_view_by_the_name_of_its_command(
    report: Report, example: Path, tmp_path: Path, capsys: Capture
) -> None:
    """It means that report, also where another one of the view would be taken."""
    numbers = tmp_path / "numbers.csv"
    outputs = ["-o", str(tmp_path / "a.svg"), "--csv", str(numbers)] if report.draw else []
    found = []
    for command in ([report.name], ["winners", "--as", report.name]):
        assert main([*command, str(example), *outputs]) == 0
        found.append((capsys.readouterr().out, numbers.read_bytes() if report.draw else b""))
    assert found[0] == found[1]


def test_the_map_is_of_all_or_of_one(example: Path, tmp_path: Path, capsys: Capture) -> None:
    numbers = tmp_path / "numbers.csv"
    columns = []
    for chosen in ([], ["--algorithm", "ring"], ["--versus", "bruck"]):
        figure = ["-o", str(tmp_path / "a.svg"), "--csv", str(numbers)]
        assert main(["winners", str(example), *chosen, *figure]) == 0
        columns.append("rival_us" in numbers.read_text().splitlines()[0])
    assert columns == [False, True, True]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--as table --near-ties corner", "--near-ties: not of --as table; legal: with --as map"),
        (
            "--as sets --csv a.csv",
            "--csv: not of --as sets; legal: with --as map or loss or box or",
        ),
        ("--as loss --algorithms ring", "--algorithms: not of --as loss; legal: with --as map"),
        ("--algorithm ring --algorithms ring", "--algorithm: does not go with --algorithms; legal"),
        ("--algorithms ring --versus ring", "--versus: does not go with --algorithms; legal"),
        (
            "--as heatmap --algorithms ring",
            "--algorithms: not of --as heatmap; legal: with --as map",
        ),
        ("--as bx", "argument --as: 'bx' is not legal (did you mean 'box'?); legal: map, loss"),
        ("--as venn", "the following arguments are required: -o/--output"),
        ("--as venn -o a.jpg", "argument -o/--output: 'a.jpg' must end in one of .png, .svg"),
        ("--as table --metrics avg", "unrecognized arguments: --metrics avg"),
    ],
)
def test_what_a_view_does_not_know(
    example: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch,
    words: str, said: str,
) -> None:  # fmt: skip
    """Also where it is the default that is given."""
    monkeypatch.chdir(tmp_path)
    before = {*tmp_path.iterdir()}
    assert said in refused(capsys, "winners", example, *words.split())
    assert {*tmp_path.iterdir()} == before


def test_the_help_has_each_view_and_option(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as leaving:
        main(["winners", "--help"])
    assert leaving.value.code == 0
    printed = " ".join(capsys.readouterr().out.split())
    for report in REPORTS:
        assert f"--as {report.view} {str(report.text).splitlines()[0]} ({report.name})" in printed
    assert "(default: corner); of --as map" in printed
    assert "of the table (default: text); of --as table, sets" in printed
