# SPDX-License-Identifier: BSD-3-Clause
"""The versions of a history: which launches each has, and what comes after what."""

import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from agformats.errors import BadInput, check_known, in_words
from agformats.regular_file import read_text
from agreport.compare.turns import begin_of
from agreport.data.load import Launch
from agreport.data.mpi_name import mpi_name
from agreport.data.settings import NOT_GIVEN
from agreport.reports.builds import LIBRARY, ORDERS

START = "start"
ID_SHOWN = 8  # characters of a build id


@dataclass(frozen=True)
class Version:
    """A version in a history. name: what the launches call the version. date: the day of the first
    launch. launches: the numbers of the launches that have this version."""

    name: str
    date: str
    launches: tuple[int, ...]

    def only(self, launches: Collection[int]) -> "Version":
        """Returns the version with only those of its launches that are among these; with all of its
        own if none is, so that a version that measured nothing stays, and is named."""
        kept = tuple(number for number in self.launches if number in launches)
        return replace(self, launches=kept or self.launches)

    @property
    def dated(self) -> str:
        return f"{self.name} ({self.date})" if self.date else self.name


def library_of(metadata: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the MPI library's version, build id and path, as far as the file has them."""
    return tuple(metadata.get(key, NOT_GIVEN) for key in ("mpi", "mpi_build_id", "mpi_library"))


def name_libraries(found: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], str]:
    """Returns a name for each library, as short as tells it from the others."""
    every = list(dict.fromkeys(found))
    forms: tuple[Callable[[tuple[str, ...]], str], ...] = (
        lambda each: mpi_name(each[0]),
        lambda each: f"{mpi_name(each[0])}, {each[1][:ID_SHOWN]}",
        lambda each: f"{mpi_name(each[0])}, {each[1][:ID_SHOWN]}, {each[2]}",
        ", ".join,
    )
    for form in forms:
        named = {each: form(each) for each in every}
        if len({*named.values()}) == len(every):
            return named
    raise AssertionError(every)


def find_versions(launches: Sequence[Launch], by: str, order: str) -> list[Version]:
    """Returns the versions in the order of --order, with the launches that each has.

    by: the value of --by, which says what the versions are told apart by. Raises BadInput if a
    launch lacks that, or if the order does not place every version.
    """
    names = name_versions(launches, by)
    found: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        found.setdefault(name, []).append(number)
    ordered = sort_versions(found, order, launches)
    return [
        Version(name, date_of([launches[number] for number in found[name]]), tuple(found[name]))
        for name in ordered
    ]


def date_of(launches: Sequence[Launch]) -> str:
    """Returns the day of the first launch, as it says it; empty if none says when it began."""
    begun = [
        (begin, launch.metadata[START][:10])
        for launch in launches
        if (begin := begin_of(launch)) is not None
    ]
    return min(begun)[1] if begun else ""


def name_versions(launches: Sequence[Launch], by: str) -> list[str]:
    if by == LIBRARY:
        libraries = [library_of(launch.metadata) for launch in launches]
        named = name_libraries(libraries)
        return [named[each] for each in libraries]
    known = sorted({key for launch in launches for key in launch.metadata})
    check_known("--by", [by], [LIBRARY, *known], "a note or a metadata key of these launches")
    for launch in launches:
        if by not in launch.metadata:
            raise BadInput(f"--by {by}: {launch.path} does not have it; legal: a key that all have")
    return [launch.metadata[by] for launch in launches]


def sort_versions(
    found: Mapping[str, list[int]], order: str, launches: Sequence[Launch]
) -> list[str]:
    kind, _, where = order.partition(":")
    if kind == "git" and where:
        return sort_by_git(where, list(found))
    if kind == "list" and where:
        return sort_by_list(where, list(found))
    if order != ORDERS[0]:
        raise BadInput(f"--order: '{order}' is not legal; legal: {', '.join(ORDERS)}")
    first: dict[str, datetime] = {}
    for name, numbers in found.items():
        for number in numbers:
            begin = begin_of(launches[number])
            if begin is None:
                raise BadInput(
                    f"--order launch: {launches[number].path} does not say when it began; legal: "
                    f"{', '.join(ORDERS[1:])}"
                )
            first[name] = min(begin, first.get(name, begin))
    return sorted(first, key=lambda name: first[name])


def sort_by_list(file: str, names: Sequence[str]) -> list[str]:
    try:
        text = read_text(Path(file))
    except (BadInput, OSError) as error:
        raise BadInput(f"--order list:{in_words(error)}") from None
    except UnicodeDecodeError:
        raise BadInput(f"--order list:{file}: is no text; legal: a version a line") from None
    listed = [line.strip() for line in text.splitlines() if line.strip()]
    if lacking := [name for name in names if name not in listed]:
        raise BadInput(f"--order list:{file}: version '{lacking[0]}' is not in the list")
    if len(set(listed)) < len(listed):
        raise BadInput(f"--order list:{file}: a version stands in it twice")
    return [name for name in listed if name in names]


def sort_by_git(repository: str, names: Sequence[str]) -> list[str]:
    commits: dict[str, str] = {}
    for name in names:
        commit = ask_git(repository, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        if not commit:
            raise BadInput(f"--order git:{repository}: version '{name}' is no commit there")
        if commit in commits:
            raise BadInput(
                f"--order git:{repository}: '{name}' and '{commits[commit]}' are one commit"
            )
        commits[commit] = name
    listed = ask_git(repository, "rev-list", "--topo-order", "--reverse", *commits).split()
    return [commits[commit] for commit in listed if commit in commits]


def ask_git(repository: str, *words: str) -> str:
    """Returns what git says; empty if it refuses."""
    command = ["git", "-C", repository, *words]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        raise BadInput(f"--order git:{repository}: git cannot be run: {error.strerror}") from None
    return ended.stdout.strip() if ended.returncode == 0 else ""
