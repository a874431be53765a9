# SPDX-License-Identifier: BSD-3-Clause
"""`allgather_schedule prove` finds a fault that is planted in an algorithm.

Nothing from outside can make its schedules wrong, so the program is linked once more, with
planted_schedule.cpp in the place of the ring."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest

from ..support.folders import SOURCES
from ..support.launch import DEADLINE_S, Build, Ended, ended

pytestmark = pytest.mark.slow

SOURCE = SOURCES / "planted_schedule.cpp"


def how_it_is_linked(folder: Path) -> list[str]:
    if (folder / "build.ninja").exists():
        command = ["ninja", "-C", str(folder), "-t", "commands", "bin/allgather_schedule"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        last = said.splitlines()[-1]
        return shlex.split(last.removeprefix(": && ").removesuffix(" && :"))
    return shlex.split((folder / "CMakeFiles/allgather_schedule.dir/link.txt").read_text())


@pytest.fixture(scope="module")
def program(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """allgather_schedule with the other ring, which the linker takes before the library's."""
    path = tmp_path_factory.mktemp("planted") / "allgather_schedule"
    commands = json.loads((build.folder / "compile_commands.json").read_text())
    ring = next(c for c in commands if c["file"].endswith("/algorithms/rings/ring.cpp"))
    words = shlex.split(ring["command"])
    at = words.index("-o")
    compile_words = [*words[:at], "-o", f"{path}.o", "-c", str(SOURCE)]
    subprocess.run(compile_words, cwd=build.folder, check=True)
    words = how_it_is_linked(build.folder)
    words[words.index("-o") + 1] = str(path)
    subprocess.run([*words[:1], f"{path}.o", *words[1:]], cwd=build.folder, check=True)
    return path


def check(program: Path, fault: str | None, *arguments: str) -> Ended:
    command = [str(program), "prove", "--ranks", "2:8", "--algorithms", "ring,sparbit", *arguments]
    return ended("allgather_schedule", command, None, {"PLANTED_FAULT": fault} if fault else {})


def test_a_good_one_is_proven(program: Path) -> None:
    ended = check(program, None)
    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "FAULTY" not in ended.stdout


@pytest.mark.parametrize(
    ("fault", "parts"),
    [
        ("step", ["never receives block"]),
        ("send", ["rank 3 in step 3 sends other blocks to 4"]),
        ("block", ["rank 3 in step 2 sends block 0 to 4 but does not hold it"]),
        ("self", ["rank 3 in step 2", "peer 3 is no other rank"]),
        ("twice", ["rank 4 in step 2 receives block 3", "second time"]),
        ("extra", ["rank 3 in step 4 waits for ever for 4 to receive"]),
        ("barrier", ["waits for ever"]),
        ("order", ["in step 0 waits for ever"]),  # where messages are not buffered
    ],
)
def test_a_fault_is_found(program: Path, fault: str, parts: list[str]) -> None:
    ended = check(program, fault)
    assert ended.exit_code == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith("FAULT: ring at p = 5: ")
    for part in parts:
        assert part in line
    _, ring, sparbit = ended.stdout.splitlines()
    # The other numbers of ranks are proven, and so is the other algorithm.
    assert ring.split()[:3] == ["ring", "6", "0"] and " 1 FAULTY " in ring
    assert sparbit.split()[:3] == ["sparbit", "7", "0"] and " proven " in sparbit


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_faults_are_told_in_order(program: Path, jobs: str) -> None:
    """However many proofs run at once: the first three of an algorithm, by the number of ranks."""
    ended = check(program, "everywhere", "--jobs", jobs)
    assert ended.exit_code == 1
    told = [line.partition(":")[2].partition(":")[0] for line in ended.stderr.splitlines()]
    assert told == [f" ring at p = {p}" for p in (2, 3, 4)]
    assert " 7 FAULTY " in ended.stdout.splitlines()[1]


def test_a_faulty_one_is_shown_with_its_fault_and_no_rounds(program: Path) -> None:
    for fault in ("step", None):
        done = subprocess.run(
            [program, "show", "--algorithm", "ring", "--ranks", "5", "--format", "json"],
            env={**os.environ, **({"PLANTED_FAULT": fault} if fault else {})},
            capture_output=True,
            timeout=DEADLINE_S,
            check=True,
        )
        document = json.loads(done.stdout)
        assert ("fault" in document, "rounds" in document) == (bool(fault), not fault)
        assert "never receives block" in document.get("fault", "never receives block")
