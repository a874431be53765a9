# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether MPI libraries and `libagstar.so` go by what `agreport tune` writes."""
