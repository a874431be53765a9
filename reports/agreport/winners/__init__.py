# SPDX-License-Identifier: BSD-3-Clause
"""Shows which algorithm wins each case, and by how much."""
