# SPDX-License-Identifier: BSD-3-Clause
"""What README and docs/ tell to type works, and their links lead somewhere."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from program.support.folders import ROOT
from program.support.launch import IMPATIENT, Build

from .blocks import RUN, Block, blocks, documents

HANGS_S = 900  # a block has up to a dozen commands

# The benchmarks with short cases, and few of them, so that the blocks are as a reader wants them,
# and take seconds.
SHORT = """#!/usr/bin/env bash
given=("$@")
for ((i = 0; i < $#; i++)); do
    ((i == 0)) || case ${{given[i - 1]}}=${{given[i]}} in
        --max-time=*) given[i]=10ms ;;
        --distributions=all) given[i]=regular,spike ;;
        --message-size=1:64K) given[i]=1:4 ;;
    esac
    case ${{given[i]}} in
        --max-time=*) given[i]=--max-time=10ms ;;
        --distributions=all) given[i]=--distributions=regular,spike ;;
        --message-size=1:64K) given[i]=--message-size=1:4 ;;
    esac
done
unless() {{ # an option of these is given: else these words
    local words=$1 option
    shift
    for option; do [[ " ${{given[*]}} " != *" $option"[\\ =]* ]] || return 0; done
    given+=($words)
}}
unless '--sizes 1K,64K' --sizes -m --message-size --replay
unless '--max-time 10ms' --max-time --duet
unless '--iterations 20' -i --iterations --duet
unless '--warmup 1' -x --warmup
unless '--compute 2ms' --compute --replay
exec '{program}' "${{given[@]}}"
"""
# This mpirun starts half of the ranks, where a block asks for more than any machine of a test has
# cores.
FEWER = """#!/usr/bin/env bash
ranks=$1
((ranks < 16)) || ranks=$((ranks / 2))
exec '{program}' "$ranks" "${{@:2}}"
"""
# The proofs of up to 64 ranks, up to 24; and what a model times, less often.
LESS = """#!/usr/bin/env bash
given=("${{@/#1:64/1:24}}")
for ((i = 1; i < $#; i++)); do
    [[ ${{given[i - 1]}} != -i ]] || ((given[i] < 4)) || given[i]=4
done
exec '{program}' "${{given[@]}}"
"""


def put(path: Path, text: str) -> None:
    """Puts a copy in the place of a link."""
    path.unlink()
    path.write_text(text)
    path.chmod(0o755)


def link_all(folder: Path, target: Path, *below: str) -> None:
    """Links what is in the target, and not the folders `below` themselves, but what is in them."""
    folder.mkdir()
    for path in target.iterdir():
        if path.name in below:
            link_all(folder / path.name, path)
        else:
            (folder / path.name).symlink_to(path)


@pytest.fixture
def folder(build: Build, tmp_path: Path) -> Path:
    """The repository as it is after `make build`, in links: what blocks write stays here."""
    for path in ROOT.iterdir():
        if not path.name.startswith((".", "build", "results")):
            (tmp_path / path.name).symlink_to(path)
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    link_all(tmp_path / "build", build.folder, "bin")
    programs = {path.name: SHORT for path in build.folder.glob("bin/*_bench")}
    for name, text in {**programs, "mpirun_here": FEWER, "allgather_schedule": LESS}.items():
        put(tmp_path / "build" / "bin" / name, text.format(program=build.program(name)))
    return tmp_path


def run(block: Block, folder: Path) -> None:
    done = subprocess.run(
        block.command, cwd=folder, env={**os.environ, **IMPATIENT}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=HANGS_S, check=False,
    )  # fmt: skip
    said = f"{block.place}: exit code {done.returncode}\n{block.text}\n{done.stderr[-3000:]}"
    assert done.returncode == 0, said


@pytest.mark.slow
@pytest.mark.parametrize("document", documents(), ids=lambda path: path.stem)
def test_blocks_run(document: Path, folder: Path) -> None:
    """Blocks run in their order: later ones may use what earlier ones wrote."""
    found = [block for block in blocks(document) if block.runs]
    if not found:
        pytest.skip("there is none that runs")
    for block in found:
        run(block, folder)


def test_every_page_says_who_it_is_for() -> None:
    """The first line behind the title says it."""
    first = re.compile(r"(?:<!--.*-->\n)?# .+\n\n(.*)")
    pages = [page for page in documents() if ROOT / "docs" in page.parents]
    assert len(pages) > 25  # they were found
    found = {page.name: first.match(page.read_text(encoding="utf-8")) for page in pages}
    assert [name for name, it in found.items() if not it or not it[1].startswith("For ")] == []


def test_the_readme_is_a_page() -> None:
    """What --help or a page of docs/ says is not said again."""
    assert (ROOT / "README.md").stat().st_size <= 8192


def test_each_tutorial_has_commands_that_run() -> None:
    pages = [page for page in documents() if page.parent.name == "tutorials"]
    assert len(pages) >= 3
    assert [page.name for page in pages if not any(one.runs for one in blocks(page))] == []


def test_every_block_is_run_or_says_why_not() -> None:
    found = [block for document in documents() for block in blocks(document)]
    assert sum(block.runs for block in found) > 20  # they were found
    assert [f"{block.place}: {block.fault}" for block in found if block.fault] == []


@pytest.mark.parametrize(
    ("info", "text", "fault"),
    [
        ("sh", "true\n", ""),
        ("sh (needs Slurm)", "srun x\n", ""),
        ("text", "a table\n", ""),
        ("", "make\n", "is not LANGUAGE"),
        ("r", "x\n", "no reason is given"),
        ("text", "$ make\n", "has a command in it"),
    ],
)
def test_faults_are_found(info: str, text: str, fault: str) -> None:
    block = Block(ROOT / "README.md", 1, info, text)
    assert fault in block.fault and bool(fault) == bool(block.fault)
    assert block.runs == (info in RUN)


def test_console_runs_what_stands_behind_the_prompt() -> None:
    block = Block(ROOT / "README.md", 1, "console", "$ a \\\n  b\nprinted\n$ c\n...\n")
    assert block.command[-1] == "a \\\n  b\nc"


@pytest.mark.parametrize("document", documents(), ids=lambda path: path.stem)
def test_links_lead_somewhere(document: Path) -> None:
    """Links lead to files, and to headings as GitHub names them."""
    text = document.read_text(encoding="utf-8")
    for path, heading in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        target = document.parent / path if path else document
        assert target.exists(), f"{document.name}: {path}"
        if heading:
            assert heading in headings(target), f"{document.name}: {path}#{heading}"


def test_what_the_page_of_the_all_to_all_says_that_it_lacks() -> None:
    """No algorithm that is named there can do one."""
    page = (ROOT / "docs" / "how-to" / "alltoall_and_bcast.md").read_text(encoding="utf-8")
    (lacks,) = re.findall(r"The all-to-all does not have these: ([^.]+)", page)
    named = {name.partition(":")[0] for name in re.findall(r"`([^`@]+)`", lacks)}
    able = {each.name for each in catalogue().algorithms if "alltoall" in each.collectives}
    assert named and not named & able


def headings(document: Path) -> set[str]:
    lines = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}
