# SPDX-License-Identifier: BSD-3-Clause
"""The container file, as far as that goes without an image."""

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from program.support.folders import ROOT
from program.support.launch import Build

FILE = ROOT / "jobs" / "packaging" / "container" / "Containerfile"
PREFIX = ".venv"


@dataclass(frozen=True)
class Instruction:
    name: str
    text: str


def instructions() -> list[Instruction]:
    text = re.sub(r"^#.*\n", "", FILE.read_text(), flags=re.MULTILINE).replace("\\\n", "")
    return [Instruction(*line.split(maxsplit=1)) for line in text.splitlines() if line]


def texts(name: str) -> list[str]:
    return [each.text for each in instructions() if each.name == name]


def test_there_is_what_it_copies_and_runs() -> None:
    (base, _, stage), (other, *named) = (text.split() for text in texts("FROM"))
    assert (base, named) == (other, [])
    (folder, *_) = texts("WORKDIR")
    assert texts("COPY") == [". .", f"--from={stage} {folder}/{PREFIX} {folder}/{PREFIX}"]
    scripts = [word for text in texts("RUN") for word in text.split() if word.startswith("tools/")]
    assert scripts
    assert all((ROOT / script).stat().st_mode & 0o111 for script in scripts)


def test_the_last_user_is_not_root() -> None:
    (user,) = texts("USER")
    assert f"useradd --create-home {user}" in texts("RUN")
    (path,) = texts("ENV")
    assert path.startswith(f"PATH={texts('WORKDIR')[0]}/{PREFIX}/bin:")


def test_what_git_ignores_stays_out_of_the_image() -> None:
    assert (ROOT / ".dockerignore").read_bytes() == (ROOT / ".gitignore").read_bytes()


@pytest.mark.slow
def test_packages_that_it_names_are_there() -> None:
    (command,) = [text for text in texts("RUN") if "apt-get install" in text]
    words = command.partition("apt-get install")[2].partition("$(")[0].split()
    names = [word for word in words if not word.startswith("-")]
    assert names == ["python3"]  # all others are found out
    if shutil.which("apt-cache") is None:
        pytest.skip("there is no apt-cache")
    subprocess.run(["apt-cache", "show", *names], check=True, capture_output=True)


@pytest.mark.slow
def test_packages_of_the_libraries_are_found(build: Build, tmp_path: Path) -> None:
    (command,) = [text for text in texts("RUN") if text.startswith("ldd ")]
    if shutil.which("dpkg") is None:
        pytest.skip("there is no dpkg")
    mpi = Path(build.cached("MPI_CXX_COMPILER")).resolve()
    if subprocess.run(["dpkg", "-S", mpi], capture_output=True, check=False).returncode != 0:
        pytest.skip("the MPI of the build is not a package of this machine")
    subprocess.run(["cmake", "--install", build.folder, "--prefix", tmp_path / PREFIX],
                   check=True, capture_output=True)  # fmt: skip
    subprocess.run(["sh", "-c", command], check=True, cwd=tmp_path)
    (list_file,) = re.findall(r"\$\(cat (\S+)\)", " ".join(texts("RUN")))
    found = (tmp_path / PREFIX / Path(list_file).name).read_text().split()
    subprocess.run(["dpkg", "-s", *found], check=True, capture_output=True)
    launcher = subprocess.run(["dpkg", "-S", Path(shutil.which("mpirun") or "").resolve()],
                              check=True, capture_output=True, text=True)  # fmt: skip
    assert {"libc6", "libstdc++6", launcher.stdout.partition(":")[0]} <= set(found)
    linked = subprocess.run(["ldd", build.program("allgather_bench")], check=True,
                            capture_output=True, text=True)  # fmt: skip
    libraries = re.findall(r"=> (\S+)", linked.stdout)
    assert len(libraries) > 4
    files = subprocess.run(["dpkg", "-L", *found], check=True, capture_output=True, text=True)
    names = {Path(line).name for line in files.stdout.splitlines()}
    assert {Path(library).resolve().name for library in libraries} <= names
