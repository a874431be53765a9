# SPDX-License-Identifier: BSD-3-Clause
"""Machines from descriptions, and sweeps on them by SimGrid."""
