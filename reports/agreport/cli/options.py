# SPDX-License-Identifier: BSD-3-Clause
"""Command line options that several reports share, and what they mean for the data."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd

from agformats.catalogue import catalogue
from agformats.errors import BadInput, check_known
from agformats.former_names import TakesOptions, add_former, current_name
from agreport.data import algorithm_sets
from agreport.data.load import METRICS, Results, load
from agreport.figure.words import size_label
from agreport.stats.contest import STATISTICS, Contest
from agreport.stats.times import partly_united

T = TypeVar("T")


@dataclass(frozen=True)
class Need:
    """Options that several reports have, and what is done with the data because of them."""

    add: Callable[[ArgumentParser], None]
    apply: Callable[[Namespace, Any], Any] = lambda _, data: data


FILTERS = ("collective", "mapping", "distribution", "arrival", "pattern", "ranks", "bytes")
FILTER_HELP = {
    "ranks": "only cases with this number of ranks",
    "pattern": "only arrival patterns of this name, such as uniform",
    "bytes": "only cases with this block size, such as 64K",
}


RESULT_FILES = "result files, globs, or directories (every *.csv below but *.ranks.csv)"


def add_inputs(parser: ArgumentParser, what: str = RESULT_FILES) -> None:
    parser.add_argument("files", nargs="+", metavar="FILES", help=what)
    add_filters(parser)


def add_filters(parser: ArgumentParser) -> None:
    for column in FILTERS:
        parser.add_argument(
            f"--{column}",
            action="append",
            default=[],
            metavar="NUMBER,..." if column in ("ranks", "bytes") else "NAME,...",
            help=FILTER_HELP.get(column, f"only cases with this {column}")
            + "; may be given several times",
        )


def add_contest(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--algorithm",
        default="sparbit",
        metavar="NAME",
        help="the algorithm that is compared with the best other one (default: %(default)s)",
    )
    versus = parser.add_argument(
        "--versus",
        action="append",
        default=[],
        metavar="NAME,...",
        help="the others: algorithms, or sets of them (default: all that have times); sets: "
        + ", ".join(f"{each.name} ({each.text})" for each in catalogue().algorithm_sets),
    )
    add_former(parser, versus, "--against")
    add_united(parser)
    add_statistic(parser)


def add_statistic(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--statistic",
        choices=STATISTICS,
        default=STATISTICS[0],
        help="over the iterations of a case, all launches together (default: %(default)s)",
    )


def add_united(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--united",
        action="store_true",
        help="of each algorithm take the better of its mappings in each case",
    )


def add_metric(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--metric",
        choices=METRICS,
        default="avg",
        help="smallest, average or largest elapsed time over the ranks (default: %(default)s)",
    )


def add_x(parser: TakesOptions, *, axes: Iterable[str], former: str) -> None:
    """The first of the axes is the default."""
    names = list(axes)
    action = parser.add_argument(
        "--x",
        choices=names,
        default=names[0],
        help="the horizontal axis of the figure (default: %(default)s)",
    )
    add_former(parser, action, former)


def add_algorithms(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--algorithms",
        action="append",
        default=[],
        metavar="NAME,...",
        help="only these (default: all that have times)",
    )


def only_algorithms(options: Namespace, results: Results) -> Results:
    if not options.algorithms:
        return results
    timed = set(results.timed()["algorithm"].unique())
    legal = [name for name in results.catalogue if name in timed]
    names = split_names("--algorithms", options.algorithms, legal)
    return results.keep(results.rows[results.rows["algorithm"].isin(names)])


def add_output(
    parser: ArgumentParser, endings: Sequence[str], what: str = "", required: bool = True
) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=path_ending(endings),
        required=required,
        metavar="FILE",
        help=f"{what}{' or '.join(endings)}; an existing file is overwritten",
    )


def add_csv(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--csv",
        type=path_ending([".csv"]),
        metavar="FILE",
        help="also write the plotted data as CSV",
    )


def path_ending(endings: Sequence[str] = ()) -> Callable[[str], Path]:
    """An argparse type: a file in an existing directory, with one of the endings if any."""

    def parse(text: str) -> Path:
        path = Path(text)
        if endings and path.suffix.lower() not in endings:
            raise ArgumentTypeError(f"'{text}' must end in one of {', '.join(endings)}")
        if not path.parent.is_dir():
            raise ArgumentTypeError(f"'{text}': the directory '{path.parent}' does not exist")
        return path

    return parse


def count(text: str) -> int:
    """An argparse type: 1, 2, ..."""
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise ArgumentTypeError(f"'{text}' is no number of 1 or more")
    return int(text)


def numbers(option: str, text: str) -> list[int]:
    """1,4 or 0:4 or both -> the numbers, sorted."""
    found: set[int] = set()
    for part in text.split(","):
        first, colon, last = part.strip().partition(":")
        ends = [first, last if colon else first]
        if not all(end.isdecimal() and len(end) < 7 for end in ends) or int(ends[0]) > int(ends[1]):
            raise BadInput(f"{option}: '{part}' is no number or range of numbers such as 4 or 0:4")
        found.update(range(int(ends[0]), int(ends[1]) + 1))
    return sorted(found)


def load_selected(options: Namespace) -> Results:
    """The results named by the options, filtered; at least one ok row.

    options.left_out becomes what is wrong with the files that are not in it: main tells scripts.
    """
    results = load(options.files, keep_going=True)
    options.left_out = results.left_out
    rows, given = filtered(options, results.rows)
    if not (rows["status"] == "ok").any():
        raise BadInput(f"{', '.join(options.files)}: no ok rows{left(given)}")
    return results.keep(rows)


def left(given: Sequence[str]) -> str:
    return f" left after {' '.join(given)}" if given else ""


def filtered(options: Namespace, found_rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """What the filters leave, and the filters that were given."""
    rows = found_rows
    given: list[str] = []
    for column in FILTERS:
        if texts := getattr(options, column):
            found = sorted(found_rows[column].unique())
            if column == "bytes":
                labels = {size_label(size): str(size) for size in found}
                texts = [",".join(labels.get(s, s) for s in text.split(",")) for text in texts]
            names = split_names(f"--{column}", texts, [str(value) for value in found])
            rows = rows[rows[column].astype(str).isin(names)]
            given.append(f"--{column} {','.join(names)}")
    return rows, given


def limited(groups: Sequence[T], most: int, first: int | None, what: str) -> Sequence[T]:
    """The first so many groups of a figure; without that number all, or a refusal if too many."""
    if first is None and len(groups) > most:
        raise BadInput(
            f"the figure would have {len(groups)} {what}, and {most} are the most; choose fewer "
            f"cases with {', '.join(f'--{name}' for name in FILTERS)}"
        )
    return groups[:first]


def split_names(option: str, texts: Sequence[str], legal: Sequence[str]) -> list[str]:
    """Comma lists -> names; a name that itself has commas (delayed:rank=3,delay=1ms) stays whole"""
    lists = [[text] if text in legal else text.split(",") for text in texts]
    names = [name.strip() for part in lists for name in part]
    check_known(option, names, legal, "in these files")
    return names


def settle_contest(options: Namespace, results: Results) -> Results:
    """options.contest becomes who is compared with whom; both sides must have times."""
    timed = set(results.timed()["algorithm"].unique())
    legal = [name for name in results.catalogue if name in timed]
    check_known("--algorithm", [options.algorithm], legal, "an algorithm with times here")
    every = [each.name for each in catalogue().algorithm_sets]
    sets = [name for name in every if algorithm_sets.members(name, legal)]
    former = catalogue().former_sets()
    given = [
        ",".join(current_name("agreport", name.strip(), former) for name in text.split(","))
        for text in options.versus
    ]
    named = split_names("--versus", given, [*legal, *sets])
    wanted = [] if named else list(legal)
    for name in named:
        wanted += algorithm_sets.members(name, legal) if name in sets else [name]
    others = [name for name in legal if name in wanted and name != options.algorithm]
    if not others:
        versus = f" --versus {','.join(options.versus)}" if options.versus else ""
        raise BadInput(
            f"--algorithm {options.algorithm}{versus}: nothing to compare it with; "
            f"with times: {', '.join(legal)}"
        )
    check_united(options, results)
    options.contest = Contest(options.algorithm, others, options.statistic, options.united)
    return results


def check_united(options: Namespace, results: Results) -> Results:
    """Uniting takes several mappings; cases that lack one are named."""
    mappings = sorted(results.timed()["mapping"].unique())
    if options.united and len(mappings) < 2:
        raise BadInput(f"--united: only one mapping has times here, {', '.join(mappings)}")
    if options.united and (few := partly_united(results)):
        print(
            f"agreport: warning: --united: {few} cases were not measured under each of "
            f"{', '.join(mappings)}; measure them, or leave them out with a filter",
            file=sys.stderr,
        )
    return results


CONTEST = Need(add_contest, settle_contest)
STATISTIC = Need(add_statistic)
UNITED = Need(add_united, check_united)
METRIC = Need(add_metric)
ALGORITHMS = Need(add_algorithms, only_algorithms)
