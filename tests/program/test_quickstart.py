# SPDX-License-Identifier: BSD-3-Clause
"""`make quickstart`'s script, in small: it measures, reports, and keeps what was there before."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from agformats.files.data_set import read_launch

from .support.folders import ROOT
from .support.launch import Build

pytestmark = pytest.mark.quickstart

SCRIPT = ROOT / "tools" / "quickstart.sh"
SMALL = {
    "RANKS": "2 3",
    "LAUNCHES": "2",
    "SIZES": "1:1",
    "SIZES_V": "1",
    "SIZES_UNALIGNED": "1",
    "MAX_TIME": "1ms",
}
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


@pytest.fixture
def failing(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, whose launcher starts no launch of 3 ranks."""
    failing = tmp_path_factory.mktemp("failing")
    (failing / "bin").mkdir()
    for program in (folder / "bin").iterdir():
        (failing / "bin" / program.name).symlink_to(program)
    launcher = failing / "bin" / "mpirun_here"
    launcher.unlink()
    launcher.write_text(
        '#!/bin/sh\ncase "$*" in *--dry-run*) ;; 3*) exit 9 ;; esac\n'
        f'exec {folder / "bin" / "mpirun_here"} "$@"\n'
    )
    launcher.chmod(0o755)
    return failing


def test_it_keeps_what_was_there_goes_on_and_reports(
    folder: Path, failing: Path, tmp_path: Path
) -> None:
    """What is cut off draws no page, which would be most of the time."""
    results = tmp_path / "quick"
    results.mkdir()
    report = results / "report.html"
    report.write_text("of before")
    cut_off = quickstart(failing, results)
    assert cut_off.returncode == 9
    (kept,) = [path for path in tmp_path.iterdir() if path != results]
    assert f"are now in {kept}\n" in cut_off.stdout
    assert (kept / "report.html").read_text() == "of before"
    assert not report.exists()
    before = (results / "allgather-2-1.csv.gz").read_bytes()

    ended = quickstart(folder, results)
    assert ended.returncode == 0, ended.stderr
    assert "are now in" not in ended.stdout
    assert ended.stdout.splitlines()[-1] == f"quickstart: the whole report is {report}"
    assert (results / "allgather-2-1.csv.gz").read_bytes().startswith(before)
    cores = re.search(r"on (\d+) cores", ended.stdout)
    assert cores
    assert {path.name for path in results.glob("*.csv*")} == {
        f"{program}-{ranks}-{launch}.csv.gz"
        for program in ("allgather", "allgather-unaligned", "allgatherv")
        for ranks in (2, 3)
        for launch in (1, 2)
        if program != "allgather-unaligned" or ranks <= int(cores[1])
    }
    of_launches = [read_launch(results / f"allgather-2-{launch}.csv.gz")[0] for launch in (1, 2)]
    assert len({launch.metadata["seed"] for launch in of_launches}) == 2
    said = re.findall(r"launch (\d) of 2 with (\d) ranks", ended.stdout)
    assert said == [("1", "2"), ("1", "3"), ("2", "2"), ("2", "3")], "one kind's are apart in time"
    assert "needs an even number of ranks" in report.read_text()  # at 3 ranks, with the reason
    assert [path for path in tmp_path.iterdir() if path != results] == [kept]


def test_unfinished_results_of_a_former_version_are_not_mixed_in(
    failing: Path, tmp_path: Path
) -> None:
    """Former versions made one launch of each kind, and its file has no number of the launch."""
    results = tmp_path / "quick"
    results.mkdir()
    (results / "allgather-2.csv.gz").write_text("of before")
    cut_off = quickstart(failing, results, RANKS="3")
    assert cut_off.returncode == 9
    (kept,) = [path for path in tmp_path.iterdir() if path != results]
    assert "unfinished results of a former version" in cut_off.stdout
    assert f"are now in {kept}\n" in cut_off.stdout
    assert (kept / "allgather-2.csv.gz").read_text() == "of before"


def test_an_illegal_number_of_launches_is_refused(folder: Path, tmp_path: Path) -> None:
    refused = quickstart(folder, tmp_path / "quick", LAUNCHES="many")
    assert refused.returncode == 2 and not (tmp_path / "quick").exists()
    assert refused.stderr == "quickstart: LAUNCHES: 'many' is not legal; legal: 1 to 999\n"
