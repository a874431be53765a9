# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a site's file makes an MPI library choose, whichever library's file it is."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """nodes: 0 where launches differ in it or do not say it."""

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
    """algorithm: `native`, the library's own choice, or native:NAME; empty: there is none, or what
    the file asks for is not known of the case; place: of the rule, or why there is none."""

    algorithm: str
    place: str


@dataclass(frozen=True)
class SiteFile:
    """kind: whose file it is; collectives: that it has rules for; title: what it calls one."""

    kind: str
    choose: Callable[[Case], Choice]
    collectives: tuple[str, ...]
    title: Callable[[str], str] = str
