# SPDX-License-Identifier: BSD-3-Clause
"""Tests what a benchmark measures, and what goes on beside a call."""
