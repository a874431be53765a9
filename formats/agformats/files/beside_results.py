# SPDX-License-Identifier: BSD-3-Clause
"""The names of files that --record writes beside results: `x.ranks.csv` is beside `x.csv`."""

from agformats.files.gzip_text import endings

PER_RANK_SUFFIX, STEPS_SUFFIX, COUNTERS_SUFFIX = SUFFIXES = (
    ".ranks.csv",
    ".steps.csv",
    ".counters.csv",
)
BESIDE_RESULTS = tuple(ending for suffix in SUFFIXES for ending in endings(suffix))
