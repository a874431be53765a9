# SPDX-License-Identifier: BSD-3-Clause
"""Result files with arrival patterns, whose right answers are known."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shared.checksums import checksummed

from ..conftest import METADATA

Series = Sequence[float] | npt.NDArray[np.float64]
KEYS = "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration"
COLUMNS = (
    f"{KEYS},min_us,avg_us,max_us,run_us,imbalance_us,asked_imbalance_us,delay_error_us,"
    "message_us,clock_error_us,prediction_error_us,helper_us,prepare_us,status,reason"
)
RANK_COLUMNS = f"{KEYS},rank,elapsed_us,asked_us,achieved_us"


def keys(
    algorithm: str, arrival: str, iteration: int, ranks: int = 4, nodes: int = 1, size: int = 1024
) -> str:
    return (
        f'allgather,{algorithm},regular,"{arrival}",sequential,{ranks},{nodes},{size},'
        f"{size * ranks},{iteration}"
    )


def case(
    arrival: str,
    times: Mapping[str, Series],
    *,
    imbalance: float = 0.0,
    asked: float | None = None,
    error: float = 1.0,
    message: float = 10.0,
    clock: float = 0.0,
    late: Mapping[str, Sequence[int]] | None = None,
    ranks: int = 4,
    nodes: int = 1,
    size: int = 1024,
) -> list[str]:
    """The rows of one case. times: avg of every iteration, and at the same time its run time.

    Iteration i of bdr is predicted i us wrong, and takes 20 us of its helper thread.
    """
    rows = []
    for name, series in times.items():
        for i, t in enumerate(series):
            wanted = imbalance if asked is None else asked
            shown = ",," if arrival == "none" else f",{wanted},{error}"
            status = "late,window" if i in (late or {}).get(name, ()) else "ok,"
            rows.append(
                f"{keys(name, arrival, i, ranks, nodes, size)},{t},{t},{t},{t},{imbalance}{shown},"
                f"{message},{clock},{f'{i},20' if name == 'bdr' else ','},9.5,{status}"
            )
    return rows


def delay_rows(
    arrival: str, delays: Sequence[tuple[float, float]], iteration: int = 0
) -> list[str]:
    """Asked and achieved delay of every rank in one iteration."""
    return [
        f"{keys('ring', arrival, iteration, len(delays))},{rank},5.0,{asked},{achieved}"
        for rank, (asked, achieved) in enumerate(delays)
    ]


def write(path: Path, *cases: Sequence[str], columns: str = COLUMNS, **metadata: str) -> Path:
    text = [f"#@{key}={value}" for key, value in {**METADATA, **metadata}.items()]
    text.append(columns)
    for number, rows in enumerate(cases):
        text += [*rows, f"#@case_end={number}"]
    path.write_text(checksummed("\n".join(text) + "\n"))
    return path
