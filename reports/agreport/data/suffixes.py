# SPDX-License-Identifier: BSD-3-Clause
"""The ends of the names of the files that --record writes beside the results."""

PER_RANK_SUFFIX, STEPS_SUFFIX, COUNTERS_SUFFIX = SUFFIXES = (
    ".ranks.csv",
    ".steps.csv",
    ".counters.csv",
)
