# SPDX-License-Identifier: BSD-3-Clause
"""Values that make no sense to nearly every option, and what a refusal of one looks like."""

import re
from collections.abc import Sequence
from pathlib import Path

from agformats.errors import in_one_line

LONG = "a" * 300
BAD = (
    "--",
    "",
    "\n",
    "a\nb\r",
    "nan",
    "-inf",
    "-1",
    "9" * 400,
    LONG,
    f"{LONG}/b",
    "\udcff",
    "1e999",
    ",",
    "=",
    ":",
    "0",
    " ",
    "2147483648",
    "9223372036854775807",
    "1:9223372036854775807",
    "ä\N{FULLWIDTH DIGIT ONE}",
    "%s%n",
    "/",
    "/nosuch/folder/a.csv",
)
# An option in what a program that uses CLI11 prints with --help.
IN_HELP = re.compile(r"^ +(?:-\w, *)?(?:--[a-z-]+,)*(--[a-z][a-z-]*)(?: (\S+))?", re.MULTILINE)


def some(number: int, count: int = 3) -> Sequence[str]:
    """A few of them, others for each number."""
    return [BAD[(5 * number + 7 * k) % len(BAD)] for k in range(count)]


def is_named(message: str, option: str, value: str) -> bool:
    """Returns whether a refusal says which option, or which value, it is about."""
    shown = in_one_line(value)
    quoted = [f"'{each}'" if len(each) < 10 else f"'{each[:9]}" for each in (value, shown)]
    path = f"/{shown}" if shown else "no path"
    return any(each in message for each in (option, path, *quoted))


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
