# SPDX-License-Identifier: BSD-3-Clause
"""Ranks and sizes by numbers, ranges and kinds; launches by their facts."""

from io import StringIO

import pandas as pd
import pytest

from agformats.errors import BadInput
from agreport.cli.number_filter import chosen
from agreport.main import main

from ..support.commands import Rows, Write

pytestmark = pytest.mark.slow

FOUND = [1, 2, 3, 5, 8, 16, 21, 1024, 65536]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["8"], [8]),
        (["64K,1K"], [1024, 65536]),
        (["64kB,1KiB,8B"], [8, 1024, 65536]),
        (["21B:1KB"], [21, 1024]),
        (["16:"], [16, 21, 1024, 65536]),
        ([":3"], [1, 2, 3]),
        (["3:1K"], [3, 5, 8, 16, 21, 1024]),
        (["1:21:4"], [1, 5, 21]),
        (["odd"], [1, 3, 5, 21]),
        (["even"], [2, 8, 16, 1024, 65536]),
        (["power-of-two"], [1, 2, 8, 16, 1024, 65536]),
        (["odd", "2"], [1, 2, 3, 5, 21]),
    ],
)
def test_chosen(texts: list[str], expected: list[int]) -> None:
    assert chosen("--ranks", texts, FOUND) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4", "--ranks: '4' is not in these files; legal: 1, 2, 3, 5, 8, 16, 21, 1024, 65536"),
        ("100:200", "--ranks: '100:200' is not in these files"),
        ("1T", "--ranks: '1T' is not in these files"),
        ("1KX", "--ranks: '1KX' is none of numbers"),
        ("x", "--ranks: 'x' is none of numbers, ranges (128:, 1K:256K, 8:256:8), odd,"),
        (":", "--ranks: ':' is none of numbers"),
        ("1:8:0", "--ranks: '1:8:0' is not in these files"),
        ("-1", "--ranks: '-1' is none of numbers"),
        ("8,", "--ranks: '' is none of numbers"),
    ],
)
def test_refused(text: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        chosen("--ranks", [text], FOUND)
    assert str(error.value).startswith(said)


def test_a_region(write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]) -> None:
    """Loch 2021, chapter 6, argues by region: p > 128 and 1K to 256K."""
    cases = [
        [*rows("ring", [2], ranks=ranks, size=size), *rows("sparbit", [1], ranks=ranks, size=size)]
        for ranks in (5, 8, 133)
        for size in (1, 1024, 262144, 1048576)
    ]
    path = str(write("a.csv", *cases))
    for filters, count in (
        (["--ranks", "129:", "--bytes", "1K:256K"], 2),
        (["--ranks", "odd"], 8),
        (["--ranks", "power-of-two", "--bytes", ":1K"], 2),
    ):
        assert main(["table", path, *filters, "--format", "csv"]) == 0
        found = pd.read_csv(StringIO(capsys.readouterr().out))
        assert set(found["cases"]) == {count}


def test_facts(write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]) -> None:
    both = [*rows("ring", [2]), *rows("sparbit", [1])]
    files = [str(write("a.csv", both)), str(write("b.csv", both, oversubscribed="yes"))]
    assert main(["table", *files, "--where", "oversubscribed=no", "--format", "csv"]) == 0
    found = capsys.readouterr()
    assert "kept apart" not in found.err and found.out.startswith("collective,")
    assert main(["table", *files, "--where", "oversubscribed"]) == 2
    assert "--where: 'oversubscribed' is not KEY=VALUE" in capsys.readouterr().err
    assert main(["table", *files, "--where", "oversubscribd=yes"]) == 2
    assert "nearest: oversubscribed" in capsys.readouterr().err
    assert main(["table", *files, "--where", "oversubscribed=maybe"]) == 2
    assert "--where oversubscribed: 'maybe'" in capsys.readouterr().err
