# SPDX-License-Identifier: BSD-3-Clause
"""How long the algorithms take, and how much that varies."""
