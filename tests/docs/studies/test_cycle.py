# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/cycle.py refuses, and how it judges made-up times."""

import sys
from pathlib import Path

import pandas as pd
import pytest

import cycle


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--sizes", "1K"), "--sizes: '1K' is not legal"),
        (("--ranks", "2,0"), "--ranks: '0' is not legal"),
        (("--algorithms", "ring"), "--algorithms: lack native"),
    ],
)
def test_bad_options(
    words: tuple[str, str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["cycle.py", str(tmp_path), *words])
    with pytest.raises(SystemExit) as leaving:
        cycle.main()
    assert leaving.value.code == 2
    assert said in capsys.readouterr().err


def test_no_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["cycle.py", str(tmp_path)])
    with pytest.raises(SystemExit) as leaving:
        cycle.main()
    assert "is no build folder" in str(leaving.value.code)


@pytest.mark.parametrize(("ring_us", "code"), [(10.4, 0), (10.6, 1)])
def test_what_is_off(ring_us: float, code: int) -> None:
    """A ratio may be off by 5 %; native takes as long by the cycle as by the program."""
    times = {"native": (10.0, 10.0), "ring": (ring_us, 10.0)}
    rows = [
        {"round": number, "ranks": 2, "bytes": 8, "algorithm": name, "of": of, "us": us}
        for number in range(3)
        for name, both in times.items()
        for of, us in zip(("cycle", "program", "call"), (*both, 5.0), strict=True)
    ]
    assert cycle.report(pd.DataFrame(rows)) == code
