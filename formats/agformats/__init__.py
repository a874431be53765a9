# SPDX-License-Identifier: BSD-3-Clause
"""What the programs agree on: the catalogue, result files, and how a bad input is reported."""
