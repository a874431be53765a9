# SPDX-License-Identifier: BSD-3-Clause
"""A build of the benchmarks and the MPI it belongs to: what its launches need around them."""

import os
import re
import shlex
import subprocess
from pathlib import Path

from agformats.errors import BadInput, in_words
from agformats.regular_file import read_text
from agsweep.launchers.template import EXAMPLE
from agsweep.sweep.tables import Bench, Build

PATIENCE_S = 60.0
# Modules may be a shell function that only login shells have.
MODULES = (
    "command -v module >/dev/null || for init in /etc/profile.d/{modules,lmod,z00_lmod}.sh; do\n"
    '    [ ! -r "$init" ] || . "$init"\n'
    "done"
)


def folder(build: Build) -> Path:
    return absolute(build, "folder", build.folder)


def absolute(build: Build, key: str, path: str) -> Path:
    """Returns the path that a key of the build has. Raises BadInput if it begins with a ~USER
    whose home folder is not known."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        raise BadInput(
            f"build {build.name}: {key}: '{path}': the home folder of {Path(path).parts[0]} is not "
            "known; legal: ~USER of a user here, or a path without ~"
        ) from None


def program(build: Build, bench: Bench) -> Path:
    return folder(build) / "bin" / bench.program


def preamble(build: Build) -> list[str]:
    """Returns the lines of bash that make the build's environment, here and in job scripts; none if
    the build asks for nothing. Raises BadInput if its venv is nowhere or has no bin/."""
    lines: list[str] = []
    if build.modules:
        lines += [MODULES, f"module load {shlex.join(build.modules)} || exit"]
    if build.venv:
        prefix = absolute(build, "venv", build.venv)
        if not os.access(f"{prefix}/bin/.", os.X_OK):
            raise BadInput(
                f"build {build.name}: venv '{build.venv}' has no bin/; legal: a folder with one"
            )
        lines.append(f"export PATH={shlex.quote(str(prefix / 'bin'))}:$PATH")
        library = shlex.quote(str(prefix / "lib"))
        lines.append(f"export LD_LIBRARY_PATH={library}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}")
    lines += [f"export {name}={shlex.quote(value)}" for name, value in build.environment.items()]
    return lines


def within(build: Build, command: list[str]) -> list[str]:
    """Returns the words that run a command in the build's environment."""
    lines = preamble(build)
    return (
        ["bash", "-c", "\n".join([*lines, 'exec "$@"']), build.name, *command] if lines else command
    )


def mpirun(build: Build) -> str:
    """Returns the mpirun of a build: the one that the sweep file names, else the one beside the
    build's compiler wrapper, unless modules or a prefix bring another. That one is `mpirun` on the
    PATH, which is also taken if the build's folder tells none."""
    if build.mpirun:
        return build.mpirun
    cache = folder(build) / "CMakeCache.txt"
    if not build.modules and not build.venv and cache.exists():
        text = read_text(cache, errors="surrogateescape")
        match = re.search(r"^GATHERBENCH_MPIEXEC:\w+=(.+)$", text, re.MULTILINE)
        if match:
            return match[1]
    return "mpirun"


def output_of(build: Build, command: list[str]) -> str:
    """Returns what a command prints in the build's environment, whatever its exit code."""
    try:
        return ran(build, command).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{shlex.join(command)}: {in_words(error)}"


def has_environment(build: Build) -> bool:
    """Returns whether the environment can be made here: a module may be missing."""
    return succeeds(build, ["true"])


def check_launcher(build: Build, key: str, program: str) -> None:
    """Checks the launcher, but not where the build's environment cannot be made, which may
    bring it."""
    there = succeeds(build, ["bash", "-c", 'type -P -- "$1"', "bash", program])
    if not there and has_environment(build):
        raise BadInput(
            f"build {build.name}: {key}: there is no program '{program}'; legal: one on the PATH, "
            f"its path, or launcher = a template such as {EXAMPLE}"
        )


def succeeds(build: Build, command: list[str]) -> bool:
    try:
        return ran(build, command).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def ran(build: Build, command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        within(build, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, errors="replace", timeout=PATIENCE_S, check=False,
    )  # fmt: skip


def check_program(build: Build, bench: Bench) -> None:
    path = program(build, bench)
    if not os.access(path, os.X_OK) or not path.is_file():  # no path is too long for access
        raise BadInput(
            f"build {build.name}: folder '{build.folder}': there is no program {path}; "
            "legal: a build folder (make build BUILD=FOLDER), from the folder you are in"
        )
