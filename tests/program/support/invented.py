# SPDX-License-Identifier: BSD-3-Clause
"""Result files of a launch with other times than it took: what is chosen of them is known."""

import csv
from collections.abc import Callable, Mapping
from pathlib import Path

from shared.checksums import checksummed

TIMES = ("min_us", "avg_us", "max_us", "cycle_us")  # only the last call of a turn has a cycle


def invent(path: Path, us: Callable[[Mapping[str, str]], float]) -> None:
    """The same file; us: what a row that has a time took, by its cells."""
    lines = path.read_text().splitlines()
    header = next(line for line in lines if not line.startswith("#")).split(",")
    places = [header.index(name) for name in TIMES]
    for number, line in enumerate(lines):
        if line.startswith("#") or line.split(",") == header:
            continue
        (cells,) = csv.reader([line])
        if not cells[places[0]]:
            continue
        time = f"{us(dict(zip(header, cells, strict=True))):g}"
        for place in places:
            cells[place] = time if cells[place] else ""
        lines[number] = ",".join(f'"{cell}"' if "," in cell else cell for cell in cells)
    path.write_text(checksummed("\n".join(lines) + "\n"))
