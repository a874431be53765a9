# SPDX-License-Identifier: BSD-3-Clause
"""Heat maps, boxplots, tables and pages from gatherbench result files."""
