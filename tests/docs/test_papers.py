# SPDX-License-Identifier: BSD-3-Clause
"""The page of the five papers has each of their tables and figures, and its commands are right.

That its fenced blocks run and its links lead somewhere is tested with the other documents'
(test_blocks.py).
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from agreport import main as agreport
from agsweep import main as agsweep
from program.support.folders import ROOT
from program.support.launch import Build

PAGE = ROOT / "docs" / "reference" / "papers.md"
# A paper has so many numbers, as they have been counted in its text.
NUMBERED = {
    "Loch 2021": {"figure": [("", 33)], "table": [("", 8)]},
    "Faraj 2006": {"figure": [("3.", 37), ("4.", 27)], "table": [("3.", 8), ("4.", 19)]},
    "Marendic et al. 2016": {"figure": [("", 13)], "table": [("", 8)]},
    "Proficz 2021": {"figure": [("", 10)], "table": [("", 4)]},
    "Pappalardo et al.": {"figure": [("", 4)], "table": []},
}
SAID_OF_ALL = "jobs/sweeps/NAME.toml"
OF_A_READER = {"DATA", "FILE", "FOLDER", "FOLDER1", "FOLDER2"}  # and files that others write
WRITTEN_BEFORE = {"absorbed.csv", "reduced.csv", "computed.csv", "own.csv"}


@dataclass(frozen=True)
class Row:
    paper: str
    numbers: str
    made_by: str
    beside: str

    @property
    def commands(self) -> list[list[str]]:
        return [shlex.split(code) for code in re.findall(r"`([^`]+)`", self.made_by) if " " in code]


def rows() -> Iterator[Row]:
    for section in re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        table = re.search(r"^\| number \|.*\n\|[-|]+\n((?:\|.*\n)+)", section, re.MULTILINE)
        assert table, section.partition("\n")[0]
        for line in table[1].splitlines():
            numbers, _, made_by, beside = (cell.strip() for cell in line[1:-1].split("|"))
            yield Row(section.partition("\n")[0], numbers, made_by, beside)


ROWS = list(rows())
COMMANDS = [words for row in ROWS for words in row.commands]


def listed(numbers: str) -> Iterator[tuple[str, str]]:
    """figures 3.1, 3.2; table 3.1 -> what each is, and its number."""
    for part in numbers.split("; "):
        kind, _, each = part.partition(" ")
        for number in each.split(", "):
            yield kind.removesuffix("s"), number


@pytest.mark.parametrize("paper", NUMBERED)
def test_each_table_and_figure_has_a_row(paper: str) -> None:
    found = [one for row in ROWS if row.paper == paper for one in listed(row.numbers)]
    wanted = [
        (kind, f"{chapter}{number}")
        for kind, chapters in NUMBERED[paper].items()
        for chapter, count in chapters
        for number in range(1, count + 1)
    ]
    assert sorted(found) == sorted(wanted)


def test_each_row_says_how_it_is_made_or_why_not() -> None:
    known = ("not made", "the same", "see ", "[", "`", "columns ", "three ")
    assert [row.numbers for row in ROWS if not row.made_by.startswith(known)] == []
    assert [row.numbers for row in ROWS if not row.beside and "not made" not in row.made_by
            and not row.made_by.startswith("see ")] == []  # fmt: skip


def of(program: str) -> list[list[str]]:
    found = [words for words in COMMANDS if words[0].endswith(program)]
    assert found, program
    return found


def test_every_command_is_of_a_known_program() -> None:
    known = ("agreport", "agsweep", "allgather_schedule", "_bench")
    assert len(COMMANDS) > 40  # they were found
    assert [words for words in COMMANDS if not words[0].endswith(known)] == []


@pytest.mark.parametrize("words", of("agreport"), ids=" ".join)
def test_commands_of_agreport_parse(words: list[str]) -> None:
    agreport.parser(words[1:2]).parse_args(words[1:])


@pytest.mark.parametrize("words", of("agsweep"), ids=" ".join)
def test_commands_of_agsweep_parse(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    agsweep.parser().parse_args(words[1:])


def test_each_sweep_is_there() -> None:
    named = set(re.findall(r"jobs/[\w/-]+\.toml", PAGE.read_text(encoding="utf-8")))
    assert len(named) > 10  # they were found
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == [SAID_OF_ALL]


@pytest.mark.parametrize("words", of("allgather_schedule"), ids=" ".join)
def test_schedules_are_computed(build: Build, words: list[str]) -> None:
    done = build.schedule(*words[1:], cwd=ROOT)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("\n") > 5


@pytest.mark.parametrize("words", of("_bench"), ids=" ".join)
def test_benchmarks_take_their_options(build: Build, words: list[str], tmp_path: Path) -> None:
    more = [] if "--list" in words else ["--dry-run"]
    done = build.run(words[0], *words[1:], *more, ranks=4, cwd=tmp_path)
    assert done.exit_code == 0, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [words for words in of("agreport") if not {*words} & {*OF_A_READER, *WRITTEN_BEFORE}],
    ids=" ".join,
)
def test_figures_without_results_are_drawn(
    build: Build, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    takes_program = words[1] != "distributions"
    program = ["--program", str(build.program("allgather_schedule"))] if takes_program else []
    assert agreport.main([*words[1:], *program]) == 0
    assert [path.name for path in tmp_path.iterdir()] == [words[words.index("-o") + 1]]
