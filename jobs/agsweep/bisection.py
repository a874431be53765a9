# SPDX-License-Identifier: BSD-3-Clause
"""Builds, measures two builds in turn, and asks `agreport compare` whether the second is slower."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agformats.errors import BadInput
from agsweep.results_folder import Folder
from agsweep.run_here import launch_missing
from agsweep.sweep.points import plan
from agsweep.sweep.sweep_file import Sweep, load
from agsweep.toml import toml_file
from agsweep.toml.schema import Where, key, percent, read_table, text, texts, whole

LEGAL = "a file with the keys sweep and build; docs/how-to/history.md has one"
GOOD, BAD, SKIP = 0, 1, 125  # what `git bisect run` understands
SLOWER, NOT_SLOWER, OPEN = "slower", "not slower", "cannot be told"
COMPARED = {0: NOT_SLOWER, 1: SLOWER, 2: OPEN}  # exit codes of agreport compare


@dataclass(frozen=True)
class Plan:
    """The keys of the file of a bisection, which says how each commit is built and measured."""

    sweep: str = key(text, "the sweep file: two builds, the first is the base; pairing alternate")
    build: str = key(text, "the command that builds what is measured, for bash")
    threshold: float = key(percent, "the smallest change that is called", 0.05)
    most_launches: int = key(whole(2, 10000), "of each build, before it gives up", 32)
    allow: tuple[str, ...] = key(texts, "for agreport compare: what may differ", ())


def read(file: Path) -> tuple[Plan, Sweep]:
    where = Where(file)
    asked = read_table(Plan, toml_file.read(file, LEGAL), where)
    sweep = load(file.parent / asked.sweep)
    if sweep.top.pairing != "alternate":
        raise where.bad("sweep", asked.sweep, 'legal: a sweep with pairing = "alternate"')
    if asked.most_launches < sweep.top.launches:
        legal = f"legal: from the sweep's launches, {sweep.top.launches}, on"
        raise where.bad("most_launches", asked.most_launches, legal)
    return asked, sweep


def bisect(asked: Plan, sweep: Sweep, results: Path) -> int:
    """Builds, measures and judges the commit; returns the exit code for `git bisect run`."""
    if code := subprocess.run(["bash", "-c", asked.build], check=False).returncode:
        return tell(SKIP, f"does not build: '{asked.build}' ended with {code}")
    folder = Folder(new_folder(results))
    for launches in counts(sweep.top.launches, asked.most_launches):
        grown = replace(sweep, top=replace(sweep.top, launches=launches))
        code = launch_missing(grown, folder, "auto", "")
        if code >= 128:  # a signal, which ends the bisection, too
            return code
        if code:
            return tell(SKIP, f"{OPEN}: a launch failed; its log is in {folder.path}")
        found, why = judge(asked, grown, folder)
        if found != OPEN:
            return tell(BAD if found == SLOWER else GOOD, f"{found}: {why}")
    return tell(SKIP, f"{OPEN} by {asked.most_launches} launches of each build: {why}")


def tell(code: int, text: str) -> int:
    print(f"agsweep bisect: {text}", flush=True)
    return code


def counts(first: int, most: int) -> Iterator[int]:
    """Yields how many launches of each build there are to be: first, then twice as many each time,
    and at last `most`."""
    while first < most:
        yield first
        first *= 2
    yield most


def new_folder(results: Path) -> Path:
    """Makes a folder among the results, named after the commit, or no_commit if git tells none, and
    returns its path. The name has a number at its end where there is such a folder already, as the
    commit was measured before."""
    asked = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    )
    name = asked.stdout.strip() if asked.returncode == 0 else "no_commit"
    folder, number = results / name, 1
    while folder.exists():
        number += 1
        folder = results / f"{name}_{number}"
    folder.mkdir(parents=True)
    return folder


def judge(asked: Plan, sweep: Sweep, folder: Folder) -> tuple[str, str]:
    """Returns what agreport compare finds, and its last line."""
    base, candidate = (
        [str(folder.result(each)) for each in plan(sweep).launches if each.build is build]
        for build in sweep.builds
    )
    with TemporaryDirectory() as there:
        said = Path(there) / "compared.json"
        words = ["--baseline", *base, "--new", *candidate, "--json", str(said)]
        words += ["--threshold", f"{100 * asked.threshold:g}%"]
        words += [word for each in asked.allow for word in ("--allow", each)]
        command = [sys.executable, "-m", "agreport.main", "compare", *words]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        # Exit code 2 is of a comparison without a verdict, and of an error.
        if ended.returncode not in COMPARED or not said.exists():
            raise BadInput(
                f"agreport compare: {(ended.stderr.strip() or 'ended').splitlines()[-1]}"
            )
    lines = ended.stdout.strip().splitlines()
    return COMPARED[ended.returncode], lines[-1] if lines else ""
