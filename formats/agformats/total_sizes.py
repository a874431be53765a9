# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of the gathered vector: the block that each rank has of it, and how launches tell them.

A block is the nearest number of bytes to 1/ranks of the total, so the blocks' sum may miss it. The
total that was asked for is in the launch's note.
"""

# The key of the note, and of the sweep files that ask for totals.
ASKED = "sizes_times_ranks"


def block_of(total: int, ranks: int) -> int:
    return (total + ranks // 2) // ranks
