# SPDX-License-Identifier: BSD-3-Clause
"""Which algorithm wins each case, and by how much."""
