# SPDX-License-Identifier: BSD-3-Clause
"""All commands of agreport, and the module that each is in.

Only the module of the command that is given is imported: with all of them, pandas and matplotlib
too, --help would take seconds.
"""

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from agreport.figure.plain_matplotlib import import_matplotlib

if TYPE_CHECKING:
    from agreport.cli.report import Report

# The modules of the commands, by name, under the headings that the help has.
GROUPS = {
    "how good a collective is here": {
        "page": "page.command",
        "times": "times.times",
        "summary": "times.summary",
        "diagnostics": "diagnostics.caveats",
        "nodes": "diagnostics.nodes",
        "steps": "diagnostics.steps",
        "counters": "diagnostics.counters",
        "export": "times.export",
    },
    "which algorithm wins each case": {
        "selection": "winners.selection",
        "heatmap": "winners.heatmap",
        "loss": "winners.loss",
        "table": "winners.table",
        "boxplot": "winners.boxplot",
        "venn": "winners.venn",
        "against-sets": "winners.against_sets",
    },
    "which algorithm": {
        "speedup": "times.speedup",
        "scaling": "times.scaling",
        "impact": "times.impact",
        "overlap": "times.overlap",
        "variation": "times.variation",
        "series": "times.series",
        "model": "times.model",
        "predict": "times.predict",
        "tune": "tune.command",
    },
    "under arrival patterns": {
        "arrival": "arrivals.arrival",
        "absorption": "arrivals.absorption",
        "delays": "arrivals.delays",
        "computation": "arrivals.computation",
        "trace": "trace.command",
    },
    "a build against another": {"compare": "compare.command", "history": "history.command"},
    "a publication's tables and figures": {
        "loch2021": "page.loch2021",
        "proficz2021": "page.proficz2021",
        "pappalardo": "page.pappalardo",
    },
    "without results": {
        "schedule": "schedules.schedule_figure",
        "tree": "schedules.tree",
        "rings": "schedules.rings",
        "mapping": "schedules.mapping",
        "distributions": "schedules.distributions",
        "cost": "schedules.cost_figure",
    },
}
COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}


def report(name: str) -> "Report":
    import_matplotlib()  # most modules of reports import it
    found: Report = import_module(f"agreport.{COMMANDS[name]}").REPORT
    assert found.name == name, COMMANDS[name]
    return found


def reports() -> list["Report"]:
    return [report(name) for name in COMMANDS]


def help_of(name: str) -> str:
    """Returns the first line of the docstring of a command's module, without importing the
    module."""
    spec = find_spec(f"agreport.{COMMANDS[name]}")
    assert spec and spec.origin, name
    with Path(spec.origin).open(encoding="utf-8") as source:  # parsing each would take long
        return next(line for line in source if line.startswith('"""')).strip('"\n')


def listing() -> Iterator[str]:
    """Yields the lines of a help text that has the commands under their headings."""
    width = max(map(len, COMMANDS))
    for heading, group in GROUPS.items():
        yield f"{heading}:"
        yield from (f"  {name:{width}}  {help_of(name)}" for name in group)
        yield ""
