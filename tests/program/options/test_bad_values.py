# SPDX-License-Identifier: BSD-3-Clause
"""Every option of allgather_schedule and of the benchmarks, as their --help lists them, with values
that make no sense: legal, or refused in one line that names the option or the value, with exit code
2 and no file left behind."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from shared.bad_values import BAD, IN_HELP, is_named, listing, some

from ..support.launch import IMPATIENT, Build

LIMIT_S = 120  # as for every launch of a test; none comes near to it
# The options that a command needs may have these values; a new one has to be added.
NEEDED = {
    "--algorithm": "ring",
    "--algorithms": "ring",
    "--arrival": "none",
    "--bytes": "1K",
    "--model": "hockney:alpha=1e-6,beta=1e-9",
    "--nodes": "2",
    "--ranks": "4",
    "--ranks-per-node": "2",
    "--sizes": "1K",
}
# A command takes these beside its options, or one option needs them.
NODES = {"--nodes": "2", "--ranks-per-node": "2"}
MORE = {"cost": {"--ranks": "4"}, "locality": NODES, "time": {"--sizes": "1K"}}
MORE_FOR: dict[tuple[str, str], dict[str, str]] = {
    ("locality", "--hosts"): {"--ranks": "4"},
    ("time", "--total-sizes"): {},
}
NO_VALUE = ("--help", "--version")
WRITTEN = "Where results go:"  # the group of options that need a real run
PLACE = re.compile("[A-Z]")  # where a value stands in a form: N, mod:N|div:N
COPIES = ("--sizes", "--message-size")  # exclude each other


@dataclass(frozen=True)
class Run:
    """words: the command; option, value: those that are tried."""

    words: Sequence[str]
    option: str
    value: str

    @property
    def command(self) -> list[str]:
        if not self.value or self.value == "--":
            return [*self.words, self.option, self.value]
        return [*self.words, f"{self.option}={self.value}"]


def helped(program: Path, *words: str) -> str:
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True)
    return done.stdout


def fault(run: Run, folder: Path) -> str:
    """Returns what is wrong with how the value was taken; empty if nothing is."""
    folder.mkdir()
    where = f"{' '.join(run.words[1:2])} {run.option}={run.value[:40]!r}"
    try:
        done = subprocess.run(
            [word.encode(errors="surrogateescape") for word in run.command],
            cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT_S, check=False,
            env={**os.environ, **IMPATIENT},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"{where}: no answer in {LIMIT_S} s"
    lines = done.stderr.decode(errors="surrogateescape").split("\n")[:-1]
    if done.returncode == 0:
        return ""
    if done.returncode != 2:
        return f"{where}: exit code {done.returncode}: {lines}"
    if len(lines) != 1 or not lines[0].startswith(f"{Path(run.words[0]).name}: "):
        return f"{where}: not one line: {lines}"
    if not is_named(lines[0], run.option, run.value):
        return f"{where}: not named: {lines[0]}"
    if left := listing(folder):
        return f"{where}: left behind: {left}"
    return ""


def faults(runs: Sequence[Run], folder: Path) -> list[str]:
    numbers = count()
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda run: fault(run, folder / str(next(numbers))), runs)
        return [each for each in found if each]


def options_in(text: str) -> list[tuple[str, bool]]:
    """Each with whether it is needed."""
    return [
        (match[1], " REQUIRED" in line)
        for line in text.splitlines()
        if (match := IN_HELP.match(line)) and match[1] not in NO_VALUE
    ]


def schedule_runs(program: Path) -> Iterator[Run]:
    commands = re.findall(r"^  ([a-z]+) ", helped(program).partition("Subcommands:")[2], re.M)
    assert len(commands) > 5  # they were found
    for command in commands:
        options = options_in(helped(program, command))
        assert options, command
        for option, _ in options:
            given = {name: NEEDED[name] for name, is_needed in options if is_needed}
            given.update(MORE_FOR.get((command, option), MORE.get(command, {})))
            given.pop(option, None)
            needed = [word for pair in given.items() for word in pair]
            for value in BAD:
                yield Run([str(program), command, *needed], option, value)


def bench_options(program: Path) -> list[tuple[str, bool]]:
    """Each with whether a run that measures is needed to see what becomes of its value. Without
    flags and those whose values are words of a list: none is left when the command line is read."""
    text = helped(program)
    _, heading, after = text.partition(WRITTEN)
    assert heading
    written = {option for option, _ in options_in(after.partition("\n\n")[0])}
    forms: dict[str, str] = {}
    for match in IN_HELP.finditer(text):
        forms.setdefault(match[1], match[2] or "")  # what follows is of an option's explanation
    found = [option for option, form in forms.items() if PLACE.search(form)]
    assert len(found) > 30  # they were found
    return [(option, option in written) for option in found]


def bench_runs(program: Path) -> Iterator[Run]:
    for number, (option, measures) in enumerate(bench_options(program)):
        given = {"--algorithms": "ring", "--sizes": "1", "--iterations": "1", "--warmup": "0"}
        if measures:
            given["--output"] = "out.csv"
        given.pop(option, None)
        if option in COPIES:
            given.pop("--sizes", None)
        words = [word for pair in given.items() for word in pair]
        if not measures:
            words.append("--dry-run")
        for value in some(number, 1):
            yield Run([str(program), *words], option, value)


@pytest.mark.slow
def test_allgather_schedule(build: Build, tmp_path: Path) -> None:
    assert faults([*schedule_runs(build.program("allgather_schedule"))], tmp_path) == []


@pytest.mark.slow
def test_some_values_of_the_benchmarks(build: Build, tmp_path: Path) -> None:
    """Without a launcher: one rank; each option with another value. What reads the values is tried
    with all of them in tests/bench/options."""
    assert faults([*bench_runs(build.program("allgatherv_bench"))], tmp_path) == []
