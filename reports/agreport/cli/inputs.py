# SPDX-License-Identifier: BSD-3-Clause
"""Says which results a report is of: its files, filters, and what keeps launches apart."""

from argparse import Namespace
from collections.abc import Callable, Sequence

import pandas as pd

from agformats.errors import BadInput, check_known
from agreport.cli import number_filter
from agreport.cli.options import NUMBERS
from agreport.data.filters import FILTERS
from agreport.data.load import Results, read_files
from agreport.data.peer_launches import LogRules
from agreport.data.settings import fact_named, facts


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
