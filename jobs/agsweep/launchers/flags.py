# SPDX-License-Identifier: BSD-3-Clause
"""flags.txt, which has two readers: the launchers here, and the build's mpirun_here."""

from functools import cache
from importlib.resources import files


def flags(launcher: str, when: str) -> list[str]:
    return table()[launcher, when]


@cache
def table() -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for line in files(__package__).joinpath("flags.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            launcher, when, flag = line.split()
            found.setdefault((launcher, when), []).append(flag)
    return found
