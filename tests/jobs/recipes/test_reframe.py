# SPDX-License-Identifier: BSD-3-Clause
"""jobs/reframe/ under ReFrame itself, with its local scheduler."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agformats.catalogue import catalogue
from program.support.folders import ROOT
from program.support.launch import Build

pytestmark = pytest.mark.slow

CHECKS = ROOT / "jobs" / "reframe"
GATHERS = ("allgather", "allgatherv")
ALL_SIZES = {f"{name}_{size}" for name in ("ring", "native") for size in (8, 1024)}


@pytest.fixture
def ours(build: Build) -> Build:
    mpirun = shutil.which("mpirun")
    launcher = Path(build.cached("GATHERBENCH_MPIEXEC"))
    if mpirun is None or Path(mpirun).resolve() != launcher.resolve():
        pytest.skip("the mpirun on the PATH, which ReFrame takes, is not that of the build")
    return build


def reframe(
    build: Build, folder: Path, *collectives: str, **settings: str
) -> tuple[int, list[dict[str, Any]]]:
    """Its exit code, and what it says of the checks of these collectives."""
    report = folder / "report.json"
    chosen = {"build": str(build.folder), "sizes": "8,1K", "iterations": "3", **settings}
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [
            Path(sys.executable).with_name("reframe"),
            *("--prefix", folder, "-C", CHECKS / "local.py", "-c", CHECKS / "gatherbench.py"),
            *("-r", "--report-file", report),
            *(f"-n%collective={name}" for name in collectives),
            *(f"-S{name}={value}" for name, value in chosen.items()),
        ],
        env={**os.environ, **(root if os.geteuid() == 0 else {})}, cwd=folder,
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert report.exists(), done.stdout + done.stderr
    (run,) = json.loads(report.read_text())["runs"]
    return done.returncode, run["testcases"]


def test_times_are_performance_variables(ours: Build, tmp_path: Path) -> None:
    code, cases = reframe(ours, tmp_path, *GATHERS, algorithms="ring,native")
    assert code == 0
    assert {case["collective"] for case in cases} == set(GATHERS)
    for case in cases:
        assert case["result"] == "pass"
        values = {name.split(":")[-1]: value for name, value in case["perfvalues"].items()}
        assert set(values) == ALL_SIZES
        assert all(us > 0 and unit == "us" for us, *_, unit, _ in values.values())


def test_each_collective_has_a_check(ours: Build, tmp_path: Path) -> None:
    code, cases = reframe(ours, tmp_path)
    assert code == 0
    assert {case["collective"] for case in cases} == {each.name for each in catalogue().collectives}
    for case in cases:
        assert case["result"] == "pass"
        assert {name.split(":")[-1] for name in case["perfvalues"]} >= {"native_8", "native_1024"}


def test_a_run_that_fails_is_a_failure(ours: Build, tmp_path: Path) -> None:
    code, cases = reframe(ours, tmp_path, "allgather", algorithms="nonsense")
    assert code != 0
    assert {case["result"] for case in cases} == {"fail"}
