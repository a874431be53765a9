# SPDX-License-Identifier: BSD-3-Clause
"""Every sample as JSON."""

import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.main import main

from ..conftest import METADATA
from ..support.commands import Rows, Write

pytestmark = pytest.mark.slow


def test_export(
    write: Write, rows: Rows, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All of it: samples of each launch, the statistics of summary, null for what is not there."""
    first = write("one.csv", [*rows("ring", [6, 8.125]), *rows("bruck", [5])], **{"note.x": "ä"})
    skipped = rows("bruck", status="skipped", reason="no")
    second = write("two.csv", rows("ring", [10], size=8), [*rows("ring", [7]), *skipped])
    names, output = [str(first), str(second)], tmp_path / "x.json"
    options = ["--pool", "machine"]
    assert main(["export", *names, *options, "-o", str(output)]) == 0
    found = json.loads(output.read_text())
    launches = found.pop("launches")
    assert launches == [
        {"path": names[0], "metadata": {**METADATA, "note.x": "ä"}},
        {"path": names[1], "metadata": METADATA},
    ]
    results = found.pop("results")
    assert found == {"format": "agreport export", "version": 1, "suite": catalogue().suite}
    assert [each.pop("samples") for each in results] == [
        {"launch": [0, 0, 1], "iteration": [0, 1, 0],
         "min_us": [5, 7.125, 6], "avg_us": [6, 8.125, 7], "max_us": [8, 10.125, 9],
         "run_us": [9, 11.125, 10], "cycle_us": [None, None, None]},
        {"launch": [0], "iteration": [0], "min_us": [4], "avg_us": [5], "max_us": [7],
         "run_us": [8], "cycle_us": [None]},
        {"launch": [1], "iteration": [0], "min_us": [9], "avg_us": [10], "max_us": [12],
         "run_us": [13], "cycle_us": [None]},
    ]  # fmt: skip
    capsys.readouterr()
    for metric in ("min", "avg", "max", "run"):
        command = ["summary", *names, *options, "--format", "csv", "--metric", metric]
        assert main(command) == 0
        text = StringIO(capsys.readouterr().out)
        table = pd.read_csv(text, float_precision="round_trip").drop(columns="metric")
        table.insert(0, "setting", "")
        wanted = [{key: None if value != value else value for key, value in row.items()}
                  for row in table.to_dict("records")]  # fmt: skip
        flat = [{**each, **each["statistics"][metric]} for each in results]
        assert [{key: row[key] for key in table.columns} for row in flat] == wanted


def test_refusals(write: Write, rows: Rows, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write("one.csv", rows("ring", [6])))
    for options, said in (([], "-o"), (["-o", "x.csv"], "'x.csv' must end in one of .json")):
        with pytest.raises(SystemExit) as leaving:
            main(["export", path, *options])
        assert leaving.value.code == 2
        assert said in capsys.readouterr().err
