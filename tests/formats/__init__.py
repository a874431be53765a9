# SPDX-License-Identifier: BSD-3-Clause
"""Tests what the programs share: how values are spelled and read."""
