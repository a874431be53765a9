# SPDX-License-Identifier: BSD-3-Clause
"""Platforms for SimGrid: short descriptions in TOML become its XML, and Slurm's topology.conf."""
