# SPDX-License-Identifier: BSD-3-Clause
"""agsweep as its wheel installs it, far from the repository."""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from program.support.folders import ROOT
from program.support.launch import Build

from .sweeps import bench, build_table, written

pytestmark = pytest.mark.slow

POINTS = "[[points]]\nnodes = 2\nranks_per_node = 2\n"
PACKAGES = {"formats": "agformats", "jobs": "agsweep", "reports": "agreport"}


def checked(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, cwd=cwd,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the Python of a virtual environment that holds the wheel alone; it borrows the
    wheel's dependencies from the environment of the tests. The sources are copied first: a build
    writes beside them."""
    folder = tmp_path_factory.mktemp("installed")
    sources = folder / "sources"
    for each in PACKAGES:
        shutil.copytree(ROOT / each, sources / each, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "VERSION"):
        shutil.copy(ROOT / file, sources)
    checked(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index",
            "--wheel-dir", folder, sources, cwd=folder)  # fmt: skip
    venv.create(folder / "venv", with_pip=False)
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (packages / "borrowed.pth").write_text(str(Path(pytest.__file__).parents[1]))
    made = folder / "venv" / "bin" / "python"
    (wheel,) = folder.glob("*.whl")
    checked(made, "-m", "pip", "install", "--ignore-installed", "--no-deps", "--no-index",
            "--no-compile", wheel, cwd=folder)  # fmt: skip
    shutil.rmtree(sources)
    found = checked(made, "-c", "import agsweep; print(agsweep.__file__)", cwd=folder)
    assert Path(found.strip()).is_relative_to(packages)
    return made


def files_of(package: Path) -> set[str]:
    found = (path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {str(path.relative_to(package.parent)) for path in found}


def test_the_wheel_holds_the_packages_and_nothing_else(python: Path) -> None:
    """A new folder needs an __init__.py, a new kind of data its line in pyproject.toml."""
    (there,) = (python.parents[1] / "lib").glob("python*/site-packages")
    installed = {path.name.partition("-")[0] for path in there.iterdir()}
    assert installed == {*PACKAGES.values(), "gatherbench", "borrowed.pth"}
    for folder, package in PACKAGES.items():
        assert files_of(there / package) == files_of(ROOT / folder / package)


def scripts(results: Path) -> dict[str, str]:
    """The job scripts there, without the name of that folder."""
    return {
        path.name: path.read_text().replace(str(results), "")
        for path in (results / "jobs").iterdir()
    }


def test_job_scripts_are_those_of_the_repository(
    python: Path, build: Build, tmp_path: Path
) -> None:
    sweep = written(tmp_path, build_table("mine", build.folder), POINTS, bench(),
                    '[resources]\nmpi = "pmix"\n')  # fmt: skip
    there = tmp_path / "there"
    checked(python.with_name("agsweep"), "submit", sweep.file, "--dry-run", "--results", there,
            cwd=tmp_path)  # fmt: skip
    (text,) = scripts(there).values()
    assert "begin n2_p4_sequential_allgather_mine_0 " in text
    sweep.ok("submit", "--dry-run")
    assert scripts(there) == scripts(sweep.results)
