# SPDX-License-Identifier: BSD-3-Clause
"""Holds what the command lines of agreport and agsweep share."""
