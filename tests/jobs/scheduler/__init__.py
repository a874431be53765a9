# SPDX-License-Identifier: BSD-3-Clause
"""Tests what Slurm is asked for and what it answers, by programs that stand in for it."""
