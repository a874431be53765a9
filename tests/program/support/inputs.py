# SPDX-License-Identifier: BSD-3-Clause
"""Says what the suite's distributions and arrival patterns are."""

DISTRIBUTIONS = ["regular", "broadcast", "spike", "half_full", "linear", "geometric"]
# --list begins their lines so.
ARRIVALS = ["none", "delayed:", "alternating:even", "uniform:max", "normal:mean", "gamma:shape",
            "exponential:mean", "bernoulli:probability", "trace:PATH"]  # fmt: skip
# Patterns that are the same in each iteration.
STEADY = ["none", "delayed", "alternating"]
