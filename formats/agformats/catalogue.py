# SPDX-License-Identifier: BSD-3-Clause
"""Every name that the programs share, as `allgather_schedule catalogue --json` prints it.

catalogue.json beside this module is that output. The functions answer what readers ask: what is a
name called today, which columns are there, which metadata must launches have in common.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

Operation = Literal["resume", "duet", "pool", "compare"]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)


@dataclass(frozen=True)
class Collective:
    """A collective, as the catalogue lists it. kind: the name of the collective whose algorithms it
    has. word: what sentences call it. one_buffer: whether its call always works in place."""

    name: str
    executable: str
    title: str
    kind: str
    word: str
    bandwidth_factor: str
    has_root: bool
    one_buffer: bool


@dataclass(frozen=True)
class LeftOut:
    """The algorithms of a set that a collective lacks."""

    collective: str
    algorithms: tuple[str, ...]


@dataclass(frozen=True)
class AlgorithmSet:
    name: str
    text: str
    left_out: tuple[LeftOut, ...]
    algorithms: tuple[str, ...]


@dataclass(frozen=True)
class AlgorithmParameter:
    name: str
    text: str
    default: str
    kind: str


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, as the catalogue lists it.

    title: the name in print. collectives: the names of the collectives that the algorithm computes.
    step_growth: how the number of steps grows with the number of ranks. node_aware: whether the
    algorithm depends on which ranks share a node. takes_order: whether the user can ask for an
    order of the ranks, as NAME@ORDER.
    """

    name: str
    title: str
    summary: str
    source: str
    default_of: str
    needs: str
    steps: str
    messages: str
    bytes: str
    collectives: tuple[str, ...]
    step_growth: Literal["linear", "logarithmic", "other"]
    node_aware: bool
    arrival_aware: bool
    has_schedule: bool
    takes_order: bool
    parameters: tuple[AlgorithmParameter, ...]


@dataclass(frozen=True)
class StarVariant:
    """An algorithm with parameters that is chosen at run time, as STAR-MPI has it. kind: the kind
    of the collectives that the algorithm computes, as in Collective."""

    name: str
    kind: str


@dataclass(frozen=True)
class RankOrder:
    """An order of the ranks, for an algorithm that takes one: NAME@ORDER."""

    name: str
    text: str


@dataclass(frozen=True)
class Distribution:
    """A distribution of block sizes over the ranks. title: the name in print."""

    name: str
    title: str
    text: str
    total: str


@dataclass(frozen=True)
class RankMapping:
    """A way in which ranks lie on nodes. title: the name in print. selectable: whether a user can
    ask for the mapping."""

    name: str
    title: str
    text: str
    selectable: bool


@dataclass(frozen=True)
class ArrivalParameter:
    name: str
    kind: Literal["time", "rank", "probability", "positive"]
    default: float | None


@dataclass(frozen=True)
class ArrivalPattern:
    """A pattern of delays with which the ranks arrive.

    steady: whether the delays are the same in every iteration. size_meaning: what the given time is
    of the delays, such as the maximum delay.
    """

    name: str
    text: str
    steady: bool
    size_meaning: str
    parameters: tuple[ArrivalParameter, ...]

    @property
    def times(self) -> tuple[str, ...]:
        """Returns the names of the parameters that are times."""
        return tuple(each.name for each in self.parameters if each.kind == "time")


@dataclass(frozen=True)
class Column:
    """A column of a file that a benchmark writes.

    role: case if rows are compared by the column, label if it names a row, else measured.
    when_absent: what a row means whose file lacks the column, and what texts do not mention; empty:
    every file has the column.
    """

    name: str
    unit: str
    type: Literal["text", "integer", "number"]
    text: str
    role: Literal["case", "label", "measured"]
    filled: Literal[
        "always",
        "timed",
        "processing",
        "arrival_pattern",
        "message_time",
        "prediction",
        "selection",
        "overlap",
        "back_to_back",
        "written",
        "read",
        "end_of_turn",
        "shared_node",
    ]
    when_absent: str


@dataclass(frozen=True)
class Status:
    """A status that a row can have. timed: whether rows with this status have times."""

    name: str
    text: str
    timed: bool


@dataclass(frozen=True)
class MetadataKey:
    """A key of the metadata of a launch.

    prefix: whether many keys begin so. must_agree_to: the operations for which launches must have
    the same value. formerly: the names of the key in older files. when_absent: what a launch means
    that does not say it; empty: nothing is known.
    """

    key: str
    text: str
    prefix: bool
    must_agree_to: tuple[Operation, ...]
    formerly: tuple[str, ...]
    when_absent: str

    def value_in(self, metadata: Mapping[str, str]) -> str | None:
        """Returns what a launch says for this key; for a prefix all of its values, sorted and
        joined. None: it says nothing."""
        return self.values_in([metadata])[0]

    def values_in(self, said: Sequence[Mapping[str, str]]) -> list[str | None]:
        """Returns what each launch says, as value_in does for one."""
        if not self.prefix:
            absent = self.when_absent or None
            return [one.get(self.key, absent) for one in said]
        keys = {key for key in set[str]().union(*said) if key.startswith(self.key)}
        if not keys:
            return [None] * len(said)
        return ["; ".join(sorted(one[key] for key in keys & one.keys())) or None for one in said]


@dataclass(frozen=True)
class Catalogue:
    """The content of catalogue.json.

    secret_words: a variable with one of these in its name may hold a secret. launch_spread: the
    standard deviation between launches of log(time of one algorithm / time of another), for ranks
    with a processor each; it stands in where launches do not show their own.
    """

    suite: str
    collectives: tuple[Collective, ...]
    algorithm_sets: tuple[AlgorithmSet, ...]
    algorithms: tuple[Algorithm, ...]
    star_variants: tuple[StarVariant, ...]
    orders: tuple[RankOrder, ...]
    distributions: tuple[Distribution, ...]
    mappings: tuple[RankMapping, ...]
    arrival_patterns: tuple[ArrivalPattern, ...]
    columns: tuple[Column, ...]
    rank_columns: tuple[Column, ...]
    step_columns: tuple[Column, ...]
    counter_columns: tuple[Column, ...]
    statuses: tuple[Status, ...]
    metadata: tuple[MetadataKey, ...]
    secret_words: tuple[str, ...]
    launch_spread: float

    def columns_with(self, role: str) -> list[str]:
        """Returns the names of the columns with this role, in the order of the file."""
        return [column.name for column in self.columns if column.role == role]

    @property
    def ordinary(self) -> dict[str, str]:
        """Returns the meaning of rows whose file lacks a column, for each column that a file
        may lack."""
        return {column.name: column.when_absent for column in self.columns if column.when_absent}

    def of_kind(self, collective: str) -> tuple[str, ...]:
        """Returns the names of the collectives that have the algorithms of this one, itself
        included; empty if it is not known."""
        kinds = {each.name: each.kind for each in self.collectives}
        return tuple(name for name, kind in kinds.items() if kind == kinds.get(collective))

    def word_for(self, collective: str) -> str:
        """Returns the collective's word for sentences, such as all-gather; its name if it is not
        known."""
        return next((one.word for one in self.collectives if one.name == collective), collective)

    def algorithm(self, name: str, collective: str) -> Algorithm | None:
        """Returns the algorithm with this name that computes this collective, or None. The name
        alone does not say it: collectives of different kinds have algorithms of one name."""
        found = (each for each in self.algorithms if each.name == name)
        return next((each for each in found if collective in each.collectives), None)

    def collective_of(self, executable: str) -> Collective:
        """Returns the collective that the benchmark with this executable times."""
        return next(each for each in self.collectives if each.executable == executable)

    def names_of(self, column: str) -> list[str]:
        """Returns the names that this text column may have, in the order of the table, without
        parameters; empty for any other column."""
        named: Mapping[str, tuple[Any, ...]] = {
            "collective": self.collectives,
            "algorithm": self.algorithms,
            "distribution": self.distributions,
            "mapping": self.mappings,
            "pattern": self.arrival_patterns,
            "status": self.statuses,
        }
        return list(dict.fromkeys(each.name for each in named.get(column, ())))

    def arrival_pattern(self, name: str) -> ArrivalPattern | None:
        return next((each for each in self.arrival_patterns if each.name == name), None)

    def algorithm_set(self, name: str) -> AlgorithmSet:
        """Returns the set with this name of today."""
        return next(each for each in self.algorithm_sets if each.name == name)

    def former_keys(self) -> dict[str, str]:
        """Returns the former names of metadata keys -> their names of today; of prefixes too."""
        return {old: each.key for each in self.metadata for old in each.formerly}

    def must_agree_to(self, operation: Operation) -> list[MetadataKey]:
        """Returns the keys that launches must agree in, in the order of the file."""
        return [each for each in self.metadata if operation in each.must_agree_to]


@cache
def catalogue() -> Catalogue:
    """Returns the committed catalogue: catalogue.json beside this module."""
    text = Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8")
    return parse(json.loads(text))


def parse(document: dict[str, Any]) -> Catalogue:
    """Returns the catalogue in a printed document. Raises a KeyError that names what the document
    lacks."""
    parsed: Catalogue = record(Catalogue, document)
    return parsed


@cache
def types_of(kind: Any) -> dict[str, Any]:
    """Returns the types of a dataclass's fields."""
    return get_type_hints(kind)


def record(kind: Any, values: Mapping[str, Any]) -> Any:
    """Returns an object of the dataclass `kind` with these values as fields: lists become tuples,
    and objects in them become records. Raises a KeyError that names the field without a value."""
    found = {}
    for name, of in types_of(kind).items():
        value = values[name]
        if isinstance(value, list):
            inner = get_args(of)[0]  # of tuple[inner, ...]
            value = tuple(record(inner, one) if isinstance(one, dict) else one for one in value)
        found[name] = value
    return kind(**found)
