# SPDX-License-Identifier: BSD-3-Clause
"""The size of the whole gathered vector as a column of the rows.

It is the one that the launch was asked for, where its note says so: then cases of different numbers
of ranks have the same total, although their blocks are rounded to whole bytes. Else it is the size
of a block times the ranks, as it is.
"""

import pandas as pd

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.total_sizes import ASKED, block_of
from agreport.data.load import Launch, Results
from agreport.data.settings import NOTE

TOTAL = "total_bytes"
KEYS = ["ranks", "bytes"]
MOST_DIGITS = 18  # a total of so many digits fits 64 bits
# The bandwidth factor, in the catalogue, of collectives with a block for each rank, all of which a
# rank receives but its own.
ALL_BUT_OWN = "(p-1)/p"


def with_totals(results: Results) -> Results:
    """Returns the results with the column TOTAL. Raises BadInput for collectives without a block
    for each rank, and for blocks of different sizes."""
    if others := sorted({*results.rows["collective"].astype(str)} - {*with_blocks()}):
        raise BadInput(
            f"total sizes: {others[0]} has one vector, and no block for each rank; legal: "
            f"--collective {','.join(with_blocks())}"
        )
    require_ranks_times_block(results)
    asked = [asked_totals(launch) for launch in results.launches]
    found: dict[tuple[int, int], set[int]] = {}
    launches = results.rows[["launch", *KEYS]].drop_duplicates()
    for launch, ranks, size in launches.to_numpy(int).tolist():
        totals = found.setdefault((ranks, size), set())
        totals.update(total for total in asked[launch] if block_of(total, ranks) == size)
    for (ranks, size), totals in found.items():
        if len(totals) > 1:
            raise BadInput(
                f"blocks of {size} bytes on {ranks} ranks are of the totals "
                f"{' and '.join(map(str, sorted(totals)))} in these launches; legal: launches that "
                "were asked for one of them"
            )
    known = {key: max(totals, default=key[0] * key[1]) for key, totals in found.items()}
    return results.keep(results.rows.join(pd.Series(known, name=TOTAL), on=KEYS))


def with_blocks() -> list[str]:
    """Returns the names of the collectives with a block for each rank, whose size is that of a
    block; in the others it is that of the whole vector."""
    known = catalogue().collectives
    return [each.name for each in known if each.bandwidth_factor == ALL_BUT_OWN]


def require_ranks_times_block(results: Results, what: str = "total sizes") -> None:
    """Refuses, for `what`, distributions whose total is not the ranks times the block."""
    legal = [each.name for each in catalogue().distributions if each.total == "pc"]
    found = {str(name) for name in results.rows["distribution"].unique()}
    if others := sorted(found - {*legal}):
        raise BadInput(
            f"{what}: blocks of distribution '{others[0]}' differ in size; "
            f"legal: --distribution {','.join(legal)}"
        )


def asked_totals(launch: Launch) -> list[int]:
    text = launch.metadata.get(NOTE + ASKED, "")
    parts = [part.strip() for part in text.split(",") if part]
    if not all(part.isdecimal() and len(part) <= MOST_DIGITS for part in parts):
        raise BadInput(f"{launch.path}: note {ASKED}: '{text}'; legal: numbers of bytes")
    return [int(part) for part in parts]


def join_totals(frame: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Returns the frame with the column total_bytes of the rows, joined by ranks and block size. If
    the rows have no such column, returns the frame as it is."""
    if TOTAL not in results.rows:
        return frame
    totals = results.rows[[*KEYS, TOTAL]].drop_duplicates().set_index(KEYS)[TOTAL]
    return frame.join(totals, on=KEYS)
