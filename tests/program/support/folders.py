# SPDX-License-Identifier: BSD-3-Clause
"""Says where things are."""

from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = Path(__file__).with_name("sources")  # of what a test compiles, to preload or to trace
