# SPDX-License-Identifier: BSD-3-Clause
"""Sweep files of a test, and agsweep on them, as a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from program.support.folders import ROOT
from program.support.launch import DEADLINE_S, NO_GRACE, Build, Ended

PYTHONPATH = os.pathsep.join(str(ROOT / room) for room in ("formats", "jobs", "reports"))

# A short launch.
OPTIONS = 'algorithms = "ring"\nsizes = ["1", "1K"]\niterations = 3\nwarmup = 0\n'
# Each case lasts this long whatever the machine, so that a launch can be hit in the middle.
SLOW_CASES = 10
SLOW = f'algorithms = "ring"\nsizes = {[*range(1, SLOW_CASES + 1)]}\niterations = 1000000\n' \
       'warmup = 0\nmax-time = "250ms"\n'  # fmt: skip


def bench(options: str = OPTIONS, program: str = "allgather_bench") -> str:
    return f'[[bench]]\nprogram = "{program}"\n[bench.options]\n{options}'


def build_table(name: str, folder: Path, extra: str = "") -> str:
    return f'[[builds]]\nname = "{name}"\nfolder = "{folder}"\n{extra}\n'


@dataclass(frozen=True)
class Sweep:
    """One of them, and its results beside the file."""

    file: Path
    results: Path

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "agsweep.main", words[0], str(self.file),
                "--results", str(self.results), *words[1:]]  # fmt: skip

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, **NO_GRACE, "PYTHONPATH": PYTHONPATH}

    def run(self, *words: str) -> Ended:
        done = subprocess.run(
            self.command(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=self.environment, timeout=DEADLINE_S, check=False,
        )  # fmt: skip
        return Ended("agsweep", done.returncode, done.stdout, done.stderr)

    def ok(self, *words: str) -> str:
        ended = self.run(*words)
        assert ended.exit_code == 0, ended.stdout + ended.stderr
        return ended.stdout

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            self.command(*words), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=self.environment,
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


def two_ranks(folder: Path, build: Build, options: str = OPTIONS, top: str = "") -> Sweep:
    """One build, one point."""
    return written(folder, top, build_table("mine", build.folder), "[[points]]\nranks = 2\n",
                   bench(options))  # fmt: skip


def agreport(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "agreport.main", *words], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": PYTHONPATH}, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
