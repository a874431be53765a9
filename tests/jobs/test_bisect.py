# SPDX-License-Identifier: BSD-3-Clause
"""agsweep bisect: what git bisect run does with it, and each way in which it says nothing."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agsweep.main import main
from program.support.launch import IMPATIENT, Build

from .sweeps import PYTHONPATH, bench, build_table

pytestmark = pytest.mark.slow

# A library that is preloaded, and has each call sleep for so many ms: ten times as long from the
# commit on that is to be found. A change is called from twice as long on, so that a machine that is
# busy with other tests, where a call may take 20 ms longer, hides none and feigns none.
SOURCE = """
#include <mpi.h>
#include <unistd.h>
extern "C" int MPI_Allgather(const void *send, int count, MPI_Datatype type, void *receive,
                             int many, MPI_Datatype other, MPI_Comm comm) {{
  usleep({ms} * 1000);
  return PMPI_Allgather(send, count, type, receive, many, other, comm);
}}
/* {remark} */
"""
# The commit that does not build is the first that git tries.
COMMITS, BROKEN, NOISE, SLOW = 10, 4, 5, 6
OPTIONS = 'algorithms = "native"\nsizes = ["4K"]\niterations = 3\nwarmup = 1\ncycles = 0\n'
SWEEP = 'pairing = "alternate"\nlaunches = 4\n'


def source(commit: int) -> str:
    text = SOURCE.format(ms=500 if commit >= SLOW else 50, remark=f"commit {commit}")
    if commit >= NOISE:
        text += 'extern "C" int no_part_of_it() { return 1; }\n'
    return text + ("this is no C\n" if commit == BROKEN else "")


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    return subprocess.run(
        ["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True
    ).stdout.strip()


def repository(folder: Path, build: Build) -> tuple[Path, list[str]]:
    """Returns the checkout, and its commits."""
    checkout = folder / "library"
    checkout.mkdir()
    git(checkout, "init", "-q")
    commits = []
    for commit in range(COMMITS):
        (checkout / "slow.cpp").write_text(source(commit))
        git(checkout, "add", "slow.cpp")
        git(checkout, "commit", "-q", "-m", f"commit {commit}")
        commits.append(git(checkout, "rev-parse", "HEAD"))
    compile_it = f"{build.cached('MPI_CXX_COMPILER')} -fPIC -shared slow.cpp -o {folder}"
    for name, built in (("base", commits[0]), ("candidate", commits[-1])):
        git(checkout, "checkout", "-q", built)
        make = f"{compile_it}/{name}.so"
        subprocess.run(["bash", "-c", make], cwd=checkout, check=True)
    preload = '[builds.environment]\nLD_PRELOAD = "{}/{}.so"\n'
    tables = [
        build_table(name, build.folder, preload.format(folder, name))
        for name in ("base", "candidate")
    ]
    points = '[[points]]\nranks = 2\nbinding = "none"\n'
    (folder / "sweep.toml").write_text("\n".join([SWEEP, *tables, points, bench(OPTIONS)]))
    (folder / "bisect.toml").write_text(
        f'sweep = "sweep.toml"\nbuild = "{compile_it}/candidate.so"\n'
        'threshold = "100%"\nmost_launches = 8\n'
    )
    return checkout, commits


def bisected(folder: Path, checkout: Path, commits: Sequence[str]) -> str:
    """What git says."""
    command = [sys.executable, "-m", "agsweep.main", "bisect", str(folder / "bisect.toml")]
    git(checkout, "bisect", "start", commits[-1], commits[0])
    environment = {**os.environ, **IMPATIENT, "PYTHONPATH": PYTHONPATH}
    ended = subprocess.run(
        ["git", "bisect", "run", *command],
        cwd=checkout, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ended.stdout + ended.stderr


def test_git_bisect_names_the_commit(build: Build, tmp_path: Path) -> None:
    checkout, commits = repository(tmp_path, build)
    said = bisected(tmp_path, checkout, commits)
    assert f"{commits[SLOW]} is the first bad commit" in said, said


@pytest.fixture
def asked(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file to bisect with, in a folder that is no repository."""
    tables = [build_table(name, build.folder) for name in ("base", "candidate")]
    points = "[[points]]\nranks = 2\n"
    (tmp_path / "sweep.toml").write_text("\n".join([SWEEP, *tables, points, bench()]))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "bisect.toml"


def test_what_does_not_build_is_skipped(asked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked.write_text('sweep = "sweep.toml"\nbuild = "exit 7"\n')
    assert main(["bisect", str(asked)]) == 125
    assert "does not build: 'exit 7' ended with 7" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('build = "true"\n', "sweep"),
        ('sweep = "no.toml"\nbuild = "true"\n', "no.toml"),
        ('sweep = "sweep.toml"\nbuild = "true"\nmost_launches = 2\n', "most_launches"),
        ('sweep = "sweep.toml"\nbuild = "true"\nmore = 1\n', "more"),
    ],
)
def test_what_is_wrong_ends_the_bisection(
    text: str, named: str, asked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked.write_text(text)
    assert main(["bisect", str(asked)]) == 128, "git takes 1 to 127 as the commit's fault"
    err = capsys.readouterr().err
    assert named in err
    assert len(err.splitlines()) == 1
