# SPDX-License-Identifier: BSD-3-Clause
"""The words of files for the ordinary case."""

EQUAL_BLOCKS = "regular"  # the distribution
COMPUTATION = "computation"  # of --overlap, beside a call
SLOWEST = "slowest"  # of the groups of a launch, in each iteration
AS_LAUNCHED = "as launched"  # the mappings of a launch
