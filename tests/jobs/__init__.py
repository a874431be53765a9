# SPDX-License-Identifier: BSD-3-Clause
"""Sweeps: their files, launchers, runs here and under Slurm."""
