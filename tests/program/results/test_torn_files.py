# SPDX-License-Identifier: BSD-3-Clause
"""--resume on files with what a crash of the machine may leave: halves of rows, lines and pairs."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import CASE_END, RANK_COLUMNS, case_of, read_results

pytestmark = pytest.mark.slow

BENCH = "allgatherv_bench"
ARGUMENTS = ("--sizes", "1,2,4,8", "--algorithms", "ring,sparbit", "--distributions",
             "regular,spike", "-i", "3", "-x", "0", "--output", "out.csv", "--record",
             "ranks")  # fmt: skip
CASES = 8

Pair = tuple[str, str]


@pytest.fixture(scope="module")
def whole(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    folder = tmp_path_factory.mktemp("whole")
    assert build.run(BENCH, *ARGUMENTS, cwd=folder).exit_code == 0
    return (folder / "out.csv").read_text(), (folder / "out.ranks.csv").read_text()


def up_to_case(text: str, number: int) -> str:
    """The first `number` cases with their end marks, and all before them."""
    lines = text.splitlines(keepends=True)
    ends = [index + 1 for index, line in enumerate(lines) if line.startswith(CASE_END)]
    starts = [index + 1 for index, line in enumerate(lines) if line.startswith("collective,")]
    return "".join(lines[: (starts + ends)[number]])


def rest_of(text: str, number: int) -> str:
    return text[len(up_to_case(text, number)) :]


def resume(build: Build, folder: Path, first: str, second: str) -> str:
    (folder / "out.csv").write_text(first)
    (folder / "out.ranks.csv").write_text(second)
    ended = build.run(BENCH, *ARGUMENTS, "--resume", cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


def check_complete(folder: Path, whole: Pair, kept: int) -> None:
    expected = read_results_text(folder / "whole.csv", whole[0])
    first = read_results(folder / "out.csv")
    second = read_results(folder / "out.ranks.csv", RANK_COLUMNS)
    assert first.cases == second.cases == expected
    assert first.resumed == 1
    assert (folder / "out.csv").read_text().startswith(up_to_case(whole[0], kept))
    assert (folder / "out.ranks.csv").read_text().startswith(up_to_case(whole[1], kept))
    assert len(first.counts()) == 2 * CASES
    assert set(first.counts().values()) == {3}
    assert len(second.rows) == 2 * len(first.rows)
    assert {case_of(row) for row in second.rows} == set(first.cases)


def read_results_text(path: Path, text: str) -> list[str]:
    path.write_text(text)
    return read_results(path).cases


# So much of what follows the last finished case is there.
TAILS: dict[str, Callable[[str], str]] = {
    "nothing": lambda rest: "",
    "half a line": lambda rest: rest[:30],
    "a line without its end": lambda rest: rest.split("\n")[0],
    "rows without an end mark": lambda rest: rest[: rest.index(CASE_END)],
    "an end mark without its end": lambda rest: rest[: rest.index("\n", rest.index(CASE_END))],
    "half an end mark": lambda rest: rest[: rest.index(CASE_END) + 4],
}


@pytest.mark.parametrize(
    ("kept", "tail"), [(0, "nothing"), (0, "half a line"), *((5, tail) for tail in TAILS)]
)
def test_torn_tail(build: Build, tmp_path: Path, whole: Pair, kept: int, tail: str) -> None:
    first, second = (up_to_case(text, kept) + TAILS[tail](rest_of(text, kept)) for text in whole)
    resume(build, tmp_path, first, second)
    check_complete(tmp_path, whole, kept)


def test_pair_with_one_case_more_in_the_second(build: Build, tmp_path: Path, whole: Pair) -> None:
    """A kill between the two appends leaves this: that case is run again."""
    resume(build, tmp_path, up_to_case(whole[0], 3), up_to_case(whole[1], 4))
    check_complete(tmp_path, whole, 3)


def test_pair_that_lacks_a_case(build: Build, tmp_path: Path, whole: Pair) -> None:
    """No crash of ours leaves this: told, and both left alone."""
    texts = up_to_case(whole[0], 4), up_to_case(whole[1], 3)
    (tmp_path / "out.csv").write_text(texts[0])
    (tmp_path / "out.ranks.csv").write_text(texts[1])
    ended = build.run(BENCH, *ARGUMENTS, "--resume", cwd=tmp_path)
    assert ended.exit_code == 2
    (message,) = ended.messages
    assert "'out.ranks.csv' lacks cases that out.csv holds" in message
    assert ((tmp_path / "out.csv").read_text(), (tmp_path / "out.ranks.csv").read_text()) == texts


def test_pair_without_its_second(build: Build, tmp_path: Path, whole: Pair) -> None:
    (tmp_path / "out.csv").write_text(whole[0])
    ended = build.run(BENCH, *ARGUMENTS, "--resume", cwd=tmp_path)
    assert ended.exit_code == 2
    (message,) = ended.messages
    assert "'out.ranks.csv' cannot be read" in message
    assert (tmp_path / "out.csv").read_text() == whole[0]
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv"]


def test_nothing_is_left(build: Build, tmp_path: Path, whole: Pair) -> None:
    stdout = resume(build, tmp_path, *whole)
    assert "nothing is left to run" in stdout and "out.csv" in stdout
    for name, before in zip(("out.csv", "out.ranks.csv"), whole, strict=True):
        after = (tmp_path / name).read_text()
        assert after.startswith(before)
        added = after[len(before) :].splitlines()
        assert all(line.startswith("#@resumed=") for line in added)
        assert len(added) <= 1


def test_resume_twice(build: Build, tmp_path: Path, whole: Pair) -> None:
    """The lines that tell of the first time are in no way of the second."""
    resume(build, tmp_path, *(up_to_case(text, 2) for text in whole))
    texts = [(tmp_path / name).read_text() for name in ("out.csv", "out.ranks.csv")]
    resume(build, tmp_path, *(text[: text.index("spike,none")] for text in texts))
    first = read_results(tmp_path / "out.csv")
    assert len(first.cases) == CASES
    assert first.resumed == 2
    assert read_results(tmp_path / "out.ranks.csv", RANK_COLUMNS).cases == first.cases


def test_resume_begins_a_run(build: Build, tmp_path: Path) -> None:
    """A job script is then the same every time it is submitted."""
    ended = build.run(BENCH, *ARGUMENTS, "--resume", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    assert len(results.cases) == CASES
    assert results.resumed == 0
