# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI library was loaded, and what was preloaded, stands in the result file."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.results import read_results

pytestmark = pytest.mark.slow

BRIEF = ("--sizes", "8", "--algorithms", "native", "-x", "0", "-i", "2", "--output", "out.csv")


def build_id_of(library: Path) -> str:
    if (readelf := shutil.which("readelf")) is None:
        pytest.skip("no readelf here")
    notes = subprocess.run([readelf, "-n", library], capture_output=True, text=True, check=True)
    found = re.search(r"Build ID: ([0-9a-f]+)", notes.stdout)
    assert found
    return found[1]


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """It does nothing."""
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("no C compiler here")
    made = tmp_path / "does_nothing.so"
    source = "int does_nothing_at_all;"
    options = ["-shared", "-fPIC", "-Wl,--build-id", "-x", "c", "-o", str(made), "-"]
    subprocess.run([compiler, *options], input=source, text=True, check=True)
    return made


def test_the_mpi_library_is_named_with_its_build_id(build: Build, tmp_path: Path) -> None:
    ended = build.run("allgather_bench", *BRIEF, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    metadata = read_results(tmp_path / "out.csv").metadata
    loaded = Path(metadata["mpi_library"])
    assert loaded.is_file()
    assert loaded.name.startswith("libm")
    assert metadata["mpi_build_id"] == build_id_of(loaded)
    assert float(metadata["load_start"]) >= 0
    assert float(metadata["load_end"]) >= 0


def test_a_preloaded_library_is_named(build: Build, tmp_path: Path, library: Path) -> None:
    ended = build.run("allgather_bench", *BRIEF, cwd=tmp_path, env={"LD_PRELOAD": str(library)})
    assert ended.exit_code == 0, ended.stderr
    metadata = read_results(tmp_path / "out.csv").metadata
    assert metadata["preload"] == f"{library} (build-id {build_id_of(library)})"
