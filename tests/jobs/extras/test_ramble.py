# SPDX-License-Identifier: BSD-3-Clause
"""The Ramble application on what the programs print; and under Ramble itself, where that is on the
PATH."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agformats.catalogue import catalogue
from program.support.folders import ROOT
from program.support.launch import Build

from ..recipes.directives import Calls, run_recipe

RAMBLE = ROOT / "jobs" / "extras" / "ramble"
DIRECTIVES = (
    *("executable", "figure_of_merit", "figure_of_merit_context", "required_package"),
    *("software_spec", "success_criteria", "tags", "workload", "workload_variable"),
)
FEW = "--sizes 8,1K -i 3 -x 0"
EXECUTABLES = {each.name: each.executable for each in catalogue().collectives}

# The name of a table, and of a figure in it -> its value.
Figures = dict[tuple[str, str], str]


@dataclass(frozen=True)
class Application:
    calls: Calls

    def settings(self, directive: str, first: str) -> dict[str, Any]:
        (found,) = [call for call in self.calls.of[directive] if call.arguments[0] == first]
        return found.settings

    def variable(self, name: str) -> dict[str, Any]:
        return self.settings("workload_variable", name)

    def command(self, workload: str, build: Build, **variables: str) -> tuple[str, list[str]]:
        """The program, and what it is given."""
        program, then = self.settings("workload", workload)["executables"]
        assert then == "exit-code"
        templates = [
            call.arguments[1]
            for call in self.calls.of["executable"]
            if call.arguments[0] == program and call.settings["use_mpi"]
        ]
        chosen = {
            call.arguments[0]: call.settings["default"]
            for call in self.calls.of["workload_variable"]
        }
        assert variables.keys() <= chosen.keys()
        (text,) = templates
        words = shlex.split(text.format(gatherbench_path=build.folder, **{**chosen, **variables}))
        assert words[0] == str(build.program(program))
        return program, words[1:]

    def log(
        self, workload: str, build: Build, env: Mapping[str, str] | None = None, **variables: str
    ) -> str:
        """What an experiment leaves."""
        program, arguments = self.command(workload, build, **variables)
        ended = build.run(program, *arguments, env=env)
        (echo,) = [
            call.arguments[1]
            for call in self.calls.of["executable"]
            if call.arguments[0] == "exit-code"
        ]
        said = subprocess.run(["bash", "-c", f"(exit {ended.exit_code})\n{echo}"],
                              capture_output=True, text=True, check=True)  # fmt: skip
        return f"{ended.stdout}{ended.stderr}{said.stdout}"

    def figures(self, log: str) -> Figures:
        """As Ramble reads them: expressions at the start of a line, each in the last context."""
        found: Figures = {}
        (context,) = self.calls.of["figure_of_merit_context"]
        table = ""
        for line in log.splitlines(keepends=True):
            if heading := re.match(context.settings["regex"], line):
                table = context.settings["output_format"].format(**heading.groupdict())
            for call in self.calls.of["figure_of_merit"]:
                assert call.settings["contexts"] == list(context.arguments)
                if row := re.match(call.settings["fom_regex"], line):
                    name = call.arguments[0].format(**row.groupdict())
                    found[table, name] = row[call.settings["group_name"]]
        return found

    def failed(self, log: str) -> set[str]:
        """The criteria that are not met, as Ramble judges."""
        found = set()
        for call in self.calls.of["success_criteria"]:
            wanted = "match" in call.settings
            expression = call.settings["match" if wanted else "anti_match"]
            if any(re.match(expression, line) for line in log.splitlines(keepends=True)) != wanted:
                found.add(call.arguments[0])
        return found


@pytest.fixture(scope="module")
def application() -> Application:
    calls = Calls()
    names = {
        **{name: calls.directive(name) for name in DIRECTIVES},
        "ExecutableApplication": object,
        "OUTPUT_CAPTURE": SimpleNamespace(ALL="all"),
    }
    path = RAMBLE / "applications" / "gatherbench" / "application.py"
    run_recipe(path, {"ramble": {}, "ramble.appkit": names}, {})
    return Application(calls)


def test_every_collective_is_a_workload(application: Application) -> None:
    assert application.calls.first_arguments("workload") == EXECUTABLES.keys()
    for variable in application.calls.first_arguments("workload_variable"):
        assert set(application.variable(variable)["workloads"]) == EXECUTABLES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("workload", EXECUTABLES)
def test_osus_tables_are_figures_of_merit(
    application: Application, build: Build, workload: str
) -> None:
    log = application.log(workload, build, options=f"{FEW} --algorithms native,native_nonblocking")
    expected = {}
    for block in log.split("\n# OSU-style ")[1:]:
        heading, *lines = block.splitlines()
        table = heading.partition(", algorithm: ")[2]
        rows = [line.split() for line in lines if line[:1].isdigit()]
        assert [row[0] for row in rows] == ["8", "1024"]
        for size, *row in rows:
            for name, value in zip(("average", "minimum", "maximum"), row, strict=False):
                expected[table, f"{name} latency, {size} B"] = value
    assert [table.partition(",")[0] for table, _ in expected][::6] == [
        *("native", "native_nonblocking")
    ]
    assert application.figures(log) == expected
    assert not application.failed(log)


@pytest.mark.slow
@pytest.mark.parametrize("workload", EXECUTABLES)
def test_the_lowest_side_by_side_is_a_figure_of_merit(
    application: Application, build: Build, workload: str
) -> None:
    osu, side_by_side = application.variable("table")["values"]
    assert application.variable("table")["default"] == osu
    log = application.log(workload, build, table=side_by_side, options=FEW)
    heading = next(line for line in log.splitlines() if line.startswith("# MPI "))
    table = heading[heading.index("ranks: ") : heading.index(", gatherbench ")]
    expected = {}
    for line in log.splitlines():
        size, *times = line.split() or [""]
        if size.isdigit() and (lowest := next((one for one in times if one[-1] == "*"), "")):
            expected[table, f"lowest median latency, {size} B"] = lowest.rstrip("*")
    assert len(expected) == 2
    assert application.figures(log) == expected
    assert not application.failed(log)


@pytest.mark.slow
def test_a_wrong_byte_is_a_failure(
    application: Application, build: Build, planted_fault: Path
) -> None:
    env = {"LD_PRELOAD": str(planted_fault), "PLANTED_RANK": "1", "PLANTED_CALL": "1",
           "PLANTED_BYTE": "5"}  # fmt: skip
    log = application.log("allgather", build, env=env, options=f"{FEW} --algorithms ring,sparbit")
    assert application.failed(log) == {"bytes-are-right", "finished"}


@pytest.mark.slow
def test_a_program_that_does_not_run_is_a_failure(application: Application, build: Build) -> None:
    log = application.log("allgather", build, options="--algorithms no_such")
    assert application.failed(log) == {"finished"}
    assert not application.figures(log)


@pytest.mark.rest
def test_under_ramble(build: Build, tmp_path: Path) -> None:
    if shutil.which("ramble") is None:
        pytest.skip("there is no ramble on the PATH")
    scope = tmp_path / "scope"
    scope.mkdir()
    (scope / "repos.yaml").write_text(f"repos:\n- {RAMBLE}\n")
    text = (RAMBLE / "ramble.yaml").read_text()
    for old, new in (
        ("/opt/gatherbench", str(build.folder)),
        ("mpirun -n", str(build.program("mpirun_here"))),
        ("--sizes 1K,64K", FEW),
    ):
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "ramble.yaml").write_text(text)
    workspace = tmp_path / "workspace"

    def ramble(*arguments: object) -> None:
        done = subprocess.run(
            ["ramble", "-C", str(scope), *(str(word) for word in arguments)],
            env={**os.environ, "RAMBLE_DISABLE_LOCAL_CONFIG": "1"}, cwd=tmp_path,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    ramble("workspace", "create", "-d", workspace, "-c", tmp_path / "ramble.yaml")
    ramble("-D", workspace, "workspace", "setup")
    ramble("-D", workspace, "on")
    ramble("-D", workspace, "workspace", "analyze", "--formats", "json")
    (results,) = workspace.glob("results.2*.json")
    experiments = json.loads(results.read_text())["experiments"]
    assert [each["RAMBLE_STATUS"] for each in experiments] == ["SUCCESS"] * 3
    figures = [
        {figure["name"] for table in each["CONTEXTS"] for figure in table["foms"]}
        for each in experiments
    ]
    of_osu = {f"{name} latency, {size} B" for name in ("average", "minimum", "maximum")
              for size in (8, 1024)}  # fmt: skip
    lowest = {f"lowest median latency, {size} B" for size in (8, 1024)}
    assert figures == [of_osu, lowest, lowest]
