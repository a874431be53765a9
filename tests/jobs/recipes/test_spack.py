# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe beside CMakeLists.txt; and under Spack itself, where that is on the PATH."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from program.support.folders import ROOT
from program.support.launch import Build

from .directives import Calls, run_recipe

REPOSITORY = ROOT / "jobs" / "packaging" / "spack" / "spack_repo" / "gatherbench"
RECIPE = REPOSITORY / "packages" / "gatherbench" / "package.py"
DIRECTIVES = ("conflicts", "depends_on", "license", "variant", "version")
PARENTS = ("spack", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems")


@dataclass
class Spec:
    variants: dict[str, bool]
    wrapper: str

    def satisfies(self, text: str) -> bool:
        return self.variants[text[1:]] == {"+": True, "~": False}[text[0]]

    def __getitem__(self, name: str) -> Any:
        if name == "mpi":
            return SimpleNamespace(mpicxx=self.wrapper)
        folder = SimpleNamespace(smpicxx=self.wrapper)
        return {"simgrid": SimpleNamespace(prefix=SimpleNamespace(bin=folder))}[name]


class CMakePackage:
    spec: Spec
    prefix: Any

    def define(self, name: str, value: object) -> str:
        said = {True: "ON", False: "OFF"}[value] if isinstance(value, bool) else value
        return f"-D{name}={said}"


@dataclass(frozen=True)
class Recipe:
    package: Any
    calls: Calls
    commands: list[tuple[str, ...]]

    def arguments(self, wrapper: str, **variants: bool) -> list[str]:
        declared = {
            call.arguments[0]: call.settings["default"] for call in self.calls.of["variant"]
        }
        assert variants.keys() <= declared.keys()
        self.package.spec = Spec({**declared, **variants}, wrapper)
        found: list[str] = self.package.cmake_args()
        return found


@pytest.fixture
def recipe() -> Recipe:
    calls = Calls()
    commands: list[tuple[str, ...]] = []

    def which(path: str, *, required: bool) -> Callable[..., None]:
        assert required
        return lambda *arguments: commands.append((path, *arguments))

    names: dict[str, dict[str, object]] = {
        "spack.package": {**{name: calls.directive(name) for name in DIRECTIVES}, "which": which},
        "spack_repo.builtin.build_systems.cmake": {"CMakePackage": CMakePackage},
        **{name: {} for name in PARENTS},
    }
    found = run_recipe(RECIPE, names, {"__file__": str(RECIPE)})
    return Recipe(found["Gatherbench"](), calls, commands)


def test_the_sources_are_the_checkout_around_it(recipe: Recipe) -> None:
    assert recipe.package.git == ROOT.as_uri()


def test_what_cmake_looks_for_is_a_dependency(recipe: Recipe) -> None:
    text = (ROOT / "cmake" / "dependencies.cmake").read_text()
    always, _, of_tests = text.partition("if(GATHERBENCH_TESTS)")
    assert "GTest" in of_tests
    sought = re.findall(r"^(?:find_package|gatherbench_require)\((\w+)", always, re.MULTILINE)
    assert len(sought) > 4
    needed = {name.lower().replace("_", "-") for name in sought} - {"threads"}
    named = {re.split("[@ +~]", name)[0] for name in recipe.calls.first_arguments("depends_on")}
    tools = {"c", "cxx", "cmake", "git"}
    assert {name.removesuffix("-api") for name in named} == tools | needed | {"simgrid"}


def test_cmake_is_new_enough(recipe: Recipe) -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    least = re.search(r"cmake_minimum_required\(VERSION (\S+)\)", text)
    assert least
    assert f"cmake@{least[1]}:" in recipe.calls.first_arguments("depends_on")


def test_only_compilers_that_are_too_old_are_refused(recipe: Recipe) -> None:
    least = re.search(r"g\+\+ (\d+) or newer", (ROOT / "tools" / "setup.sh").read_text())
    assert least
    assert f"%gcc@:{int(least[1]) - 1}" in recipe.calls.first_arguments("conflicts")


@pytest.mark.slow
def test_cmake_knows_all_that_it_is_told(recipe: Recipe, build: Build, tmp_path: Path) -> None:
    wrapper = build.cached("MPI_CXX_COMPILER")
    arguments = recipe.arguments(wrapper)
    assert recipe.arguments(wrapper, simgrid=True) == arguments
    done = subprocess.run(["cmake", "-S", ROOT, "-B", tmp_path, *arguments],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    # "Manually-specified variables were not used by the project". What `define` says here has no
    # type, as Spack's has; so what CMake only declares (FetchContent does) is used, too.
    assert "CMake Warning" not in done.stderr
    made = Build(tmp_path)
    assert made.cached("MPI_CXX_COMPILER") == wrapper
    assert made.cached("GATHERBENCH_WERROR") == "OFF"


@pytest.mark.slow
def test_its_test_passes(recipe: Recipe, build: Build) -> None:
    recipe.package.prefix = SimpleNamespace(
        bin=SimpleNamespace(allgather_schedule=str(build.program("allgather_schedule")))
    )
    recipe.package.test_prove()
    (command,) = recipe.commands
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.rest
@pytest.mark.parametrize("spec", ["gatherbench", "gatherbench+simgrid"])
def test_spack_finds_packages_for_it(tmp_path: Path, spec: str) -> None:
    if shutil.which("spack") is None:
        pytest.skip("there is no spack on the PATH")
    (tmp_path / "repos.yaml").write_text(f"repos:\n  gatherbench: {REPOSITORY}\n")
    done = subprocess.run(["spack", "-C", tmp_path, "spec", spec],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "gatherbench@head" in done.stdout
    assert "^fmt@" in done.stdout
