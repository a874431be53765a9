# SPDX-License-Identifier: BSD-3-Clause
"""Bar plots of block sizes."""

from pathlib import Path

import pandas as pd
import pytest
from matplotlib.patches import Rectangle

from agformats.units import in_units, three_digits
from agreport.main import main
from agreport.schedules import distributions

from ..support.commands import Capture
from ..support.sheets import check_files, texts


def sizes(name: str, *values: int) -> pd.DataFrame:
    return pd.DataFrame({"distribution": name, "rank": range(len(values)), "bytes": values})


def test_bars_titles_and_units() -> None:
    both = pd.concat([sizes("spike", 16384, 1024, 0), sizes("tiny", 3, 2, 1)])
    sheet = distributions.draw(both, "1024")
    found = texts(sheet)
    assert {
        "Block sizes of 3 ranks for a base size of 1 KiB",
        "spike 17 KiB in total",
        "tiny 6 B in total",
        "rank",
        "block size (KiB)",
        "block size (B)",
    } <= set(found)
    heights = [
        [bar.get_height() for bar in axes.patches if isinstance(bar, Rectangle)]
        for axes in sheet.figure.axes
    ]
    assert heights == [[16, 1, 0], [3, 2, 1]]


def test_many_ranks_and_nothing_at_all() -> None:
    found = texts(distributions.draw(sizes("flat", *[1] * 3000), "1K"))
    assert {"flat 2.9 KiB in total"} <= set(found)
    assert "Block sizes of 3000 ranks for a base size of 1K" in found
    assert "empty 0 B in total" in texts(distributions.draw(sizes("empty", 0), "0"))


def test_a_long_name_keeps_its_end() -> None:
    found = texts(distributions.draw(sizes(f"file:{'long/' * 30}sizes.txt", 1), "1"))
    assert any(
        text.startswith("\N{HORIZONTAL ELLIPSIS}") and "/sizes.txt" in text for text in found
    )


def test_numbers_for_people() -> None:
    assert [in_units(n) for n in (0, 1023, 1024, 1536, 10**6, 2**40)] == [
        "0 B",
        "1023 B",
        "1 KiB",
        "1.5 KiB",
        "976.6 KiB",
        "1 TiB",
    ]
    assert [three_digits(n) for n in (0, 120, 1234567, 1e12)] == ["0", "120", "1.23e6", "1e12"]


@pytest.mark.slow
def test_files_of_each_kind(fake: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    check_files(tmp_path, "distributions --ranks 4 --bytes 1024 --csv", numbers)
    frame = pd.read_csv(numbers)
    assert frame["distribution"].unique().tolist() == ["flat", "falling"]
    assert frame["bytes"].tolist() == [1024] * 4 + [9216, 6144, 3072, 0]


def test_the_choice_is_handed_on(fake: Path, tmp_path: Path) -> None:
    given = "distributions --ranks 4 --bytes 8 --distributions falling"
    assert main([*given.split(), "-o", str(tmp_path / "a.png")]) == 0
    assert (fake.parent / "calls.txt").read_text() == f"{given}\n"


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("", "allgather_schedule: the file is empty"),
        ("a,b", "not a table of block sizes by allgather_schedule; missing columns: distribution"),
        ("distribution,rank,bytes", "no block sizes"),
        ("distribution,rank,bytes\\nflat,0,-1", "a negative block size"),
        ("distribution,rank,bytes\\nflat,0,x", "no row of a table of block sizes"),
    ],
)
def test_a_program_that_prints_something_else(
    tmp_path: Path, capsys: Capture, printed: str, said: str
) -> None:
    other = tmp_path / "other"
    other.write_text(f"#!/bin/sh\nprintf '{printed}'\n")
    other.chmod(0o755)
    command = f"distributions --ranks 4 --bytes 8 --program {other} -o {tmp_path}/a.png"
    assert main(command.split()) == 2
    assert said in capsys.readouterr().err
