# SPDX-License-Identifier: BSD-3-Clause
"""Commands that are refused, and the types of the fixtures that tests of reports take."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agreport.main import main

Capture = pytest.CaptureFixture[str]
Rows = Callable[..., list[str]]  # of conftest.lines
Write = Callable[..., Path]  # of conftest.writer


def refused(capsys: Capture, *arguments: object) -> str:
    """Returns what is said of a command with bad input: one line, exit code 2, and nothing else."""
    try:
        assert main([str(one) for one in arguments]) == 2
    except SystemExit as leaving:
        assert leaving.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    return line
