# SPDX-License-Identifier: BSD-3-Clause
"""Holds what the programs agree on: the catalogue, result files, reports of bad input."""
