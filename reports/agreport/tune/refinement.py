# SPDX-License-Identifier: BSD-3-Clause
"""Says what to measure next: commands that halve the gaps between sizes in which the fastest
changes, and a sweep for agsweep that shows what a choice gains.

A command is that of a launch that was given, with other algorithms, sizes and output; whatever else
the launch was told it is told again, so that the next `tune` may take the files together. Names
that no launch had together stay apart: Open MPI takes one native:NAME of MPI_Allgatherv a launch,
without `native`. Of a launch that was simulated only its algorithms and sizes are named: what it
was simulated with is not all in its file.

The sweep times `native` without and with the choice, in duets, in the cases in which the library is
told another algorithm than its own; in all others both sides do the same. An algorithm of ours
runs beside it as a control: it is told nothing, and should not change.
"""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pandas as pd

from agformats.case_words import AS_LAUNCHED, EQUAL_BLOCKS
from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files.result_file import Launch
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.arrival_labels import NONE
from agreport.data.load import Results

# REPLACED: words of a command that are options which are given anew. WHOLE: those of these words
# that have no value, or have it in themselves and not in the next word.
REPLACED = re.compile(
    r"(--(algorithms|sizes|message-size|output|distributions|mapping|arrival|duet|resume)(=.*)?"
    r"|-[mo].*)"
)
WHOLE = re.compile(r"--[a-z-]+=.*|-[mo].+|--resume")
SIDES = ("library", "tuned")
PLAIN = (("datatype", "byte"), ("displacements", "dense"), ("op", ""), ("type", ""), ("root", ""))


def commands(results: Results, sizes: "pd.Series[Any]") -> str:
    """Returns the commands that measure these sizes, a line each, and comments on what has no
    command; empty if there are no sizes. sizes: of choices.next_sizes, (collective, ranks, bytes)
    -> the two algorithms."""
    lines: list[str] = []
    taken = {launch.path.name for launch in results.launches}
    groups: Any = sizes.groupby(level=["collective", "ranks"], observed=True)
    for (collective, ranks), group in groups:
        names = sorted({LIBRARY, *(name for pair in group for name in pair)})
        numbers = ",".join(str(size) for size in sorted(group.index.unique("bytes")))
        for together, number in apart(results, str(collective), int(ranks), names):
            asked = ["--algorithms", ",".join(together), "--sizes", numbers]
            lines.append(launch_again(results, number, int(ranks), asked, taken))
            names = [name for name in names if name not in together]
        lines += [
            f"# {name}: no launch of {collective} on {ranks} ranks had it\n" for name in names
        ]
    return "".join(lines)


def launch_again(
    results: Results, number: int, ranks: int, asked: Sequence[str], taken: set[str]
) -> str:
    launch = results.launches[number]
    if launch.simulated:
        return f"# {launch.path} is simulated, so do the same again with {shlex.join(asked)}\n"
    collective = launch.metadata.get("collective", "allgather")
    output = ["--output", unused_name(f"{collective}_{ranks}_refined", taken)]
    words = [*program_and_options(launch), *asked, *case_options(results, number), *output]
    return f"mpirun -n {ranks} {shlex.join(words)}\n"


def apart(
    results: Results, collective: str, ranks: int, names: Sequence[str]
) -> Iterator[tuple[list[str], int]]:
    """Yields the names in few parts, each with the number of a launch that had all names of the
    part. Names that no launch had are left out."""
    rows = results.timed()
    rows = rows[(rows["collective"] == collective) & (rows["ranks"] == ranks)]
    groups: Any = rows.groupby("launch", observed=True)["algorithm"]
    had: dict[int, set[str]] = {int(number): set(map(str, group)) for number, group in groups}
    left = set(names)
    while left:
        number = max(had, key=lambda launch: (len(had[launch] & left), -launch))
        if not (found := had[number] & left):
            return
        yield sorted(found), number
        left -= found


def program_and_options(launch: Launch) -> list[str]:
    """Returns the words of the launch's command, without the options that are given anew."""
    words = iter(command_of(launch))
    collective = launch.metadata.get("collective", "allgather")
    kept = [next(words, f"{collective}_bench")]
    for word in words:
        if not REPLACED.fullmatch(word):
            kept.append(word)
        elif not WHOLE.fullmatch(word):
            next(words, None)
    return kept


def command_of(launch: Launch) -> list[str]:
    """Returns the words of the launch's command; none if the launch does not say the command.
    Raises BadInput if no shell can read it."""
    text = launch.metadata.get("command", "")
    try:
        return shlex.split(text)
    except ValueError as error:
        why = str(error).lower()
        raise BadInput(
            f"{launch.path}: its command is '{text}', which no shell can read: {why}; legal: the "
            "file as it was written"
        ) from None


def case_options(results: Results, number: int) -> list[str]:
    """Returns options that choose the cases at hand from others that the launch may have had."""
    rows = results.timed()
    case = rows[rows["launch"] == number].iloc[0]
    words = []
    if case["distribution"] != EQUAL_BLOCKS:
        words += ["--distributions", str(case["distribution"])]
    if results.launches[number].metadata.get("mappings", AS_LAUNCHED) != AS_LAUNCHED:
        words += ["--mapping", str(case["mapping"])]
    if case["arrival"] != NONE:
        words += ["--arrival", str(case["arrival"])]
    return words


def unused_name(stem: str, taken: set[str]) -> str:
    """Returns STEM_N.csv, which is no file that was given, nor one that is here, and adds the name
    to `taken`."""
    for number in count(1):
        name = f"{stem}_{number}.csv"
        if name not in taken and not Path(name).exists():
            taken.add(name)
            return name
    raise AssertionError


def sweep_text(results: Results, found: pd.DataFrame, settings: Mapping[str, str]) -> str:
    """Returns the sweep in TOML; empty if the library's own choice is never changed.

    settings: the variables that make the library choose as found.
    """
    changed = found[found["algorithm"] != LIBRARY]
    lines = [
        "# Written by agreport tune --verify; agreport compare judges it.",
        "launches = 8",
        'pairing = "duet" # "alternate" where two launches cannot share nodes',
    ]
    folder = build_folder(results)
    for name in SIDES:
        lines += ["", "[[builds]]", f"name = {text(name)}", f"folder = {text(folder)}"]
    lines += ["[builds.environment]", *(f"{key} = {text(settings[key])}" for key in settings)]
    groups: Any = changed.groupby(level=["collective", "ranks"], observed=True)
    for (collective, ranks), group in groups:
        lines += launches(results, str(collective), int(ranks), list(group.index.unique("bytes")))
    return "\n".join(lines) + "\n" if len(changed) else ""


def launches(results: Results, collective: str, ranks: int, sizes: list[int]) -> Iterator[str]:
    """Yields the lines in TOML of a point and a benchmark that repeat the launches of which the
    choice is made."""
    rows = results.timed()
    case = rows[(rows["collective"] == collective) & (rows["ranks"] == ranks)].iloc[0]
    name = f"{collective}_{ranks}"
    yield from ("", "[[points]]", f"nodes = {case['nodes']}", f"ranks = {ranks}")
    if case["mapping"] in [each.name for each in catalogue().mappings if each.selectable]:
        yield f"mappings = [{text(case['mapping'])}]"
    yield f"bench = [{text(name)}]"
    yield from ("", "[[bench]]", f"name = {text(name)}", f"program = {text(collective + '_bench')}")
    algorithms = f"{text(LIBRARY)}, {text(control_of(collective))}"
    yield from ("[bench.options]", f"algorithms = [{algorithms}]", f"sizes = {sizes}")
    if case["distribution"] != EQUAL_BLOCKS:
        yield f"distributions = [{text(case['distribution'])}]"
    if case["arrival"] != NONE:
        yield f"arrival = [{text(case['arrival'])}]"
    metadata = results.launches[case["launch"]].metadata
    if metadata.get("in_place") == "yes" and not has_one_buffer(collective):
        yield "in-place = true"
    for key, plain in PLAIN:
        if (value := metadata.get(key, plain)) != plain:
            yield f"{key} = {text(value)}"


def has_one_buffer(collective: str) -> bool:
    """Returns whether all launches of the collective are in place, as of a broadcast: then its
    benchmark has no option for it."""
    return any(each.name == collective and each.one_buffer for each in catalogue().collectives)


def control_of(collective: str) -> str:
    """Returns the first algorithm of ours that computes the collective on any number of ranks."""
    return next(
        each.name
        for each in catalogue().algorithms
        if collective in each.collectives and each.has_schedule and each.needs == "any p"
    )


def build_folder(results: Results) -> str:
    """Returns the build folder of the program that ran, as far as the files name one; else
    `build`."""
    program = Path(next(iter(command_of(results.launches[0])), ""))
    return str(program.parents[1]) if program.parent.name == "bin" else "build"


def text(value: object) -> str:
    """Returns the text as a string in TOML, whose basic strings are JSON's."""
    return json.dumps(str(value), ensure_ascii=False)
