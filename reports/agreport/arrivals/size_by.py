# SPDX-License-Identifier: BSD-3-Clause
"""Says whether sizes are those of a block or, as in Proficz (2021), of the gathered vector."""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace

from agformats.notes import tell
from agreport.cli import inputs, number_filter
from agreport.data.load import Results
from agreport.data.total_sizes import TOTAL, with_totals
from agreport.reports.arrivals import SIZE_BY

COLUMNS = dict(zip(SIZE_BY, ("bytes", TOTAL), strict=True))


def settle_size_by(options: Namespace, results: Results) -> Results:
    """Adds the column TOTAL to the rows if --size-by total or --total-bytes asks for it; with the
    latter only rows with these totals stay, and a warning names numbers of ranks that have none.
    Raises BadInput if no times are left."""
    if options.size_by == "block" and not options.total_bytes:
        return results
    results = with_totals(results)
    if not options.total_bytes:
        return results
    found = sorted(results.rows[TOTAL].unique().tolist())
    chosen = number_filter.chosen("--total-bytes", options.total_bytes, found)
    given = f"--total-bytes {','.join(options.total_bytes)}"
    rows = results.rows[results.rows[TOTAL].isin(chosen)]
    left_out = [*results.left_out]
    if dropped := sorted({*results.rows["ranks"]} - {*rows["ranks"]}):
        left_out.append(f"{given}: no such case of {', '.join(map(str, dropped))} ranks")
        tell(f"agreport: warning: {left_out[-1]}")
    return inputs.require_times(replace(results, rows=rows, left_out=left_out), [given])


def size_column(options: Namespace) -> str:
    return COLUMNS[options.size_by]


def with_size(keys: Sequence[str], size: str) -> list[str]:
    """Returns the keys with the column `size` in place of bytes, the size of a block."""
    return [size if key == "bytes" else key for key in keys]
