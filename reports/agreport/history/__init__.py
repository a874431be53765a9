# SPDX-License-Identifier: BSD-3-Clause
"""The history of a build: since when what is slower, and what changed with it."""
