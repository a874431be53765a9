# SPDX-License-Identifier: BSD-3-Clause
"""Tests what docs/studies/star_stages.py refuses."""

import sys

import pytest

import star_stages


def test_no_file(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["star_stages.py"])
    with pytest.raises(SystemExit) as ended:
        star_stages.main()
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert "a file is missing; legal: " in said.err
