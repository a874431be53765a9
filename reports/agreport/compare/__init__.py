# SPDX-License-Identifier: BSD-3-Clause
"""Did it become slower? Two sides of launches, case by case; exit code 1 if so.

Two MPI builds, two versions, two machines. What is tested is the pair of launches or the launch,
never the iteration. docs/compare.md tells how, and how often that is right.
"""

from .command import add_options, run

__all__ = ["add_options", "run"]
