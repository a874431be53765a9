# SPDX-License-Identifier: BSD-3-Clause
"""Sides of launches whose times are known, to compare."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from shared.checksums import checksummed

from ..conftest import HEADER, METADATA, lines

Times = Mapping[tuple[str, int], Sequence[float]]  # of algorithm and block size, by iteration


def launch(path: Path, times: Times, **metadata: str) -> Path:
    """A result file; a key of the metadata may have a dot for which two underscores stand."""
    told = {key.replace("__", "."): value for key, value in metadata.items()}
    text = [f"#@{key}={value}" for key, value in {**METADATA, **told}.items()]
    text.append(HEADER)
    for number, ((algorithm, size), series) in enumerate(times.items()):
        text += [*lines(algorithm, series, size=size), f"#@case_end={number}"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(checksummed("\n".join(text) + "\n"))
    return path


def side(
    folder: Path, logs: "np.typing.NDArray[np.float64]", key: str = "", **metadata: str
) -> list[str]:
    """A launch a row of log times, of cases with growing block sizes; in 3 iterations.

    key: what pairs the launches, by their numbers.
    """
    for number, row in enumerate(logs):
        paired = {key: f"p{number:02}"} if key else {}
        times = {
            ("ring", 2**case): [1000 * np.exp(log) * factor for factor in (0.5, 1, 2)]
            for case, log in enumerate(row)
        }
        launch(folder / f"{number:02}.csv", times, **paired, **metadata)
    return [str(folder)]
