# SPDX-License-Identifier: BSD-3-Clause
"""Sweep files of a test, and agsweep on them."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from agformats.notes import note
from agreport.main import main as agreport_main
from agsweep.main import main as agsweep_main
from program.support.folders import ROOT
from program.support.launch import IMPATIENT, Build, Ended

PYTHONPATH = os.pathsep.join(str(ROOT / room) for room in ("formats", "jobs", "reports"))

# A short launch.
OPTIONS = 'algorithms = "ring"\nsizes = ["1", "1K"]\niterations = 3\nwarmup = 0\n'
# Each case lasts this long whatever the machine, so that a launch can be hit in the middle; the
# ranks are asleep, which leaves the machine to others.
SLOW_CASES = 10
SLOW = f'algorithms = "ring"\nsizes = {[*range(1, SLOW_CASES + 1)]}\niterations = 1\n' \
       'warmup = 0\ncompute = "250ms"\nwait = "sleep"\n'  # fmt: skip


def bench(options: str = OPTIONS, program: str = "allgather_bench") -> str:
    return f'[[bench]]\nprogram = "{program}"\n[bench.options]\n{options}'


def build_table(name: str, folder: Path, extra: str = "") -> str:
    return f'[[builds]]\nname = "{name}"\nfolder = "{folder}"\n{extra}\n'


def said(main: Callable[[Sequence[str]], int], *words: str) -> Ended:
    """Returns what a program of ours says and returns in this process: another one's start and
    imports would take longer than most of what it does."""
    note.cache_clear()
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), patch.dict(os.environ, IMPATIENT):
        try:
            code: object = main(words)
        except SystemExit as leaving:
            code = leaving.code or 0
    assert isinstance(code, int)
    return Ended("", code, out.getvalue(), err.getvalue())


@dataclass(frozen=True)
class Sweep:
    """One of them, and its results beside the file."""

    file: Path
    results: Path

    def words(self, *words: str) -> list[str]:
        return [words[0], str(self.file), "--results", str(self.results), *words[1:]]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **IMPATIENT, "PYTHONPATH": PYTHONPATH}

    def run(self, *words: str) -> Ended:
        return said(agsweep_main, *self.words(*words))

    def ok(self, *words: str) -> str:
        ended = self.run(*words)
        assert ended.exit_code == 0, ended.stdout + ended.stderr
        return ended.stdout

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """Starts the program as a process of its own, for signals."""
        process = subprocess.Popen(
            [sys.executable, "-m", "agsweep.main", *self.words(*words)], env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            yield process
        finally:
            process.terminate()
            process.wait()

    def file_of(self, name: str) -> Path:
        return self.results / "launches" / name

    def names(self, suffix: str) -> list[str]:
        found = (self.results / "launches").glob(f"*{suffix}")
        return sorted(path.name.removesuffix(suffix) for path in found)

    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.results / "dataset" / "manifest.json").read_text())
        return found


def written(folder: Path, *tables: str) -> Sweep:
    file = folder / "test.toml"
    file.write_text("\n".join(tables))
    return Sweep(file, folder / "results")


MPIRUN = """#!/bin/sh
[ "$1" != --version ] || exec echo "mpirun (Open MPI) 4.1.4"
"""


def pretended(folder: Path, launch: str) -> str:
    """Makes a build that measures nothing and returns its table. launch: the lines of sh that its
    mpirun runs; as a trial of its slots it runs nothing."""
    program = folder / "build" / "bin" / "allgather_bench"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    mpirun = folder / "mpirun"
    mpirun.write_text(f'{MPIRUN}case "$*" in *" true") exit 0 ;; esac\n{launch}\n')
    for file in (program, mpirun):
        file.chmod(0o755)
    return build_table("mine", folder / "build", f'mpirun = "{mpirun}"')


def two_ranks(folder: Path, build: Build, options: str = OPTIONS, top: str = "") -> Sweep:
    """One build, one point."""
    return written(folder, top, build_table("mine", build.folder), "[[points]]\nranks = 2\n",
                   bench(options))  # fmt: skip


def agreport(*words: str) -> str:
    ended = said(agreport_main, *words)
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout
