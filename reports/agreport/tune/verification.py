# SPDX-License-Identifier: BSD-3-Clause
"""A sweep for agsweep that shows what a choice gains: `native` without and with it, in duets.

Of the cases in which the library is told another algorithm than its own; in all others both sides
do the same. `ring` of ours runs beside `native`: it is told nothing, and should not change.
"""

import json
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from agformats.case_words import EQUAL_BLOCKS
from agformats.catalogue import catalogue
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.arrival_labels import NONE
from agreport.data.load import Results

SIDES = ("library", "tuned")


def sweep_text(results: Results, found: pd.DataFrame, settings: Mapping[str, str]) -> str:
    """TOML, or nothing if the library's own choice is never changed.

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
    """As those were that the choice is made of."""
    rows = results.timed()
    case = rows[(rows["collective"] == collective) & (rows["ranks"] == ranks)].iloc[0]
    name = f"{collective}_{ranks}"
    yield from ("", "[[points]]", f"nodes = {case['nodes']}", f"ranks = {ranks}")
    if case["mapping"] in [each.name for each in catalogue().mappings if each.selectable]:
        yield f"mappings = [{text(case['mapping'])}]"
    yield f"bench = [{text(name)}]"
    yield from ("", "[[bench]]", f"name = {text(name)}", f"program = {text(collective + '_bench')}")
    yield from ("[bench.options]", f'algorithms = [{text(LIBRARY)}, "ring"]', f"sizes = {sizes}")
    if case["distribution"] != EQUAL_BLOCKS:
        yield f"distributions = [{text(case['distribution'])}]"
    if case["arrival"] != NONE:
        yield f"arrival = [{text(case['arrival'])}]"
    metadata = results.launches[case["launch"]].metadata
    if metadata.get("in_place") == "yes":
        yield "in-place = true"
    for key, plain in (("datatype", "byte"), ("displacements", "dense")):
        if (value := metadata.get(key, plain)) != plain:
            yield f"{key} = {text(value)}"


def build_folder(results: Results) -> str:
    """The build folder of the program that ran, as far as the files say it."""
    command = results.launches[0].metadata.get("command", "")
    program = Path(next(iter(shlex.split(command)), ""))
    return str(program.parents[1]) if program.parent.name == "bin" else "build"


def text(value: object) -> str:
    """A text in TOML, whose basic strings are JSON's."""
    return json.dumps(str(value), ensure_ascii=False)
