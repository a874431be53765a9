# SPDX-License-Identifier: BSD-3-Clause
"""Finds what tells launches apart that measured the same cases: their setting.

Launches are pooled, their iterations counted as one sample, where they agree in all metadata keys
that the catalogue says must agree to pool, and in their machine. Where they do not, they are kept
apart by as few facts as it takes, or by those that the user names.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from agformats.catalogue import MetadataKey, catalogue
from agformats.errors import BadInput, check_known, in_one_line
from agformats.files.result_file import CASE, Launch
from agformats.notes import tell
from agformats.total_sizes import ASKED
from agreport.data.mpi_name import mpi_name

SETTING = "setting"  # the column
Codes = npt.NDArray[Any]

LARGEST = 1 << 62
NOTE = "note."
# agsweep notes these of each launch for itself: they are no setting of what was measured.
OF_SWEEP = ("sweep", "point", "launch", "pair", "turn", ASKED)
MACHINE, SIMULATED = "machine", "simulated"
# Launches of several programs are kept apart by PROGRAM, and logs of other programs by their file
# too (LOG): nobody knows whether two logs were measured alike.
PROGRAM, LOG, OURS = "program", "log", "gatherbench"
CLUSTER_NAME = "env.SLURM_CLUSTER_NAME"
NOT_GIVEN = "not given"
LONGEST = 24  # characters of a value in a title


def machine(metadata: Mapping[str, str]) -> str:
    """Returns Slurm's name of the cluster, else the names of the hosts with # for their numbers.

    A scheduler gives each launch other hosts of one machine; these are pooled.
    """
    if cluster := metadata.get(CLUSTER_NAME):
        return cluster
    hosts = metadata.get("hosts", "").split(",")
    return ",".join(sorted({re.sub(r"\d+", "#", host) for host in hosts if host})) or NOT_GIVEN


def facts(rows: pd.DataFrame, launches: Sequence[Launch]) -> dict[str, list[str]]:
    """Returns the values of each fact, launch by launch. A note goes by its key, without `note.`
    unless a fact or a column of the case has that name."""
    said = [each.metadata for each in launches]
    own = own_facts(rows, launches)
    return {**notes(said, {*own, *CASE}), **own}


def fact_named(name: str, values: Mapping[str, list[str]]) -> str:
    """Returns the fact that a user names: a note may be spelled note.KEY, as result files have
    it."""
    short = name.removeprefix(NOTE)
    return short if name not in values and short in values else name


def own_facts(rows: pd.DataFrame, launches: Sequence[Launch]) -> dict[str, list[str]]:
    """Returns the values of each fact but the notes, launch by launch."""
    said = [each.metadata for each in launches]
    return {
        MACHINE: [*map(machine, said)],
        PROGRAM: [each.program or OURS for each in launches],
        LOG: [in_one_line(str(each.path)) if each.program else NOT_GIVEN for each in launches],
        **{
            name: [value or NOT_GIVEN for value in known.values_in(said)]
            for name, known in must_agree().items()
        },
        "nodes": nodes(rows, len(launches)),
    }


def notes(said: Sequence[Mapping[str, str]], taken: Collection[str]) -> dict[str, list[str]]:
    """Returns the values of each note, launch by launch. taken: names that notes do not have."""
    every = dict.fromkeys(chain.from_iterable(said))
    names = {key: key.removeprefix(NOTE) for key in every if key.startswith(NOTE)}
    return {
        key if name in taken else name: [one.get(key, NOT_GIVEN) for one in said]
        for key, name in names.items()
    }


def nodes(rows: pd.DataFrame, launches: int) -> list[str]:
    """Returns each launch's nodes, by the rows, since files that were made by hand have no
    metadata."""
    known: dict[int, set[Any]] = {}
    pairs = rows[["launch", "nodes"]].drop_duplicates()
    for launch, number_of in zip(pairs["launch"], pairs["nodes"], strict=True):
        known.setdefault(launch, set()).add(number_of)
    texts = {
        launch: "+".join(str(each or NOT_GIVEN) for each in sorted(some))
        for launch, some in known.items()
    }
    return [texts.get(launch, NOT_GIVEN) for launch in range(launches)]


class Pools:
    """The launches that measured the same case, and the facts in which they differ. by: the columns
    in which the rows of a case agree."""

    def __init__(
        self, rows: pd.DataFrame, values: Mapping[str, list[str]], by: Sequence[str] = CASE
    ) -> None:
        self.values = values
        columns = [codes_of(rows[name]) for name in by]
        case = number(columns)
        launch = rows["launch"].to_numpy(np.int64)
        pairs = np.unique(number([case, launch]))
        self.case, self.launch = np.divmod(pairs, int(launch.max(initial=0)) + 1)

    def settings(self, keys: Sequence[str]) -> Codes:
        """Returns a number for each launch; launches with the same number agree in these keys."""
        launches = len(next(iter(self.values.values())))
        return number([np.zeros(launches, np.int64), *(codes(self.values[key]) for key in keys)])

    def samples(self, apart: Sequence[str]) -> Codes:
        """Returns a number for each case of a launch; those with the same number are of one case,
        and their launches agree in the keys `apart`."""
        return number([self.case, self.settings(apart)[self.launch]])

    def differing(self, apart: Sequence[str], must_agree: Sequence[str]) -> list[str]:
        """Returns the keys of must_agree in which launches of one case differ although they agree
        in the keys `apart`."""
        sample = self.samples(apart)
        samples = len(np.unique(sample))
        return [
            key
            for key in must_agree
            if len(np.unique(number([sample, codes(self.values[key])[self.launch]]))) > samples
        ]


def codes(values: Sequence[str]) -> Codes:
    return np.asarray(pd.factorize(np.asarray(values, object))[0], np.int64)


def codes_of(column: "pd.Series[Any]") -> Codes:
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.cat.codes.to_numpy(np.int64)
    return np.asarray(pd.factorize(column)[0], np.int64)


def number(columns: Sequence[Codes]) -> Codes:
    """Returns a number for each row of the columns; rows with the same number agree in all
    columns."""
    whole, count = columns[0], int(columns[0].max(initial=0)) + 1
    for column in columns[1:]:
        values = int(column.max(initial=0)) + 1
        if count * values > LARGEST:  # number them anew, without gaps
            whole = np.unique(whole, return_inverse=True)[1]
            count = int(whole.max(initial=0)) + 1
        whole, count = whole * values + column, count * values
    return whole


def find_settings(
    rows: pd.DataFrame,
    launches: Sequence[Launch],
    by: Sequence[str] | None,
    pooled: Sequence[str] | None = (),
) -> tuple[list[str], list[str]]:
    """Returns the setting of each launch, empty where nothing has to be told apart, and the facts
    in which launches of one sample differ all the same.

    by: the facts that keep launches apart, None: as few as it takes; pooled: facts in which
    launches may differ all the same, None: in all. Raises BadInput for an unknown name in either,
    and if launches of one case differ though `by` was given.
    """
    values = facts(rows, launches)
    by = None if by is None else [fact_named(name, values) for name in by]
    to_pool = [MACHINE, LOG, *(name for name in values if name in must_agree())]
    check_known("--by", by or (), [*values, *CASE], "a fact or a note of these launches")
    check_known("--pool", pooled or (), to_pool, "what launches must agree in to be pooled")
    varied = several_in(values, to_pool)
    programs = several_in(values, [PROGRAM])  # which are never pooled
    # A column of the case keeps its rows apart anyway.
    asked = [*programs, *without(by or (), [*CASE, *programs])]
    told = [*programs, *simulations(values[SIMULATED], pooled), *asked]
    if not varied:
        return labels(values, list(dict.fromkeys(told))), []
    pools = Pools(rows, values)
    must = [] if pooled is None else without(varied, pooled)
    differing = pools.differing(asked, must)
    if differing and by is not None:
        refuse(values, by, differing[0])
    apart = list(dict.fromkeys([*told, *fewest(pools, must, differing)]))
    found = labels(values, apart)
    if differing:
        tell_apart(apart, found)
    return found, pools.differing(apart, without(varied, must))


def several_in(values: Mapping[str, list[str]], keys: Sequence[str]) -> list[str]:
    """Returns the keys in which the launches have several values."""
    return [key for key in keys if len(set(values[key])) > 1]


def tell_apart(keys: Sequence[str], found: Sequence[str]) -> None:
    tell(
        f"agreport: launches differ in {', '.join(keys)}, so they are kept apart: "
        f"{' | '.join(sorted(set(found)))}; legal: --by KEY,... to say by what, --pool KEY,... "
        "to take them together"
    )


def without(keys: Sequence[str], others: Sequence[str]) -> list[str]:
    return [key for key in keys if key not in others]


def simulations(values: Sequence[str], pooled: Sequence[str] | None) -> list[str]:
    """Returns SIMULATED, the key that says of times in each title and table that they are
    simulated, if some are and nobody pools them with measured ones; else nothing."""
    mixed = len(set(values)) > 1 and (pooled is None or SIMULATED in pooled)
    return [SIMULATED] if "yes" in values and not mixed else []


def without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the table, without the column of settings if no launch has a setting."""
    if SETTING not in frame or frame[SETTING].astype(str).ne("").any():
        return frame
    return frame.drop(columns=SETTING)


def must_agree() -> dict[str, MetadataKey]:
    """Returns what launches must agree in to be pooled, by the names that facts have."""
    return by_name(catalogue().must_agree_to("pool"))


def by_name(keys: Sequence[MetadataKey]) -> dict[str, MetadataKey]:
    """Returns the keys by the names that facts have: keys with the same beginning have one name,
    such as distribution_file."""
    return {each.key.rstrip("._") if each.prefix else each.key: each for each in keys}


def refuse(values: Mapping[str, list[str]], by: Sequence[str], key: str) -> None:
    several = " | ".join(sorted({short(value, values[key]) for value in values[key]}))
    raise BadInput(
        f"--by {','.join(by)}: launches of one case differ in {key} ({several}) and must not be "
        f"averaged; legal: --by {','.join([*by, key])}, or --pool {key}"
    )


def fewest(pools: Pools, must_agree: Sequence[str], differing: list[str]) -> list[str]:
    """Returns facts that keep apart what differs: each time the one that leaves least, notes first;
    without those that the others make needless."""
    candidates = [key for key in pools.values if key not in OF_SWEEP]
    chosen: list[str] = []
    while differing:
        left = {key: pools.differing([*chosen, key], must_agree) for key in candidates}
        best = min(candidates, key=lambda key: (len(left[key]), len(set(pools.values[key]))))
        chosen.append(best)
        differing = left[best]
    return [
        key
        for key in chosen
        if pools.differing([other for other in chosen if other != key], must_agree)
    ]


def labels(values: Mapping[str, list[str]], apart: Sequence[str]) -> list[str]:
    """Returns what titles and tables call each launch's setting: "yahoo, 4 nodes,
    in_place=yes"; with every key, and values in quotes, where two settings would be called the
    same."""
    launches = len(next(iter(values.values())))
    facts = [[(key, values[key][launch]) for key in apart] for launch in range(launches)]
    found = [
        ", ".join(filter(None, (label(key, value, values[key]) for key, value in one)))
        for one in facts
    ]
    if len(set(found)) == len(set(map(tuple, facts))):
        return found
    return [", ".join(f"{key}={value!r}" for key, value in one) for one in facts]


def with_numbers(text: str) -> list[str | int]:
    """Makes a key to sort by: 4 nodes are before 16 nodes."""
    parts = re.split(r"(\d+)", text)
    return [int(part) if place % 2 else part for place, part in enumerate(parts)]


def label(key: str, value: str, every: Sequence[str]) -> str:
    if key == SIMULATED:
        return "simulated" if value == "yes" else "measured"
    if key == "nodes" and value != NOT_GIVEN:
        return f"{value} node{'' if value == '1' else 's'}"
    if key == LOG:
        return log_label(value, every)
    named = key == MACHINE or key not in must_agree()  # a note's value says enough
    return short(value, every) if named else f"{key}={short(value, every)}"


def log_label(value: str, every: Sequence[str]) -> str:
    """Returns nothing for what is no log; the file's name, if that tells it from the others."""
    if value == NOT_GIVEN:
        return ""
    names = {Path(each).name for each in every}
    return Path(value).name if len(names) == len(set(every)) else value


def short(value: str, every: Sequence[str]) -> str:
    """Returns a value of at most LONGEST characters as it is. Of a longer one, returns what is
    before the first comma, or an MPI library's name and version, if that tells it from the others;
    else its number among them, such as #2."""
    if len(value) <= LONGEST:
        return value
    heads = [mpi_name(each) for each in dict.fromkeys(every)]
    head = mpi_name(value)
    if len(head) <= 2 * LONGEST and heads.count(head) == 1:
        return head
    return f"#{list(dict.fromkeys(every)).index(value) + 1}"
