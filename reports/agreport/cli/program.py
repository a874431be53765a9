# SPDX-License-Identifier: BSD-3-Clause
"""Finds and runs allgather_schedule, the program that knows schedules, costs and distributions."""

import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from shutil import which

from agformats.errors import BadInput

NAME = "allgather_schedule"
VARIABLE = "GATHERBENCH_BUILD"


def add_program(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--program",
        type=Path,
        metavar="PATH",
        help=f"the {NAME} to run (default: the one in ${VARIABLE}/bin, build/bin or PATH)",
    )


def run(given: Path | None, *arguments: str) -> str:
    """What the program prints; an error of it is ours, in its own words."""
    ended = subprocess.run(
        [find(given), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if ended.returncode:
        lines = [line.strip() for line in ended.stderr.splitlines() if line.strip()]
        own = [line for line in lines if line.startswith(f"{NAME}: ")]
        silent = f"{NAME} {arguments[0]} ended with exit code {ended.returncode}"
        raise BadInput([silent, *lines[-1:], *own[:1]][-1])
    sys.stderr.write(ended.stderr)
    return ended.stdout


def find(given: Path | None) -> Path:
    if given is not None:
        if not is_program(given):
            raise BadInput(f"--program: '{given}' is no program that can be run")
        return given.absolute()
    build = os.environ.get(VARIABLE)
    folders = [Path(folder, "bin") for folder in (build, "build") if folder]
    for folder in folders:
        if is_program(folder / NAME):
            return (folder / NAME).absolute()
    if on_path := which(NAME):
        return Path(on_path)
    looked = [*map(str, folders), "PATH"]
    if not build:
        looked.insert(0, f"${VARIABLE}/bin (not set)")
    raise BadInput(
        f"{NAME} is neither in {' nor in '.join(looked)}; `make build` builds it, "
        "and --program PATH names it"
    )


def is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
