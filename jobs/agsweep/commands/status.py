# SPDX-License-Identifier: BSD-3-Clause
"""How far a sweep is: done, running, waiting, failed (and why), missing, unknown (and why).

The exit code is 0 if all is done, 3 if not.
"""

import sys
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence

from agsweep import options
from agsweep.precision import grown_progress
from agsweep.states import Progress, State, alike

WIDTH = 40


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    parser.add_argument("--all", action="store_true", help="a line for each launch")


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    _, found = grown_progress(sweep, folder)
    counts = Counter(each.state for each in found)
    print(f"{sweep.name}  {bar(counts)}  {counts[State.DONE]} of {len(found)} launches")
    print("  ".join(f"{state.value} {counts[state]}" for state in State))
    for text in map(line, found) if given.all else lines(found):
        print(text)
    if counts[State.FAILED]:
        again = f"agsweep resume {folder.words(sweep)}"
        print(f"logs: {folder.path / 'launches'}/*.log; {again} tries again")
    return 0 if counts[State.DONE] == len(found) else 3


def lines(found: Sequence[Progress]) -> Iterator[str]:
    """Yields a line for each launch that somebody has to look at."""
    yield from (line(each) for each in found if each.state in (State.FAILED, State.RUNNING))
    yield from map(line_of_alike, alike(found, State.MISSING, State.UNKNOWN))


def line_of_alike(some: Sequence[Progress]) -> str:
    return line(some[0]) + (f" (and {len(some) - 1} more: --all)" if some[1:] else "")


def bar(counts: Counter[State]) -> str:
    """Returns a bar of WIDTH characters in brackets: the parts of the launches that are done,
    running and failed, each in characters of its own."""
    total = sum(counts.values())
    marks = "█>x" if "utf" in (sys.stdout.encoding or "").lower() else "#>x"
    shown = ""
    for mark, state in zip(marks, (State.DONE, State.RUNNING, State.FAILED), strict=True):
        part = counts[state] * WIDTH // total
        shown += mark * max(part, min(1, counts[state], WIDTH - len(shown)))
    return f"[{shown[:WIDTH].ljust(WIDTH, '.')}]"


def line(each: Progress) -> str:
    since = (
        f" since {each.last.start} ({each.last.by})"
        if each.state is State.RUNNING and each.last
        else ""
    )
    return (
        f"{each.state.value:8} {each.launch.name}{since}{f': {each.reason}' if each.reason else ''}"
    )
