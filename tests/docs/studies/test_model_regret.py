# SPDX-License-Identifier: BSD-3-Clause
"""What the model's pick costs where it was measured."""

import sys
from pathlib import Path

import pandas as pd
import pytest

from program.support.folders import ROOT


@pytest.fixture(autouse=True)
def studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "studies"))
    monkeypatch.delitem(sys.modules, "pricing", raising=False)


def test_regret_is_of_the_plainest_of_those_alike() -> None:
    from model_regret import COLUMNS, regrets

    index = pd.MultiIndex.from_tuples(
        [(name, 1024) for name in ("ring", "sparbit", "bine", "native")],
        names=["algorithm", "bytes"],
    )
    cases = pd.DataFrame(
        {"cost": [30.0, 10.1, 10.0, None], "us": [40.0, 24.0, 20.0, 25.0]}, index=index
    )
    (row,) = regrets(cases)
    assert dict(zip(COLUMNS, row, strict=True)) == {
        "block size": "1K",
        "alike": "2 of 3",
        "regret": "1.20 (`sparbit`)",
        "of the alike": "1.00 to 1.20",
        "rank correlation": "1.00",
        "best": "`bine`",
        "its ms": "0.02",
        "`native`": "1.25",
    }


def test_the_model_is_that_of_the_file(tmp_path: Path) -> None:
    from model_regret import model_of

    file = tmp_path / "model.csv"
    file.write_text("#@ranks=2\n#@model=hockney:alpha=2e-06,beta=1e-07,tau=1e-06\n#@a=b\nring\n")
    assert model_of(file) == "contention:alpha=2e-06,bandwidth=1e+07,further=0.25"
