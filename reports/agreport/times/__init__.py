# SPDX-License-Identifier: BSD-3-Clause
"""Shows how long the algorithms take, and how much that varies."""
