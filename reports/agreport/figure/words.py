# SPDX-License-Identifier: BSD-3-Clause
"""The words of titles, captions and sentences: names, cases, sizes and counts.

The catalogue has the names of algorithms, distributions, mappings and collectives as people write
them. Figures that are not for a paper keep the names that users type.
"""

from collections.abc import Collection
from functools import cache

import pandas as pd

from agformats.case_words import SLOWEST
from agformats.catalogue import catalogue
from agformats.files.result_file import CYCLE, PLACES, SCHEDULE
from agformats.units import exactly, three_digits, time_unit
from agreport.data.arrival_labels import NONE
from agreport.data.load import CASE, ELAPSED, PAIR, PANEL, SETTING, Results
from agreport.data.total_sizes import TOTAL
from agreport.figure.medium import medium
from agreport.stats.same_messages import same_messages
from agreport.stats.times import NEAR_PERCENT, UNITED, Times, partly_united

NEAR_TIE = f"less than {NEAR_PERCENT:g} % apart, or not surely apart (95 %)"
EQUALLY_FAST = "equally fast, as simulations are exact"
# The words of the divisor have no-break spaces between them, so captions break the formula beside
# an operator only.
FORMULA = "100 × (1 − t / t_best_other)".replace("_", "\N{NO-BREAK SPACE}")  # noqa: RUF001
AS_LAUNCHED = "as launched"  # the mapping of launches that asked for none
FILE = "file"  # algorithms and distributions that the user wrote down
# The columns of tables that hold such names.
NAMED = ("collective", "mapping", "distribution", "algorithm", "fastest", "second", "rival")


@cache
def known_titles() -> dict[str, str]:
    known = catalogue()
    tables = (known.algorithms, known.distributions, known.mappings, known.collectives)
    found = {row.name: row.title for table in tables for row in table}
    return {**found, UNITED: UNITED.capitalize()}


def in_print(frame: pd.DataFrame) -> pd.DataFrame:
    """Returns the table with its names, in the columns of NAMED, as people write them."""
    named = [name for name in NAMED if name in frame]
    return frame.assign(**{name: frame[name].astype(str).map(title_of) for name in named})


def title_of(name: str) -> str:
    """Returns a name as people write it: sparbit:batch=2 -> Sparbit, batch 2; ring@switch -> Ring,
    switch order. A name that is not ours stays, and so does that of a file."""
    whole, *parameters = name.split(":")
    base, _, order = whole.partition("@")
    title = known_titles().get(base)
    if title is None or (base == FILE and parameters):
        return name
    parts = [title, *([f"{order} order"] if order else [])]
    return ", ".join([*parts, *(part.replace("=", " ").replace("_", " ") for part in parameters)])


def shown(name: str) -> str:
    """Returns the name as a figure has it: as people write it in a paper, else as users type it."""
    return title_of(name) if medium().paper else name


def within(name: str) -> str:
    """Returns the name as `shown` does, but for the place behind other words, so with a first
    letter in lower case: half-full, sequential."""
    text = shown(name)
    return text[:1].lower() + text[1:]


def listed(names: list[str]) -> str:
    return ", ".join(map(shown, names))


def time_of(metric: str) -> str:
    """Returns what a metric is the time of, in a caption."""
    if metric in ELAPSED:
        return f"{metric} elapsed time over the ranks (call alone)"
    if metric == CYCLE:
        return "time of the whole cycle (write, call, read), mean over the ranks"
    if metric == SCHEDULE:
        return "time to make the schedule of a call, on the slowest rank"
    return "run time (last exit minus first arrival)"


def what_a_time_is(statistic: str, metric: str) -> str:
    """Returns the sentence that says what printed times are."""
    return f"A time is the {statistic} of the {time_of(metric)}."


def timed_once(metric: str) -> str:
    """Returns what has one time of this metric."""
    return "turn" if metric == CYCLE else "iteration"


def panel_title(panel: tuple[str, ...], varied: bool) -> str:
    """Returns what the cases of a panel have in common. varied: some panel has an arrival pattern,
    so that each title names its own."""
    named = dict(zip(PANEL, panel, strict=True))
    keys = ("setting", "collective", "distribution", "mapping")
    first, *rest = [named[key] for key in keys if named[key]]
    title = ", ".join([shown(first), *map(within, rest)])
    title += " mappings" if named["mapping"] == UNITED else ""
    unusual = [describe_value(name, named[name]) for name in catalogue().ordinary]
    return ", ".join(
        filter(None, [title, *unusual, f"arrival {named['arrival']}" if varied else ""])
    )


def panel_titles(frame: pd.DataFrame, across: str = "") -> dict[tuple[str, ...], str]:
    """Returns the title of every panel of an index whose first levels are PANEL, by panel, in the
    order of the index.

    across: what a panel has several of, so that its title names none; in the key it is empty.
    """
    panels = frame.index.droplevel([n for n in frame.index.names if n not in PANEL]).unique()
    if across in PANEL:
        panels = panels.to_frame().assign(**{across: ""}).set_index(PANEL).index.unique()
    varied = set(panels.get_level_values("arrival")) != {NONE}
    if set(panels.get_level_values("mapping")) == {AS_LAUNCHED}:  # the mapping goes without saying
        place = PANEL.index("mapping")
        return {
            panel: panel_title((*panel[:place], "", *panel[place + 1 :]), varied)
            for panel in panels
        }
    return {panel: panel_title(panel, varied) for panel in panels}


def describe_value(column: str, value: object) -> str:
    """Returns a value of a column as a title has it: 16 ranks, blocks of 64 KiB; empty for what
    goes without saying."""
    if value == catalogue().ordinary.get(column):
        return ""
    if column == "group":
        return "slowest group" if value == SLOWEST else f"group {value}"
    if column == "beside":
        return f"beside {value}"
    if column == PLACES:
        return places(str(value))
    if column in ("ranks", "nodes"):
        count = int(str(value))
        return plural(count, column[:-1], column)
    if column == "bytes":
        return f"blocks of {exactly(int(str(value)))}"
    if column == TOTAL:
        return f"{exactly(int(str(value)))} in total"
    return f"arrival {value}" if column in ("arrival", "family") else shown(str(value))


def places(text: str) -> str:
    """Returns in words where the send and the receive buffer begin: 0,16 gives: buffers 0 and 16 B
    behind a page."""
    send, comma, receive = text.partition(",")
    if not comma:
        return f"buffers at {text} places"
    both = send if send == receive else f"{send} and {receive}"
    return f"buffers {both} B behind a page"


def united_text(results: Results, united: bool) -> str:
    """Returns the end of a caption on united mappings, which also says which cases are not united.
    It is empty without `united`."""
    taken = "Of each algorithm the better of its mappings is taken in each case."
    return " ".join(["", taken, *partly_united_text(results)]) if united else ""


def caption_of_cases(text: str, results: Results, united: bool) -> str:
    """Returns a caption with what every figure of compared cases says at its end: what united
    mappings are, and which algorithms are one."""
    return " ".join([f"{text}{united_text(results, united)}", *same_text(results)])


def partly_united_text(results: Results) -> list[str]:
    """Returns a list with a sentence that says which cases are not united; an empty list if all
    are."""
    partly = partly_united(results)
    if partly.empty:
        return []
    found = partly.to_frame(index=False)[[SETTING, "collective", "ranks"]].drop_duplicates()
    where = [
        f"{', '.join(filter(None, map(str, names)))} with {', '.join(map(str, ranks))} ranks"
        for names, ranks in found.groupby([SETTING, "collective"], observed=True)["ranks"]
    ]
    mappings = ", ".join(sorted(results.timed_runs["mapping"].unique()))
    return [
        f"{plural(len(partly), 'case was', 'cases were')} not measured under each of {mappings} "
        f"and {'is' if len(partly) == 1 else 'are'} not compared: {'; '.join(where)}."
    ]


def in_case(case: "pd.Series[str]") -> str:
    """Returns one case in words, without an arrival pattern if there is none, and without what goes
    without saying."""
    return ", ".join(
        describe_value(str(name), value)
        for name, value in case.items()
        if not (name == "arrival" and value == NONE)
        and value not in ("", catalogue().ordinary.get(str(name)))
    )


def titles(keys: pd.DataFrame) -> tuple[str, list[str]]:
    """Returns what all rows have in common, and the rest of each row."""
    constant = [column for column in keys if keys[column].nunique() == 1]
    common = in_case(keys[constant].iloc[0]) if constant else ""
    rest = keys.drop(columns=constant)
    return common, [
        ", ".join(filter(None, (describe_value(str(n), value) for n, value in row.items())))
        for _, row in rest.astype(object).iterrows()
    ]


def size_label(size: int) -> str:
    """Returns a size in bytes for an axis: 1, 2, ..., 1K, 64K, 1M. It has a unit only where that
    divides the size."""
    for power, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >= 1 << power and size % (1 << power) == 0:
            return f"{size >> power}{unit}"
    return str(size)


def time_text(us: float) -> str:
    """Returns a time with its unit, such as 1.5 ms."""
    divisor, unit = time_unit(abs(us))
    return f"{three_digits(us / divisor)} {unit}"


def near_tie(results: Results, more: str = "") -> str:
    """Says in words what near-ties these are: "near-ties: less than ..."; more is added at
    the end, of measured times."""
    launches = [results.launches[number] for number in results.runs["launch"].unique()]
    simulated = {launch.simulated for launch in launches}
    measured = [f"{NEAR_TIE}{more}"] if False in simulated else []
    return "; or ".join([*measured, *([EQUALLY_FAST] if True in simulated else [])])


def one_launch(times: Times) -> list[str]:
    """Returns a sentence that says what one launch is not enough for; none if each case has several
    launches."""
    least = times.least_called_percent()
    known = least[least.notna()]
    if known.empty:
        return []
    compared = int((times.us.notna().sum(axis=1) > 1).sum())
    where = "One launch"
    if len(known) < compared:
        where += f" in {len(known)} of {compared} cases"
    called = known[known < float("inf")]
    if called.empty:
        return [f"{where}: nothing is called where ranks share processors, since launches differ."]
    nothing = "; where ranks share processors nothing is called" if len(called) < len(known) else ""
    return [
        f"{where}: differences below {called.max():.0f} % are not called, since launches differ by "
        f"that much{nothing}."
    ]


def same_text(results: Results) -> list[str]:
    """Returns in sentences which algorithms are one. Those that another one says too are left
    out."""
    by_names: dict[frozenset[str], set[int]] = {}
    for (_, ranks), groups in same_messages(results).items():
        for group in groups:
            by_names.setdefault(frozenset(group), set()).add(ranks)
    return [
        f"With {' or '.join(map(str, sorted(ranks)))} ranks {listed_in_words(results, names)} send "
        "the same messages, so they are one algorithm there: only the one that is asked for, else "
        "the first of them, is compared."
        for names, ranks in by_names.items()
        if not any(names < more and ranks <= by_names[more] for more in by_names)
    ]


def listed_in_words(results: Results, names: Collection[str]) -> str:
    """Returns the names in words, in the order of all algorithms: ring, sparbit and native."""
    *first, last = (shown(name) for name in results.timed_algorithms() if name in names)
    return f"{', '.join(first)} and {last}" if first else last


def plural(count: int, one: str, several: str = "") -> str:
    """Returns a count with its noun: 1 case, 2 cases. several: the plural, if it is not `one` with
    s or es."""
    regular = f"{one}{'es' if one.endswith('ch') else 's'}"
    return f"{count} {one if count == 1 else several or regular}"


def signed(value: float, digits: int = 0) -> str:
    """Returns a number with its sign: +5, -3; without a sign what is 0 with so many digits."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def interval_of(results: Results) -> str:
    """Returns what the interval of a median covers: "..., of what other launches give"."""
    launches = results.timed_runs[[*PAIR, "launch"]].drop_duplicates()
    most = launches.groupby(PAIR, observed=True).size().max()
    what = "what other launches give" if most > 1 else "this launch alone"
    if most == 1 and not all(launch.simulated for launch in results.launches):
        what += "; other launches differ by more"
    return f"95 % confidence interval, of {what}"


def sample_of(results: Results, statistic: str) -> str:
    """Returns what a mean or median is of: "over all iterations of ..."."""
    if any(launch.program for launch in results.launches):
        return f"over all iterations of {launches(results)}"
    most = most_launches(results)
    if statistic == "median" and most > 1:
        return f"in each launch of a case ({most} at most), and of these the median"
    if most == 1 and results.runs["launch"].nunique() > 1:
        return "over all iterations of the one launch of a case"
    return f"over all iterations of {launches(results)}"


def most_launches(results: Results) -> int:
    """Returns how many launches a case has at most."""
    runs = results.runs[[*CASE, "launch"]].drop_duplicates()
    return int(runs.groupby(CASE, observed=True).size().max())


def launches(results: Results) -> str:
    """Returns how many launches there are; logs of other programs are told apart, as their
    times are means already."""
    found = [results.launches[number] for number in results.runs["launch"].unique()]
    logs = [launch.program for launch in found if launch.program]
    ours = len(found) - len(logs)
    parts = [plural(ours, "launch")] if ours or not logs else []
    if logs:
        of = ", ".join(dict.fromkeys(logs))
        parts.append(f"{plural(len(logs), 'launch')} of {of}, which have means alone")
    return " and ".join(parts)
