# SPDX-License-Identifier: BSD-3-Clause
"""The build under test."""

from program.conftest import build, planted_fault

__all__ = ["build", "planted_fault"]
