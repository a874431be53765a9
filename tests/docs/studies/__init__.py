# SPDX-License-Identifier: BSD-3-Clause
"""Programs and sweeps behind the numbers of the documents."""
