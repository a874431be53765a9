# SPDX-License-Identifier: BSD-3-Clause
"""Options that several reports share beside their inputs, and what they mean for the data."""

import sys
from argparse import Action, ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agformats.catalogue import catalogue
from agformats.cli.one_line_parser import needs_figure
from agformats.errors import BadInput, check_known
from agformats.files.outputs import OutputFile
from agreport.cli import arg_types, inputs
from agreport.data import algorithm_sets
from agreport.data.algorithm_sets import LIBRARY
from agreport.data.load import METRICS, Results
from agreport.figure.words import partly_united_text
from agreport.stats.contest import STATISTICS, Contest
from agreport.stats.times import can_be_united, times_of


@dataclass(frozen=True)
class Need:
    """Options that several reports have, and what is done with the data because of them."""

    add: Callable[[ArgumentParser], None]
    apply: Callable[[Namespace, Any], Any] = lambda _, data: data


def add_contest(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--algorithm",
        metavar="NAME",
        help=f"the algorithm that is compared with the best other one (default: {LIBRARY} if it "
        "has times, else the one that is most often the fastest)",
    )
    parser.add_argument(
        "--versus",
        action="append",
        default=[],
        metavar="NAME,...",
        help="the others: algorithms, or sets of them (default: all that have times); sets: "
        + ", ".join(f"{each.name} ({each.text})" for each in catalogue().algorithm_sets),
    )
    add_united(parser)
    add_statistic(parser)


def option(*names: str, **described: Any) -> Callable[[ArgumentParser], None]:
    """What a need adds, where that is one option."""

    def add(parser: ArgumentParser) -> None:
        parser.add_argument(*names, **described)

    return add


add_statistic = option(
    "--statistic",
    choices=STATISTICS,
    default=STATISTICS[0],
    help="over the iterations of a case, all launches together (default: %(default)s)",
)
add_united = option(
    "--united",
    action="store_true",
    help="of each algorithm take the better of its mappings in each case",
)
add_metric = option(
    "--metric",
    choices=METRICS,
    default="avg",
    help="smallest, average or largest elapsed time over the ranks, or run: last exit minus first "
    "arrival (default: %(default)s)",
)
add_algorithms = option(
    "--algorithms",
    action="append",
    default=[],
    metavar="NAME,...",
    help="only these algorithms, or sets of them (default: all that have times)",
)


class TakesOptions(Protocol):
    """A parser, or a group of its options."""

    def add_argument(self, *names: str, **described: Any) -> Action: ...


def add_x(parser: TakesOptions, *, axes: Iterable[str]) -> None:
    """The first of the axes is the default."""
    names = list(axes)
    x = parser.add_argument(
        "--x",
        choices=names,
        default=names[0],
        help="the horizontal axis of the figure (default: %(default)s)",
    )
    needs_figure(x)


def add_start(parser: TakesOptions) -> None:
    """Adds --from to figures that may have too many panels for a page."""
    start = parser.add_argument(
        "--from",
        dest="start",
        type=arg_types.count,
        default=1,
        metavar="NUMBER",
        help="the first panel that is drawn, by the numbers of the caption, of too many for a page "
        "(default: %(default)s)",
    )
    needs_figure(start)


def only_algorithms(options: Namespace, results: Results) -> Results:
    if not options.algorithms:
        return results
    legal = results.timed_algorithms()
    names, sets = split_algorithms("--algorithms", options.algorithms, legal)
    results = algorithm_sets.without_left_out(results, sets)
    results = results.keep(results.rows[results.rows["algorithm"].isin(names)])
    return inputs.require_times(results, [f"--algorithms {','.join(options.algorithms)}"])


def add_output(
    parser: ArgumentParser, endings: Sequence[str], what: str = "", required: bool = True
) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=OutputFile(endings),
        required=required,
        metavar="FILE",
        help=f"{what}{' or '.join(endings)}; an older one is replaced",
    )


def split_algorithms(
    option: str, texts: Sequence[str], legal: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Comma lists of algorithms and sets of them -> the algorithms, and those that were sets;
    without a list all of them."""
    every = [each.name for each in catalogue().algorithm_sets]
    sets = [name for name in every if algorithm_sets.members(name, legal)]
    named = inputs.split_names(option, list(texts), [*legal, *sets])
    found = [] if named else list(legal)
    for name in named:
        found += algorithm_sets.members(name, legal) if name in sets else [name]
    return found, [name for name in named if name in sets]


def settle_contest(options: Namespace, results: Results, alone: bool = False) -> Results:
    """options.contest becomes who is compared with whom; both sides must have times, or with alone
    only the algorithm, where no others were asked for."""
    check_united(options, results)
    legal = results.timed_algorithms()
    if options.algorithm is None:
        options.algorithm = default_algorithm(options, results)
    check_known("--algorithm", [options.algorithm], legal, "an algorithm with times here")
    wanted, sets = split_algorithms("--versus", options.versus, legal)
    others = [name for name in legal if name in wanted and name != options.algorithm]
    if not others and (options.versus or not alone):
        versus = f" --versus {','.join(options.versus)}" if options.versus else ""
        raise BadInput(
            f"--algorithm {options.algorithm}{versus}: nothing to compare it with; "
            f"with times: {', '.join(legal)}"
        )
    results = algorithm_sets.without_left_out(results, sets)
    options.contest = Contest(options.algorithm, others, options.statistic, options.united)
    return results


def default_algorithm(options: Namespace, results: Results) -> str:
    """The library's own, or else the one that is the fastest in most cases."""
    if LIBRARY in (legal := results.timed_algorithms()):
        return LIBRARY
    metric = getattr(options, "metric", "avg")
    us = times_of(results, metric, options.statistic, options.united).of(legal).once().us
    counts = us.dropna(how="all").idxmin(axis=1).value_counts()
    return max(legal, key=lambda name: int(counts.get(name, 0)))


def check_united(options: Namespace, results: Results) -> Results:
    """Uniting takes several mappings, and a case that has all; cases that lack one are named."""
    mappings = sorted(results.timed_runs["mapping"].unique())
    if options.united and len(mappings) < 2:
        raise BadInput(f"--united: only one mapping has times here, {', '.join(mappings)}")
    if options.united:
        if not can_be_united(results):
            raise BadInput(f"--united: no case has times under each of {', '.join(mappings)}")
        for text in partly_united_text(results):
            print(f"agreport: warning: --united: {text}", file=sys.stderr)
    return results


CONTEST = Need(add_contest, settle_contest)
STATISTIC = Need(add_statistic)
UNITED = Need(add_united, check_united)
METRIC = Need(add_metric)
START = Need(add_start)
ALGORITHMS = Need(add_algorithms, only_algorithms)
