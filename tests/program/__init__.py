# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the built programs, started as a user starts them."""
