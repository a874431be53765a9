# SPDX-License-Identifier: BSD-3-Clause
"""`make quickstart`'s script, in small: it measures, reports, and keeps what was there before."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from .support.folders import ROOT
from .support.launch import Build

pytestmark = pytest.mark.quickstart

SCRIPT = ROOT / "tools" / "quickstart.sh"
SMALL = {"RANKS": "2 3", "SIZES": "1:1", "SIZES_V": "1", "MAX_TIME": "1ms"}
# Its targets of CMake.
MAKES = re.compile(
    r"^quickstart:.*\n(?:\t.*\n)*?\t@tools/setup_and_build.sh \S+ \S+ (.*)", re.MULTILINE
)


@pytest.fixture(scope="module")
def folder(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of nothing but what `make quickstart` builds."""
    made = MAKES.search((ROOT / "Makefile").read_text(encoding="utf-8"))
    assert made
    folder = tmp_path_factory.mktemp("build")
    (folder / "bin").mkdir()
    for name in ("mpirun_here", *made[1].split()):
        (folder / "bin" / name).symlink_to(build.program(name))
    return folder


def quickstart(folder: Path, results: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPT, folder],
        env={**os.environ, **SMALL, "RESULTS": str(results), **more},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_keeps_what_was_there_goes_on_and_reports(folder: Path, tmp_path: Path) -> None:
    """What is cut off draws no page, which would be most of the time: it ends at ranks that are
    none."""
    results = tmp_path / "quick"
    results.mkdir()
    report = results / "report.html"
    report.write_text("of before")
    cut_off = quickstart(folder, results, RANKS="2 none")
    assert cut_off.returncode != 0 and "'none' is not legal" in cut_off.stderr
    (kept,) = [path for path in tmp_path.iterdir() if path != results]
    assert f"are now in {kept}\n" in cut_off.stdout
    assert (kept / "report.html").read_text() == "of before"
    assert not report.exists()
    before = (results / "allgather-2.csv.gz").read_bytes()

    ended = quickstart(folder, results)
    assert ended.returncode == 0, ended.stderr
    assert "are now in" not in ended.stdout
    assert ended.stdout.splitlines()[-1] == f"quickstart: the whole report is {report}"
    assert (results / "allgather-2.csv.gz").read_bytes().startswith(before)
    assert {path.name for path in results.glob("*.csv*")} == {
        "allgather-2.csv.gz",
        "allgather-3.csv.gz",
        "allgatherv-2.csv.gz",
        "allgatherv-3.csv.gz",
    }
    assert "needs an even number of ranks" in report.read_text()  # at 3 ranks, with the reason
    assert [path for path in tmp_path.iterdir() if path != results] == [kept]
