# SPDX-License-Identifier: BSD-3-Clause
"""Types of the fixtures that tests of reports take."""

from collections.abc import Callable
from pathlib import Path

import pytest

Capture = pytest.CaptureFixture[str]
Rows = Callable[..., list[str]]  # of conftest.lines
Write = Callable[..., Path]  # of conftest.writer
