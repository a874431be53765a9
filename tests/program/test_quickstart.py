# SPDX-License-Identifier: BSD-3-Clause
"""`make quickstart`'s script, in small: it measures, reports, and keeps what was there before."""

import os
import subprocess
from pathlib import Path

import pytest

from .support.folders import ROOT
from .support.launch import Build

pytestmark = pytest.mark.quickstart

SCRIPT = ROOT / "tools" / "quickstart.sh"
SMALL = {"RANKS": "2 3", "SIZES": "1:4", "SIZES_V": "1,4", "MAX_TIME": "20ms"}


def quickstart(build: Build, results: Path) -> str:
    done = subprocess.run(
        [SCRIPT, build.folder],
        env={**os.environ, **SMALL, "RESULTS": str(results)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_it_reports_and_keeps_what_was_there(build: Build, tmp_path: Path) -> None:
    results = tmp_path / "quick"
    printed = quickstart(build, results)
    report = results / "report.html"
    assert printed.splitlines()[-1] == f"quickstart: the whole report is {report}"
    assert {path.name for path in results.glob("*.csv*")} == {
        "allgather-2.csv.gz",
        "allgather-3.csv.gz",
        "allgatherv-2.csv.gz",
        "allgatherv-3.csv.gz",
    }
    page = report.read_text()
    assert "needs an even number of ranks" in page  # at 3 ranks, with the reason
    first = report.read_bytes()

    assert "are now in" in quickstart(build, results)
    kept = [path for path in tmp_path.iterdir() if path != results]
    assert len(kept) == 1
    assert (kept[0] / "report.html").read_bytes() == first


def test_it_goes_on_with_what_was_cut_off(build: Build, tmp_path: Path) -> None:
    results = tmp_path / "quick"
    quickstart(build, results)
    (results / "report.html").unlink()
    before = (results / "allgather-2.csv.gz").read_bytes()
    quickstart(build, results)
    assert (results / "allgather-2.csv.gz").read_bytes().startswith(before)
