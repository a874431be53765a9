# SPDX-License-Identifier: BSD-3-Clause
"""Algorithms of each collective in the benchmarks: do the right bytes arrive?"""
