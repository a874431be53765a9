# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files for every reader: each is refused in one line, or gives the same numbers."""
