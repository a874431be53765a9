# SPDX-License-Identifier: BSD-3-Clause
"""The columns that cases are chosen by: each is an option of the reports."""

from agformats.files.result_file import PANEL

FILTERS = (*PANEL, "pattern", "ranks", "bytes")
