# SPDX-License-Identifier: BSD-3-Clause
"""The wheel of `make wheel` beside PyPI's MPI libraries in an empty environment: from there to a
report, on a PATH without a compiler."""

import os
import re
import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path

import pytest

from .support.folders import ROOT
from .support.launch import Build

pytestmark = pytest.mark.slow

COMPILERS = re.compile(r"(as|cc|ld|.*(gcc|[gc]\+\+|clang|make|mpi|ninja).*)$")
BARE = {"HOME": os.environ.get("HOME", "/")}
SMALL = {
    "RANKS": "2",
    "LAUNCHES": "1",
    "SIZES": "1:1",
    "SIZES_V": "1",
    "SIZES_UNALIGNED": "1",
    "MAX_TIME": "1ms",
}
LIBRARIES = os.environ.get("GATHERBENCH_LIBRARIES", "").split()
needs_libraries = pytest.mark.skipif(
    len(LIBRARIES) != 2, reason="GATHERBENCH_LIBRARIES names no two prefixes of MPI libraries"
)


@pytest.fixture(scope="module", autouse=True)
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Has nothing that somebody built: no compiler, no MPI and no library path."""
    programs = tmp_path_factory.mktemp("bare")
    for path in Path("/usr/bin").iterdir():
        if not COMPILERS.match(path.name):
            (programs / path.name).symlink_to(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(BARE, "PATH", str(programs))
        yield


def run(*words: object, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in words], env={**BARE, **more}, cwd=cwd,
                          capture_output=True, text=True, check=False)  # fmt: skip


@pytest.fixture(scope="module")
def wheel(build: Build) -> Path:
    made = subprocess.run([ROOT / "tools" / "wheel.sh", build.folder],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert made.returncode == 0, made.stderr
    wheel = Path(made.stdout.splitlines()[-1])
    assert wheel.name.startswith("gatherbench-") and "-py3-none-manylinux_2_" in wheel.name
    return wheel


def installed(wheel: Path, folder: Path) -> Path:
    """An environment with the wheel and without MPI; the packages that reports need are those of
    the tests."""
    venv.create(folder / "venv", with_pip=True)
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (packages / "borrowed.pth").write_text(str(Path(pytest.__file__).parents[1]))
    ended = run(folder / "venv/bin/python", "-m", "pip", "install", "--ignore-installed",
                "--no-deps", "--no-index", wheel, cwd=folder)  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder / "venv"


@pytest.fixture(scope="module")
def prefix(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(wheel, tmp_path_factory.mktemp("wheel"))


@needs_libraries
def test_it_carries_what_few_machines_have(prefix: Path) -> None:
    """Nothing is looked for in a folder of the machine that built it."""
    for program in ("bin/allgather_bench", "lib/libagstar.so", "lib/libagtrace.so"):
        told = run("readelf", "-d", prefix / program, cwd=prefix).stdout
        assert "[$ORIGIN/../lib:$ORIGIN/../lib/gatherbench]" in told
    needed = run("ldd", prefix / "bin/allgather_schedule", cwd=prefix).stdout
    assert f"libfmt.so.9 => {prefix}" in needed or "libfmt" not in needed


@needs_libraries
def test_without_a_library_it_says_what_to_install(prefix: Path, tmp_path: Path) -> None:
    ended = run(prefix / "bin/gatherbench", "quickstart", cwd=tmp_path)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert "MPI_PREFIX: '' is not legal" in line and "pip install 'mpich>=5.0.2'" in line
    assert not list(tmp_path.iterdir())


@needs_libraries
@pytest.mark.parametrize("library", ["mpich", "intel"])
def test_a_report_of_each_library(prefix: Path, tmp_path: Path, library: str) -> None:
    """MPI_PREFIX is a library that lies elsewhere; one beside the programs needs no word."""
    chosen = str((ROOT / LIBRARIES[library == "intel"]).absolute())
    ended = run(prefix / "bin/gatherbench", "quickstart", cwd=tmp_path, MPI_PREFIX=chosen, **SMALL)
    assert ended.returncode == 0, ended.stderr
    report = tmp_path / "results" / "quickstart" / "report.html"
    assert ended.stdout.splitlines()[-1] == f"quickstart: the whole report is {report}"
    assert {"mpich": "MPICH", "intel": "Intel"}[library] in report.read_text()


@needs_libraries
@pytest.mark.parametrize(
    ("package", "told"), [("mpich==5.0.2", "MPICH"), ("impi-devel==2021.18.*", "Intel")]
)
def test_a_library_from_pypi_beside_it_is_found(
    wheel: Path, tmp_path: Path, package: str, told: str
) -> None:
    prefix = installed(wheel, tmp_path)
    settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    brought = run(prefix / "bin/python", "-m", "pip", "install", "--quiet", package,
                  cwd=tmp_path, **settings)  # fmt: skip
    assert brought.returncode == 0, brought.stderr
    ended = run(prefix / "bin/gatherbench", "quickstart", cwd=tmp_path, **SMALL)
    assert ended.returncode == 0, ended.stderr
    page = (tmp_path / "results/quickstart/report.html").read_text()
    assert told in page


@pytest.mark.parametrize(
    ("words", "said"),
    [([], "a command is missing; legal: quickstart"), (["rnu"], "'rnu' is no command"),
     (["quickstart", "--fast"], "quickstart: '--fast' is not known")],
)  # fmt: skip
def test_other_words_are_refused(words: list[str], said: str, tmp_path: Path) -> None:
    ended = run(ROOT / "tools" / "gatherbench.sh", *words, cwd=tmp_path)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert said in line


def test_another_build_is_refused(tmp_path: Path) -> None:
    ended = run(ROOT / "tools" / "wheel.sh", tmp_path, cwd=tmp_path)
    assert ended.returncode == 2
    (line,) = ended.stderr.splitlines()
    assert f"'{tmp_path}' is no build for MPI's standard ABI" in line
