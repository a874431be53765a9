# SPDX-License-Identifier: BSD-3-Clause
"""Holds what figures share: the sheet, axes, cells, and the words of titles and captions."""
