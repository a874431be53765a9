# SPDX-License-Identifier: BSD-3-Clause
"""Finds and runs allgather_schedule, the program that knows schedules, costs and distributions."""

import os
import sys
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from agformats import paths
from agformats.errors import BadInput
from agformats.files.csv_text import Kind
from agreport.cli.rows import value

if TYPE_CHECKING:  # to import it takes half a second, and options need none of it
    import pandas as pd

NAME = "allgather_schedule"
VARIABLE = "GATHERBENCH_BUILD"
CHECKOUT = Path(__file__).parents[3]  # the checkout, if agreport is imported from one


add_program = value(
    "--program",
    "PATH",
    f"the {NAME} to run (default: the one in ${VARIABLE}/bin, in build/bin of the sources or of "
    "this folder, beside agreport, or in PATH)",
    type=paths.file,
)


def run(given: Path | None, *arguments: str) -> str:
    """Runs the program and returns the text that it prints. If it fails, raises BadInput with the
    words of the program's own error."""
    import subprocess  # here, since options need none of it

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


def read(kind: Kind, given: Path | None, *arguments: str) -> "pd.DataFrame":
    """Runs the program and returns the table that it prints; kind: of this table."""
    return kind.read(NAME, run(given, *arguments).encode())


def find(given: Path | None) -> Path:
    if given is not None:
        if not is_program(given):
            raise BadInput(f"--program: '{given}' is no program that can be run")
        return given.absolute()
    for folder in folders():
        if is_program(folder / NAME):
            return (folder / NAME).absolute()
    if on_path := which(NAME):
        return Path(on_path)
    unset = [] if os.environ.get(VARIABLE) else [f"${VARIABLE}/bin (not set)"]
    looked = [*unset, *map(str, folders()), "PATH"]
    raise BadInput(
        f"{NAME} is neither in {' nor in '.join(looked)}; `make build` builds it, "
        "and --program PATH names it"
    )


def folders() -> list[Path]:
    """Returns the folders where the program is looked for before PATH: those of build trees, of
    the Python interpreter and of the command that runs."""
    build = os.environ.get(VARIABLE)
    trees = [Path(build)] if build else []
    trees += [CHECKOUT / "build", Path("build")]
    beside = [Path(sys.executable).parent, Path(sys.argv[0]).absolute().parent]
    return list(dict.fromkeys([*(tree / "bin" for tree in trees), *beside]))


def is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
