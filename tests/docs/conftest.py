# SPDX-License-Identifier: BSD-3-Clause
"""The build under test, as a reader of the documents has it."""

from program.conftest import build

__all__ = ["build"]
