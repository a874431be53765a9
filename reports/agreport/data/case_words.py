# SPDX-License-Identifier: BSD-3-Clause
"""What files call the ordinary case."""

EQUAL_BLOCKS = "regular"  # the distribution
AS_LAUNCHED = "as launched"  # the mappings of a launch
