# SPDX-License-Identifier: BSD-3-Clause
"""All commands of agreport, under the headings that the help has."""

from collections.abc import Iterator

from agreport.cli.report import Report
from agreport.reports import (
    algorithms,
    arrivals,
    builds,
    publications,
    quality,
    schedules,
    winners,
)

GROUPS = {
    "how good a collective is here": quality.REPORTS,
    "which algorithm wins each case": winners.REPORTS,
    "which algorithm": algorithms.REPORTS,
    "under arrival patterns": arrivals.REPORTS,
    "a build against another": builds.REPORTS,
    "a publication's tables and figures": publications.REPORTS,
    "without results": schedules.REPORTS,
}
COMMANDS = {report.name: report for group in GROUPS.values() for report in group}


def report(name: str) -> Report:
    return COMMANDS[name]


def reports() -> list[Report]:
    return [*COMMANDS.values()]


def help_of(name: str) -> str:
    """Returns the first line of what a command's help says of it."""
    return COMMANDS[name].text.split("\n")[0]


def listing() -> Iterator[str]:
    """Yields the lines of a help text that has the commands under their headings."""
    width = max(map(len, COMMANDS))
    for heading, group in GROUPS.items():
        yield f"{heading}:"
        yield from (f"  {report.name:{width}}  {help_of(report.name)}" for report in group)
        yield ""
