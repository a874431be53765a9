# SPDX-License-Identifier: BSD-3-Clause
"""Returns what `agreport compare` says, as its JSON."""

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from agreport.main import main
from agreport.stats.arrays import Floats


def compared(base: list[str], new: list[str], *more: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "compared.json"
        code = main(["compare", "--baseline", *base, "--new", *new, "--json", str(path), *more])
        found: dict[str, Any] = json.loads(path.read_text())
    assert found["exit_code"] == code
    return found


def noise(random: np.random.Generator, units: int, cases: int) -> Floats:
    return random.standard_normal((units, cases))
