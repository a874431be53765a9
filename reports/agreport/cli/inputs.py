# SPDX-License-Identifier: BSD-3-Clause
"""Says which results a report is of: its files, filters, and what keeps launches apart."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence

import pandas as pd

from agformats.cli.keep_going import add_keep_going
from agformats.errors import BadInput, check_known
from agformats.peers.formats import NAMES
from agreport.cli import number_filter
from agreport.cli.rows import Row, option, several, together
from agreport.data.load import FILTERS, Results, read_files
from agreport.data.peer_launches import LogRules
from agreport.data.result_paths import SUFFIXES
from agreport.data.settings import facts

NUMBERS = ("ranks", "bytes")  # the others are names

FILTER_HELP = {
    "ranks": f"only cases with these numbers of ranks: {number_filter.FORMS}; one number is also "
    "that of logs of other programs that do not say it",
    "pattern": "only arrival patterns of this name, such as uniform",
    "bytes": "only cases with these block sizes, likewise",
}

RESULT_FILES = (
    "result files, data sets (results.parquet), globs, or directories (every *.csv, *.csv.gz and "
    f"results.parquet below but {', '.join(f'*{suffix}' for suffix in SUFFIXES)})"
)
LOGS = f"; or logs of other programs: {', '.join(NAMES)}"


add_filters = together(
    *(
        several(
            f"--{column}",
            "NUMBERS" if column in NUMBERS else "NAME,...",
            FILTER_HELP.get(column, f"only cases with this {column}")
            + "; may be given several times",
        )
        for column in FILTERS
    )
)
add_apart = together(
    option(
        "--by",
        action="append",
        metavar="KEY,...",
        help="keep launches apart by these: a metadata key, machine, nodes, log, or the KEY of a "
        "--note (default: by as few as it takes, where launches of one case differ in what must "
        "agree)",
    ),
    several("--pool", "KEY,...", "take launches together although they differ in these"),
    several(
        "--where", "KEY=VALUE", "only launches with this fact or note, such as oversubscribed=no"
    ),
)


def files(what: str) -> Row:
    return together(
        option("files", nargs="+", metavar="FILES", help=what),
        *(add_filters, add_apart, add_keep_going),
    )


add_inputs = files(RESULT_FILES)


def add_companions(what: str, suffix: str) -> Row:
    """The same options for files that stand beside result files."""
    return files(
        f"{what} (*{suffix}), result files that have one beside them, globs, or directories"
    )


def name_logs(parser: ArgumentParser) -> None:
    """Names logs in the help of a report that takes them."""
    for action in parser._actions:
        if RESULT_FILES in str(action.help):
            action.help = str(action.help).replace(RESULT_FILES, RESULT_FILES + LOGS)


def load_selected(options: Namespace) -> Results:
    """The results named by the options, filtered; at least one ok row.

    options.left_out becomes what is wrong with the files and cases that are not in it: main tells
    scripts.
    """
    results = read_files(
        options.files,
        skip_bad_files=True,
        keep_going=options.keep_going,
        rules=log_rules(options),
    )
    options.left_out = results.left_out
    found, given = select(options, results)
    return require_times(found, given, options.files)


def load_companions(
    options: Namespace, read: Callable[[Sequence[str], bool], Results], what: str
) -> Results:
    """The rows of files beside result files, filtered; BadInput if none is left. what: they are."""
    every = read(options.files, options.keep_going)
    options.left_out = every.left_out
    found, given = select(options, every)
    if found.rows.empty:
        raise BadInput(f"{', '.join(options.files)}: no {what}{left(given)}")
    return found


def log_rules(options: Namespace) -> LogRules:
    """Returns what the filters say of logs that do not say it, where they leave one choice."""
    ranks = split_list(options.ranks)
    collectives = split_list(options.collective)
    return LogRules(
        int(ranks[0]) if len(ranks) == 1 and ranks[0].isdecimal() and len(ranks[0]) < 10 else 0,
        collectives[0] if len(collectives) == 1 else "",
        options.no_logs,
    )


def select(options: Namespace, results: Results) -> tuple[Results, list[str]]:
    """The cases that the options of add_inputs choose, their launches with their settings, and the
    filters that were given. A launch that had no rows before stays, so that this is told."""
    chosen = of_launches(options, results)
    rows, given = filter_rows(options, chosen.rows)
    emptied = {*chosen.rows["launch"].unique()} - {*rows["launch"].unique()}
    kept = [number for number in range(len(chosen.launches)) if number not in emptied]
    chosen = chosen.keep(rows).only_launches(kept)
    by = None if options.by is None else split_list(options.by)
    return chosen.apart(by, split_list(options.pool)), given


def require_times(results: Results, given: Sequence[str], files: Sequence[str] = ()) -> Results:
    """BadInput if no row counts: where an algorithm was wrong, its ok rows do not."""
    if not results.timed_runs.empty:
        return results
    head = f"{', '.join(files)}: " if files else ""
    wrong = "" if results.with_status("ok").empty else " but of what was wrong in the same case"
    raise BadInput(f"{head}no ok rows{wrong}{left(given)}")


def split_list(texts: Sequence[str]) -> list[str]:
    return [name.strip() for text in texts for name in text.split(",")]


def left(given: Sequence[str]) -> str:
    return f" left after {' '.join(given)}" if given else ""


def filter_rows(options: Namespace, found_rows: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Returns the rows that the filters leave, and the filters that were given."""
    rows = found_rows
    given: list[str] = []
    for column in FILTERS:
        if texts := getattr(options, column):
            found = sorted(found_rows[column].unique())
            if column in NUMBERS:
                kept = number_filter.chosen(f"--{column}", texts, found)
                rows = rows[rows[column].isin(kept)]
                given.append(f"--{column} {','.join(texts)}")
                continue
            names = split_names(f"--{column}", texts, [str(value) for value in found])
            rows = rows[rows[column].astype(str).isin(names)]
            given.append(f"--{column} {','.join(names)}")
    return rows, given


def of_launches(options: Namespace, results: Results) -> Results:
    """The launches for which --where holds."""
    if not options.where:
        return results
    values = facts(results.runs, results.launches)
    kept = list(range(len(results.launches)))
    for text in options.where:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"--where: '{text}' is not KEY=VALUE")
        check_known("--where", [key], list(values), "a fact or a note of these launches")
        check_known(f"--where {key}", [value], sorted(set(values[key])), "in these files")
        kept = [number for number in kept if values[key][number] == value]
    if not kept:
        raise BadInput(f"--where: no launch has all of {', '.join(options.where)}")
    return results.only_launches(kept)


def split_names(option: str, texts: Sequence[str], legal: Sequence[str]) -> list[str]:
    """Comma lists -> names; a name that itself has commas (delayed:rank=3,delay=1ms) stays whole"""
    lists = [[text] if text in legal else text.split(",") for text in texts]
    names = [name.strip() for part in lists for name in part]
    check_known(option, names, legal, "in these files")
    return names
