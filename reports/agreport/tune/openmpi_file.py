# SPDX-License-Identifier: BSD-3-Clause
"""Open MPI's dynamic rules files (coll_tuned_dynamic_rules_filename), as the library reads them.

The text of 4.1 and 5.0 has numbers, and comments behind #: the number of collectives, and of each
its number, then for communicators of at least so many ranks, for messages of at least so many
bytes, the algorithm, its fan-out and its segment size (with rule-file-version-2 also a number of
requests). The first rule is also that of fewer ranks (seen with 4.1.4: the library starts from it).
A file in which some rules do not begin at 0 bytes it ignores as a whole, without a word. From 6.0
on it may be JSON, of which the first rule counts that fits.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agformats.errors import BadInput
from agreport.data.algorithm_sets import LIBRARY
from agreport.tune.native_algorithms import OPEN_MPI, PREFIX
from agreport.tune.openmpi_rules import COLLECTIVES, FAN_OUTS, IDS, TOTAL, UNCHANGED
from agreport.tune.site_files import Case, Choice, SiteFile

KIND, JSON_KIND = "Open MPI's dynamic rules", "Open MPI's dynamic rules (JSON)"
VERSION = re.compile(r"\s*rule-file-version-(\d{1,9})(?!\d)")
NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]+|\d+)")
MOST = 1 << 62
WITH_REQUESTS = 2  # the version that may have a fifth number
# These ignore a file as a whole if its first line is a version (seen with 4.1.4), or if it is JSON.
WITHOUT_VERSIONS = ("Open MPI v4.",)
WITHOUT_JSON = (*WITHOUT_VERSIONS, "Open MPI v5.")
TOLD = ("faninout", "seg_size", "reqs")  # the keys in JSON of what a rule tells the algorithm
ONLY_WHERE = {"one-per-node", "single-node"}
# Those that send a message in segments, if they are told how large these are.
SEGMENTED = {
    "bcast": ("chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial"),
    "reduce": ("chain", "pipeline", "binary", "binomial", "in-order_binary"),
    "allreduce": ("segmented_ring",),
}
LIMITED = {"alltoall": ("linear_sync",)}  # those that limit how many requests they have at a time


@dataclass(frozen=True)
class Rule:
    """A rule of a file, for communicators or messages of some sizes.

    low, high: the rule holds from so many ranks or bytes on, up to so many. what: the rules of
    sizes in a rule of ranks; the algorithm in a rule of sizes. place: where in the file the rule
    stands. fan_out, segment, requests: what a rule of sizes tells the algorithm; segment: the bytes
    of one, 0 for the whole message; requests: how many at a time, 0 for all.
    """

    low: int
    high: int
    what: Any
    place: str
    fan_out: int = 0
    segment: int = 0
    requests: int = 0


@dataclass
class Numbers:
    """Reads the numbers of a text, one after the other. all: each number and its line. at: how many
    numbers were read. line: the line of the number read last."""

    path: Path
    all: Sequence[tuple[int, int]]
    at: int = 0

    @property
    def line(self) -> int:
        return self.all[max(0, self.at - 1)][1] if self.all else 1

    def next(self, what: str) -> int:
        if self.at == len(self.all):
            raise BadInput(f"{self.path}:{self.line}: ends where {what} is expected")
        self.at += 1
        return self.all[self.at - 1][0]

    def more_in_line(self) -> bool:
        return self.at < len(self.all) and self.all[self.at][1] == self.line


def read_text(path: Path, text: str) -> SiteFile:
    """Reads the format of Open MPI 4.1 and 5.0."""
    found = VERSION.match(text)
    version = int(found[1]) if found else 1
    rest = text[found.end() :] if found else text
    first = 1 + (text[: found.end()].count("\n") if found else 0)
    numbers = Numbers(path, [*numbers_in(path, rest, first)])
    rules: dict[str, list[Rule]] = {}  # by the collective
    count = numbers.next("the number of collectives")
    if count > (most := len(COLLECTIVES)):
        raise BadInput(
            f"{path}:{numbers.line}: {count} collectives are more than there are, and Open MPI "
            f"ignores the whole file; legal: 0 to {most}"
        )
    for _ in range(count):
        number = numbers.next("the number of a collective")
        if number >= len(COLLECTIVES):
            most = len(COLLECTIVES) - 1
            raise BadInput(f"{path}:{numbers.line}: {number} is no collective; legal: 0 to {most}")
        rules[COLLECTIVES[number]] = [*rules_of_ranks(numbers, version)]
    if numbers.at < len(numbers.all):
        value, line = numbers.all[numbers.at]
        raise BadInput(f"{path}:{line}: {value} is behind the last rule; legal: nothing")
    return SiteFile(
        KIND,
        lambda case: choose(case, rules.get(case.collective, [])),
        named(rules),
        with_number,
        WITHOUT_VERSIONS if found else (),
    )


def named(rules: Mapping[str, Sequence[Rule]]) -> tuple[str, ...]:
    """Returns the collectives that have rules."""
    return tuple(name for name, some in rules.items() if some)


def with_number(collective: str) -> str:
    return f"{collective} ({IDS[collective]})"


def numbers_in(path: Path, text: str, first: int) -> Iterator[tuple[int, int]]:
    for line, row in enumerate(text.split("\n"), first):
        for word in row.partition("#")[0].split():
            if not NUMBER.fullmatch(word) or (value := as_c_does(word)) is None:
                raise BadInput(f"{path}:{line}: '{word}' is no number; legal: numbers, # comments")
            yield value, line


def as_c_does(word: str) -> int | None:
    """Returns the number that a word is in C: 0x10 is 16 and 010 is 8. None if the number is too
    large, or the word is no octal number."""
    octal = word.startswith("0") and word.strip("0").isdecimal()
    try:
        value = int(word, 8) if octal else int(word, 0 if "x" in word.lower() else 10)
    except ValueError:
        return None
    return value if value < MOST else None


def rules_of_ranks(numbers: Numbers, version: int) -> Iterator[Rule]:
    count = numbers.next("how many numbers of ranks there are")
    for _ in range(count):
        ranks = numbers.next("a number of ranks")
        place = f"line {numbers.line}"
        yield Rule(ranks, MOST, [*rules_of_sizes(numbers, version)], place)


def rules_of_sizes(numbers: Numbers, version: int) -> Iterator[Rule]:
    count = numbers.next("how many sizes there are")
    for which in range(count):
        size = numbers.next("a size")
        place = f"line {numbers.line}"
        if not which and size:
            raise BadInput(
                f"{numbers.path}:{numbers.line}: the first size is {size}, and Open MPI ignores a "
                "whole file in which sizes do not begin at 0; legal: 0"
            )
        algorithm = numbers.next("an algorithm")
        fan_out = numbers.next("a fan-out")
        segment = numbers.next("a segment size")
        has_requests = version >= WITH_REQUESTS and numbers.more_in_line()
        requests = numbers.next("a number of requests") if has_requests else 0
        yield Rule(size, MOST, str(algorithm), place, fan_out, segment, requests)


def choose(case: Case, rules: Sequence[Rule]) -> Choice:
    """Chooses as Open MPI 4.1 and 5.0 do: of ranks, then of sizes, by the last rule before the
    first one that is above the case's."""
    of_ranks = last_not_above(rules, case.ranks)
    rule = last_not_above(of_ranks.what, message_of(case)) if of_ranks else None
    return choice_of(case, rule)


def last_not_above(rules: Sequence[Rule], value: int) -> Rule | None:
    found = rules[0] if rules else None
    for rule in rules:
        if rule.low > value:
            break
        found = rule
    return found


def message_of(case: Case) -> int:
    return case.total_bytes if case.collective in TOTAL else case.bytes


def choice_of(case: Case, rule: Rule | None) -> Choice:
    if rule is None or rule.what == UNCHANGED:
        return Choice(LIBRARY, rule.place if rule else "no rule")
    names = {number: name for name, number in OPEN_MPI.algorithms[case.collective].items()}
    if rule.what.isdecimal() and rule.what not in names:
        most = len(names)
        return Choice(
            "",
            f"{rule.place}: algorithm {rule.what} is not known, {OPEN_MPI.title} has 0 to {most}",
        )
    name = names.get(rule.what, rule.what)
    other = unlike_measured(case.collective, name, rule)
    asked = "".join(f", {one}" for one in other)
    measured = f": {PREFIX}{name} is measured with {' and '.join(other.values())}" if other else ""
    return Choice(f"{PREFIX}{name}{asked}", f"{rule.place}{measured}")


def unlike_measured(collective: str, name: str, rule: Rule) -> dict[str, str]:
    """Returns what the rule tells the algorithm otherwise than native:NAME is measured with -> what
    that is."""
    found = {}
    fan_out = FAN_OUTS.get(PREFIX + name)
    if fan_out is not None and rule.fan_out != fan_out:
        found[f"fan-out {rule.fan_out}"] = f"fan-out {fan_out}"
    if rule.segment and name in SEGMENTED.get(collective, ()):
        found[f"segments of {rule.segment} B"] = "no segments"
    if rule.requests and name in LIMITED.get(collective, ()):
        found[f"{rule.requests} requests at a time"] = "all requests at a time"
    return found


def read_json(path: Path, document: Mapping[str, Any]) -> SiteFile:
    """Reads the format of Open MPI 6.0 and later."""
    collectives = document["collectives"]
    if not isinstance(collectives, dict):
        raise BadInput(f"{path}: 'collectives' is no object; legal: a list of rules for each")
    rules = {
        name: [json_rule(path, f"{name}[{place}]", "comm_size", entry)
               for place, entry in enumerate(list_in(path, name, entries))]
        for name, entries in collectives.items()
    }  # fmt: skip
    return SiteFile(
        JSON_KIND,
        lambda case: choose_first(case, rules.get(case.collective, [])),
        named(rules),
        unread_by=WITHOUT_JSON,
    )


def json_rule(path: Path, place: str, what: str, entry: Any) -> Rule:
    """Returns the rule of an entry in JSON; a rule of ranks has its rules of sizes in it. what: the
    quantity whose bounds the rule has, comm_size or msg_size. Raises BadInput if the entry is no
    rule."""
    if not isinstance(entry, dict):
        raise BadInput(f"{path}: {place}: is no object; legal: a rule")
    low = bound(path, place, f"{what}_min", entry.get(f"{what}_min", 0))
    high = bound(path, place, f"{what}_max", entry.get(f"{what}_max", "inf"))
    if what == "msg_size":
        if "alg" not in entry:
            raise BadInput(f"{path}: {place}: has no 'alg'; legal: a name or a number")
        told = [bound(path, place, key, entry.get(key, 0)) for key in TOLD]
        return Rule(low, high, str(entry["alg"]), place, *told)
    if entry.get("comm_rank_distribution") in ONLY_WHERE:
        raise BadInput(
            f"{path}: {place}: comm_rank_distribution '{entry['comm_rank_distribution']}' is not "
            "known of these launches; legal: any"
        )
    inner = [
        json_rule(path, f"{place}.rules[{number}]", "msg_size", rule)
        for number, rule in enumerate(list_in(path, place, entry.get("rules", [])))
    ]
    return Rule(low, high, inner, place)


def list_in(path: Path, place: str, value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise BadInput(f"{path}: {place}: is no list; legal: a list of rules")
    return value


def bound(path: Path, place: str, key: str, value: Any) -> int:
    if isinstance(value, str) and value.lower().startswith("inf"):
        return MOST
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < MOST:
        raise BadInput(f'{path}: {place}: {key} is {json.dumps(value)}; legal: a number, or "inf"')
    return int(value)


def choose_first(case: Case, rules: Sequence[Rule]) -> Choice:
    of_ranks = first_around(rules, case.ranks)
    return choice_of(case, first_around(of_ranks.what, message_of(case)) if of_ranks else None)


def first_around(rules: Sequence[Rule], value: int) -> Rule | None:
    return next((rule for rule in rules if rule.low <= value <= rule.high), None)
