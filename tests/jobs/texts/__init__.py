# SPDX-License-Identifier: BSD-3-Clause
"""Tests what launchers say, and names and values that are no text."""
