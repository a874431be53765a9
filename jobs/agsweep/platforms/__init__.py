# SPDX-License-Identifier: BSD-3-Clause
"""Platforms for SimGrid: from a short description in TOML to its XML, and to Slurm's topology.conf."""
