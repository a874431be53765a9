# SPDX-License-Identifier: BSD-3-Clause
"""Says which results a report is of: its files, filters, and what keeps launches apart."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence

import pandas as pd

from agformats.cli.keep_going import add_keep_going
from agformats.errors import BadInput, check_known
from agformats.files.beside_results import SUFFIXES
from agformats.peers.formats import NAMES
from agreport.cli import number_filter
from agreport.cli.rows import Row, option, several, together
from agreport.data.load import FILTERS, Results, read_files
from agreport.data.peer_launches import LogRules
from agreport.data.settings import fact_named, facts

NUMBERS = ("ranks", "bytes")  # filters by numbers; all others are by names

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
add_where = several(
    "--where", "KEY=VALUE", "only launches with this fact or note, such as oversubscribed=no"
)
add_apart = together(
    option(
        "--by",
        action="append",
        metavar="KEY,...",
        help="keep launches apart by these: a metadata key, machine, nodes, log, or the KEY of a "
        "--note, also as note.KEY (default: by as few as it takes, where launches of one case "
        "differ in what must agree)",
    ),
    several("--pool", "KEY,...", "take launches together although they differ in these"),
    add_where,
)


def files(what: str) -> Row:
    return together(
        option("files", nargs="+", metavar="FILES", help=what),
        *(add_filters, add_apart, add_keep_going),
    )


add_inputs = files(RESULT_FILES)


def add_companions(what: str, suffix: str) -> Row:
    """Returns the options of add_inputs, but for files that stand beside result files. what: these
    files, as the help calls them; suffix: the end of their names."""
    return files(
        f"{what} (*{suffix}), result files that have one beside them, globs, or directories"
    )


def name_logs(parser: ArgumentParser) -> None:
    """Names logs in the help of a report that takes them."""
    for action in parser._actions:
        if RESULT_FILES in str(action.help):
            action.help = str(action.help).replace(RESULT_FILES, RESULT_FILES + LOGS)


def load_selected(options: Namespace) -> Results:
    """Returns the results that the options name, filtered. Raises BadInput unless an ok row
    remains that counts.

    options.left_out becomes what is wrong with the files and cases that are left out: main tells
    scripts by the exit code.
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
    """Returns the rows of files beside result files, filtered; raises BadInput if none is left.

    read: makes the rows of the named files, given keep_going. what: the rows, in the message.
    options.left_out becomes what is wrong with the files and cases that are left out.
    """
    every = read(options.files, options.keep_going)
    options.left_out = every.left_out
    found, given = select(options, every)
    if found.rows.empty:
        raise BadInput(f"{', '.join(options.files)}: no {what}{left(given)}")
    return found


def log_rules(options: Namespace) -> LogRules:
    """Returns the number of ranks and the collective of logs that do not say it, where the filters
    leave one choice."""
    ranks = split_list(options.ranks)
    collectives = split_list(options.collective)
    return LogRules(
        int(ranks[0]) if len(ranks) == 1 and ranks[0].isdecimal() and len(ranks[0]) < 10 else 0,
        collectives[0] if len(collectives) == 1 else "",
        options.no_logs,
    )


def select(options: Namespace, results: Results) -> tuple[Results, list[str]]:
    """Returns the cases that the options of add_inputs choose, with their launches and the settings
    of these, and the filters that were given."""
    chosen, given = choose(options, results)
    by = None if options.by is None else split_list(options.by)
    return chosen.apart(by, split_list(options.pool)), given


def choose(options: Namespace, results: Results) -> tuple[Results, list[str]]:
    """Returns the cases that the filters and --where leave, with their launches, and the filters
    that were given. A launch of which the filters leave no row is dropped. One that had none before
    stays, so that the user is told."""
    chosen = results.only_launches(find_launches(options, results))
    rows, given = filter_rows(options, chosen.rows)
    emptied = {*chosen.rows["launch"].unique()} - {*rows["launch"].unique()}
    kept = [number for number in range(len(chosen.launches)) if number not in emptied]
    return chosen.keep(rows).only_launches(kept), given


def require_times(results: Results, given: Sequence[str], files: Sequence[str] = ()) -> Results:
    """Returns the results; raises BadInput if no row counts. Where an algorithm was wrong in a
    case, its ok rows do not count. given: the filters that the message names."""
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


def find_launches(options: Namespace, results: Results) -> list[int]:
    """Returns the numbers of the launches for which each --where holds. Raises BadInput if there
    are none, if a text is not KEY=VALUE, or if no launch has the key or the value."""
    kept = list(range(len(results.launches)))
    values = facts(results.runs, results.launches) if options.where else {}
    for text in options.where:
        key, equals, value = text.partition("=")
        if not equals:
            raise BadInput(f"--where: '{text}' is not KEY=VALUE")
        key = fact_named(key, values)
        check_known("--where", [key], list(values), "a fact or a note of these launches")
        check_known(f"--where {key}", [value], sorted(set(values[key])), "in these files")
        kept = [number for number in kept if values[key][number] == value]
    if not kept:
        raise BadInput(f"--where: no launch has all of {', '.join(options.where)}")
    return kept


def split_names(option: str, texts: Sequence[str], legal: Sequence[str]) -> list[str]:
    """Splits comma lists into names; a legal name that itself has commas, such as
    delayed:rank=3,delay=1ms, stays whole if it is given alone. Raises BadInput if one is not legal.
    """
    lists = [[text] if text in legal else text.split(",") for text in texts]
    names = [name.strip() for part in lists for name in part]
    check_known(option, names, legal, "in these files")
    return names
