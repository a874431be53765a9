# SPDX-License-Identifier: BSD-3-Clause
"""Libraries under MPI programs of others: `libagstar.so`, `libagtrace.so`."""
