# SPDX-License-Identifier: BSD-3-Clause
"""Logs of other programs."""
