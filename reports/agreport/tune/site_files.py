# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a site's file makes an MPI library choose, whichever library's file it is."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A case for which a library chooses an algorithm. nodes: how many nodes the ranks are on; 0
    where launches differ in that or do not say it. in_place: whether the calls are in place."""

    collective: str
    ranks: int
    bytes: int
    nodes: int
    in_place: bool

    @property
    def total_bytes(self) -> int:
        return self.bytes * self.ranks


@dataclass(frozen=True)
class Choice:
    """What a site's file makes a library choose in a case.

    algorithm: `native`, the library's own choice, or native:NAME, and behind a comma what the file
    tells the algorithm otherwise than it is measured with; empty: there is none, or what the file
    asks for is not known of the case. place: where the rule stands, or why there is no algorithm,
    or no time of it.
    """

    algorithm: str
    place: str


@dataclass(frozen=True)
class SiteFile:
    """A site's file, which makes a library choose algorithms.

    kind: what kind of file it is, and so of which library. choose: returns the choice in a case.
    collectives: those that the file has rules for. title: returns what the file calls a collective.
    unread_by: how the metadata key mpi begins of versions of the library that do not read such a
    file.
    """

    kind: str
    choose: Callable[[Case], Choice]
    collectives: tuple[str, ...]
    title: Callable[[str], str] = str
    unread_by: tuple[str, ...] = ()
