# SPDX-License-Identifier: BSD-3-Clause
"""Holds what commands share: options, tables as output, and running allgather_schedule."""
