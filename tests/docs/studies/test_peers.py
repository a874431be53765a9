# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/peers.py refuses."""

import sys
from pathlib import Path

import pytest

import peers


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--rounds", "0"), "--rounds: '0' is not legal; legal: 1 or more"),
        (("--ranks", "0"), "--ranks: '0' is not legal"),
        (("--iterations", "-1"), "--iterations: '-1' is not legal"),
        (("--sizes", "8,1K"), "--sizes: '1K' is not legal; legal: whole numbers"),
    ],
)
def test_bad_words(
    words: tuple[str, ...], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["peers.py", str(tmp_path), "osu", "osu_allgather", *words])
    with pytest.raises(SystemExit) as ended:
        peers.main()
    assert ended.value.code == 2
    assert named in capsys.readouterr().err


def test_a_size_that_the_other_program_has_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OSU's benchmarks time powers of two times the least size."""
    words = ["osu", "osu_allgather", "--sizes", "8,48", "--rounds", "1"]
    monkeypatch.setattr(sys, "argv", ["peers.py", str(tmp_path), *words])
    theirs = {8: 1.0, 16: 1.0, 32: 1.0}
    found = (lambda *_: theirs, lambda _: {8: 1.0, 48: 1.0})
    monkeypatch.setitem(peers.PEERS, "osu", found)
    with pytest.raises(SystemExit) as ended:
        peers.main()
    assert ended.value.code == (
        "peers: --sizes: '48' is none that osu_allgather timed; legal: 8, 16, 32"
    )
