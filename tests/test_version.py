# SPDX-License-Identifier: BSD-3-Clause
"""VERSION is the one place of the version; the changelog begins with it."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import agreport.main
import agsweep.main
from agformats.catalogue import catalogue

ROOT = Path(__file__).parents[1]
VERSION = (ROOT / "VERSION").read_text().strip()


def test_the_catalogue_is_of_this_version() -> None:
    assert catalogue().suite == f"gatherbench {VERSION}"


@pytest.mark.parametrize("program", [agreport.main.main, agsweep.main.main])
def test_programs_say_it(
    program: Callable[[list[str]], int], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        program(["--version"])
    name = program.__module__.partition(".")[0]
    assert (ended.value.code, capsys.readouterr().out) == (0, f"{name} {VERSION}\n")


def test_the_changelog_begins_with_it() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == VERSION


def git(folder: Path, *words: str) -> str:
    known = ["-c", "user.name=x", "-c", "user.email=x@x"]
    return subprocess.run(
        ["git", *known, "-C", folder, *words], check=True, capture_output=True, text=True
    ).stdout.strip()


def repository(folder: Path, tag: str) -> Path:
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    git(folder, "tag", "-a", tag, "-m", "x")
    return folder


def commit_of(sources: Path, header: Path, environment: Mapping[str, str]) -> str:
    """Returns what the build says of these sources."""
    subprocess.run(
        ["cmake", f"-DHEADER={header}", f"-DSOURCE_DIR={sources}", "-DVERSION=1", "-P",
         ROOT / "cmake" / "write_version.cmake"], check=True, env={**os.environ, **environment},
    )  # fmt: skip
    (commit,) = re.findall(r"1 \(git (.*)\)", header.read_text())
    return str(commit)


def test_the_commit_is_of_these_sources(tmp_path: Path) -> None:
    """It is not of a repository around them, nor of one that git names to its hooks."""
    outer = repository(tmp_path / "outer", "v9.9")
    (outer / "sub").mkdir()
    header = tmp_path / "version.h"
    assert commit_of(outer / "sub", header, {}) == "unknown"
    assert commit_of(outer, header, {}) == "v9.9"
    inner = repository(outer / "inner", "v0.1")
    (tmp_path / "link").symlink_to(inner)
    for sources in (inner, tmp_path / "link"):
        for hook in ({}, {"GIT_DIR": str(outer / ".git"), "GIT_WORK_TREE": str(outer)}):
            assert commit_of(sources, header, hook) == "v0.1"
    assert commit_of(outer / "sub", header, {"GIT_DIR": str(outer / ".git")}) == "unknown"
    git(inner, "worktree", "add", "-q", str(outer / "tree"))
    assert commit_of(outer / "tree", header, {}) == "v0.1"


def test_the_commit_of_somebody_elses_checkout(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root gives files away")
    sources = repository(tmp_path / "sources", "v0.1")
    for path in (sources, sources / ".git"):
        shutil.chown(path, user=12345)
    assert commit_of(sources, tmp_path / "version.h", {}) == "v0.1"
