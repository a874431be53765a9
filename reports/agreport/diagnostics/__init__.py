# SPDX-License-Identifier: BSD-3-Clause
"""Reasons to doubt the numbers, which every report may have to tell."""
