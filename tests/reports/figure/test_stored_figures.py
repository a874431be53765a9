# SPDX-License-Identifier: BSD-3-Clause
"""Each figure looks as it is stored, but for how letters are drawn.

Stored are thumbnails: of a library's new version a line may be half a pixel elsewhere. If a figure
is meant to change: GATHERBENCH_STORE_FIGURES=1 pytest, with the name of this file, look at
stored/ beside it, commit.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from agreport.main import main

from ..support.commands import Rows, Write

pytestmark = pytest.mark.slow

Pixels = npt.NDArray[np.float64]

STORED = Path(__file__).with_name("stored")
WIDTH = 320
# The limits are out of 255: a cell of another colour is beyond the first, a panel elsewhere beyond
# the second.
MOST_DIFFERENCE, MEAN_DIFFERENCE = 60, 1.0
FIGURES: dict[str, list[str]] = {
    "heatmap": ["--algorithm", "sparbit"],
    "boxplot": ["--algorithm", "sparbit"],
    "venn": ["--algorithm", "sparbit"],
    "loss": [],
    "selection": [],
    "scaling": ["--mapping", "cyclic"],
    "speedup": ["--baseline", "native", "--mapping", "cyclic"],
    "variation": [],
    "series": ["--ranks", "4", "--bytes", "1K", "--mapping", "cyclic"],
}
COMMANDS = [*FIGURES, "heatmap --united"]
NAMES = ("ring", "bruck", "sparbit", "native")
SIZES = (1, 64, 1024, 8192, 65536)


def time_us(name: str, ranks: int, size: int, cyclic: bool) -> float:
    """A latency a step and a time a byte; sparbit's last steps are slower when dealt out."""
    steps = ranks - 1 if name == "ring" else float(np.log2(ranks))
    factor = {"bruck": 1.6, "sparbit": 1.0 + 0.5 * cyclic, "native": 1.3}.get(name, 0.9)
    return float(2.0 * steps + factor * ranks * size / 4000)


@pytest.fixture
def results(write: Write, rows: Rows) -> Callable[..., Path]:
    def make(faster: str = "") -> Path:
        """faster: this algorithm takes a tenth of the time, in 8 ranks and 8 KiB."""
        cases = []
        for mapping in ("sequential", "cyclic"):
            for ranks in (2, 4, 8, 16):
                for size in SIZES:
                    case = []
                    for place, name in enumerate(NAMES):
                        time = time_us(name, ranks, size, mapping == "cyclic") + 1
                        time *= 0.1 if name == faster and (ranks, size) == (8, 8192) else 1
                        shape = np.sin(np.arange(40) * (1.7 + place)) * 0.02 * (1 + place)
                        case += rows(
                            name,
                            (time * (1 + shape)).round(4).tolist(),
                            size=size,
                            ranks=ranks,
                            place=f"allgather,{{}},regular,none,{mapping}",
                        )
                    cases.append(case)
        return write(f"times{faster}.csv", *cases, registry="ring,bruck,sparbit,native")

    return make


def thumbnail(path: Path) -> Image.Image:
    with Image.open(path) as whole:
        high = round(whole.height * WIDTH / whole.width)
        return whole.convert("RGB").resize((WIDTH, high), Image.Resampling.BOX)


def drawn(command: str, file: Path, folder: Path) -> Image.Image:
    name, *more = command.split()
    output = folder / "figure.png"
    assert main([name, str(file), *FIGURES[name], *more, "-o", str(output)]) == 0
    return thumbnail(output)


def differs(one: Image.Image, other: Image.Image) -> bool:
    if one.size != other.size:
        return True
    first, second = (np.asarray(image, np.float64) for image in (one, other))
    apart = np.abs(first - second)
    return bool(apart.max() > MOST_DIFFERENCE or apart.mean() > MEAN_DIFFERENCE)


@pytest.mark.parametrize("command", COMMANDS)
def test_looks_as_stored(results: Callable[..., Path], tmp_path: Path, command: str) -> None:
    found = drawn(command, results(), tmp_path)
    stored = STORED / f"{command.replace(' --', '-')}.png"
    if os.environ.get("GATHERBENCH_STORE_FIGURES"):
        found.save(stored, optimize=True)
    if differs(found, thumbnail(stored)):
        found.save(tmp_path / "found.png")
        pytest.fail(f"{tmp_path / 'found.png'} is not as {stored}")


@pytest.mark.parametrize("command", ["heatmap", "selection", "scaling"])
def test_another_result_is_seen(results: Callable[..., Path], tmp_path: Path, command: str) -> None:
    """One case of 40: a cell, or a kink in a line."""
    found = drawn(command, results("bruck"), tmp_path)
    assert differs(found, thumbnail(STORED / f"{command}.png"))
