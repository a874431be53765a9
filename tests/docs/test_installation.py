# SPDX-License-Identifier: BSD-3-Clause
"""Tests what cmake --install brings, beyond what docs/how-to/library.md shows and its test runs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from program.support.folders import ROOT
from program.support.launch import Build

pytestmark = pytest.mark.slow

# Another MPI: one that links another library.
OTHER_MPI = """#!/bin/sh
case $1 in
-showme:link | -link_info) echo "$({wrapper} "$1") -lutil" ;;
*) exec {wrapper} "$@" ;;
esac
"""


@pytest.fixture(scope="module")
def prefix(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run(["cmake", "--install", build.folder, "--prefix", folder],
                   check=True, capture_output=True)  # fmt: skip
    return folder


def test_a_wheel_has_the_manual_pages(build: Build, prefix: Path, tmp_path: Path) -> None:
    subprocess.run(["cmake", "--install", build.folder, "--prefix", tmp_path,
                    "--component", "programs"],
                   check=True, capture_output=True)  # fmt: skip
    pages = [sorted((each / "share" / "man" / "man1").iterdir()) for each in (prefix, tmp_path)]
    names = [[page.name for page in found] for found in pages]
    assert names[0] == names[1] != []


def test_manual_pages_say_what_help_says(build: Build, prefix: Path) -> None:
    pages = {path.stem: path for path in (prefix / "share" / "man" / "man1").iterdir()}
    benches = {each.executable for each in catalogue().collectives}
    assert set(pages) == {*benches, "allgather_schedule"}
    for program, page in pages.items():
        title, *lines = page.read_text().replace("\\-", "-").splitlines()
        assert title.startswith(f".TH {program} 1 ")
        asked = subprocess.run([build.program(program), "--help"],
                               check=True, capture_output=True, text=True)  # fmt: skip
        options = [line for line in asked.stdout.splitlines() if line.startswith("  -")]
        assert options and set(options) <= set(lines)
    commands = pages["allgather_schedule"].read_text()
    assert ".SH allgather_schedule cost\n" in commands and "hockney:alpha=SECONDS" in commands


def test_headers_are_complete(build: Build, prefix: Path, tmp_path: Path) -> None:
    """Nothing of the sources or of what is built is needed."""
    include = prefix / "include" / "gatherbench"
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    assert {
        "runtime/mpi/plans/plan.h",
        "algorithms/proof/proof.h",
        "algorithms/choice/choice.h",
    } <= set(headers)
    all_of_them = tmp_path / "all.cpp"
    all_of_them.write_text("".join(f'#include "{header}"\n' for header in headers))
    done = subprocess.run(
        [build.cached("MPI_CXX_COMPILER"), "-std=c++20", "-fsyntax-only", "-I", include,
         all_of_them],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_another_mpi_is_refused(build: Build, prefix: Path, tmp_path: Path) -> None:
    wrapper = tmp_path / "mpicxx"
    wrapper.write_text(OTHER_MPI.format(wrapper=build.cached("MPI_CXX_COMPILER")))
    wrapper.chmod(0o755)
    done = subprocess.run(
        ["cmake", "-S", ROOT / "docs" / "examples", "-B", tmp_path / "build",
         f"-DCMAKE_PREFIX_PATH={prefix}", f"-DMPI_CXX_COMPILER={wrapper}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    said = " ".join(done.stderr.split())
    assert (
        f"MPI_CXX_COMPILER: '{wrapper}' is of another MPI than gatherbench was built with" in said
    )


def test_a_program_is_built_by_pkg_config(build: Build, prefix: Path, tmp_path: Path) -> None:
    """It is also built where the prefix was moved to."""
    if shutil.which("pkg-config") is None:
        pytest.skip("there is no pkg-config")
    moved = tmp_path / "moved"
    moved.symlink_to(prefix)
    (found,) = moved.glob("lib*/**/gatherbench.pc")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "gatherbench"],
        env={**os.environ, "PKG_CONFIG_PATH": str(found.parent)},
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert f"-I{moved}" in "".join(flags)
    example = ROOT / "docs" / "examples" / "allgather_in_my_program.cpp"
    program = tmp_path / "program"
    subprocess.run([build.cached("MPI_CXX_COMPILER"), example, "-o", program, *flags], check=True)
    ended = build.run(str(program), "sparbit", ranks=3)
    assert "all as MPI_Allgather's" in ended.stdout, ended.stderr


@pytest.mark.parametrize("language", ["c", "fortran"])
def test_programs_in_c_and_fortran(
    build: Build, prefix: Path, tmp_path: Path, language: str
) -> None:
    """pkg-config and the wrappers beside mpicxx build them, as docs/how-to/library.md shows."""
    folder = Path(build.cached("MPI_CXX_COMPILER")).parent
    wrapper = folder / {"c": "mpicc", "fortran": "mpifort"}[language]
    if shutil.which("pkg-config") is None or not wrapper.exists():
        pytest.skip(f"there is no pkg-config or no {wrapper.name}")
    (found,) = prefix.glob("lib*/**/gatherbench-c.pc")
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "gatherbench-c"],
        env={**os.environ, "PKG_CONFIG_PATH": str(found.parent)},
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    examples = ROOT / "docs" / "examples"
    sources = {
        "c": [examples / "allgather_in_c.c"],
        "fortran": [prefix / "include/gatherbench/runtime/c_interface/gatherbench.f90",
                    examples / "allgather_in_fortran.f90"],
    }[language]  # fmt: skip
    program = tmp_path / "program"
    subprocess.run([wrapper, *sources, "-o", program, *flags], check=True, cwd=tmp_path)
    for ranks, algorithm in ((1, "ring"), (3, "bruck:k=3"), (4, "linear_gather_bcast")):
        ended = build.run(str(program), algorithm, ranks=ranks)
        assert f"{algorithm} on {ranks} ranks, from " in ended.stdout, ended.stderr
        assert ": all as MPI_Allgather" in ended.stdout
    refused = build.run(str(program), "rign", ranks=1)
    assert refused.exit_code == 2
    assert language == "fortran" or "'rign' is no algorithm of allgather" in refused.stderr


def test_the_licence_is_there(prefix: Path) -> None:
    licence = prefix / "share" / "doc" / "gatherbench" / "LICENSE"
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()
