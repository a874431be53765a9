# SPDX-License-Identifier: BSD-3-Clause
"""Draws what allgather_schedule knows without a run: steps, costs and block sizes."""
