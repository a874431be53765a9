# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a sweep file says, and the launches that follow from it."""
