# SPDX-License-Identifier: BSD-3-Clause
"""The versions that launches are of, in their order."""

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agformats.errors import BadInput, check_known, in_words
from agformats.files.result_file import Launch
from agreport.data.mpi_name import mpi_name

BUILD = ("mpi", "mpi_library", "mpi_build_id")  # what the version of a library is by default
SHORT_ID = 8  # characters of a build's id
NOTE = "note."
GIT, LIST = "git", "list"


@dataclass(frozen=True)
class Version:
    """launches: the numbers of its launches, in the order of their starts."""

    name: str
    launches: tuple[int, ...]
    start: str

    @property
    def date(self) -> str:
        """Of its first launch; empty if that does not say it."""
        return self.start[:10]


def find_versions(launches: Sequence[Launch], by: str, order: str) -> list[Version]:
    """by: a metadata key, or empty: the library, by its path and build id. order: empty, in that of
    the first launches; git:REPOSITORY or list:FILE. Raises BadInput."""
    of_name: dict[str, list[int]] = {}
    for number, launch in enumerate(launches):
        of_name.setdefault(name_of(launch, by), []).append(number)
    versions = []
    for name, numbers in of_name.items():
        start = {number: launches[number].metadata.get("start", "") for number in numbers}
        inner = sorted(numbers, key=lambda number: start[number])
        versions.append(Version(name, tuple(inner), start[inner[0]]))
    kind, colon, where = order.partition(":")
    if not order:
        require_starts(versions, launches)
        return sorted(versions, key=lambda version: version.start)
    if kind not in (GIT, LIST) or not colon or not where:
        raise BadInput(f"--order: '{order}' is no order; legal: {GIT}:REPOSITORY, {LIST}:FILE")
    names = commits_of(where) if kind == GIT else lines_of(Path(where))
    return in_order(versions, names, order, kind == GIT)


def name_of(launch: Launch, by: str) -> str:
    said = launch.metadata
    if by:
        if by not in said:
            check_known(f"--by: {launch.path}", [by], sorted(said), "a key of this file")
        return said[by]
    library, path, build = (said.get(key, "") for key in BUILD)
    if not library:
        raise BadInput(f"{launch.path}: does not say its MPI library; legal: with --by KEY")
    parts = [mpi_name(library), path, build[:SHORT_ID]]
    return " ".join(filter(None, parts))


def require_starts(versions: Sequence[Version], launches: Sequence[Launch]) -> None:
    for version in versions:
        if not version.start:
            path = launches[version.launches[0]].path
            raise BadInput(f"{path}: does not say when it began; legal: with --order")


def commits_of(repository: str) -> list[str]:
    """Every commit, each before those that follow from it."""
    command = ["git", "-C", repository, "rev-list", "--all", "--topo-order", "--reverse"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = done.stderr.strip().splitlines()
        raise BadInput(f"--order {GIT}:{repository}: {said[0] if said else 'git failed'}")
    return done.stdout.split()


def lines_of(file: Path) -> list[str]:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--order {LIST}:{file}: {in_words(error)}") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def in_order(
    versions: Sequence[Version], names: Sequence[str], order: str, may_be_short: bool
) -> list[Version]:
    """may_be_short: a version is the beginning of a name."""
    places = {}
    for version in versions:
        found = [
            place
            for place, name in enumerate(names)
            if name == version.name or (may_be_short and name.startswith(version.name))
        ]
        if len(found) != 1:
            what = "none" if not found else f"{len(found)} entries"
            raise BadInput(f"--order {order}: has {what} for the version '{version.name}'")
        places[version.name] = found[0]
    return sorted(versions, key=lambda version: places[version.name])
