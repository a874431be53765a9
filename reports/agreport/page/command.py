# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page: is my collective any good here, what is better, what is doubtful."""

from argparse import Namespace
from collections.abc import Iterator
from importlib.resources import files

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from agformats.catalogue import catalogue
from agformats.errors import in_one_line
from agformats.files.outputs import write_text
from agformats.student import CONFIDENCE
from agreport.cli import inputs, render, settle
from agreport.data.load import CASE, PAIR, Results
from agreport.data.machines import build_of, machine_texts, shorten
from agreport.data.rows import ROWS
from agreport.data.settings import without_empty
from agreport.diagnostics.caveats import caveats
from agreport.figure.words import FORMULA, NEAR_TIE, launches, plural, time_of, what_a_time_is
from agreport.page.chapters import CHAPTERS
from agreport.page.prose import prose
from agreport.page.sections import Table, sections
from agreport.stats.contest import Contest
from agreport.stats.summary import summarise
from agreport.stats.times import NEAR_PERCENT
from agreport.winners import loss, selection
from agreport.winners.answer import Paragraph, in_words

# The page has every key of the first so many launches, folded away.
MOST_LAUNCHES = 50
MOST_NAMED = 3  # so many of the algorithms that are as good as the best are named
# The metadata that the table of launches has, and the names of their columns. The mappings are not
# in the metadata, but in the rows of a launch.
SAID = {
    "collective": "collective",
    "mpi": "mpi",
    "note.build": "build",
    "hosts": "hosts",
    "nodes": "nodes",
    "ranks": "ranks",
    "oversubscribed": "oversubscribed",
    "sync": "sync",
    "thread_level": "thread level",
}
COUNTED = ("nodes", "ranks")  # sorted as numbers, here and by the reader of the page
ORDER = ["collective", "mpi", "build", "ranks"]
ARRIVAL_MEANS = "; what is gained under arrival patterns is of means"


def page(results: Results, contest: Contest, metric: str) -> str:
    means = contest.statistic == "mean"
    diagnostics = caveats(results, summarise(results, "avg"), means, contest, metric)
    options = Namespace(contest=contest, metric=metric)
    said = answer(results, contest, metric, loss.losses(results, options))
    machines = machine_texts(results)
    is_time = what_a_time_is(contest.statistic, metric)
    known = [*diagnostics, *map(str, said), *machines, is_time]
    template = files("agreport.page").joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["prose"] = prose
    return environment.from_string(template).render(
        title=title_of(results),
        answer=said,
        ran=what_ran(results, contest, metric),
        wrong=Table(list_wrong(results)),
        left_out=results.left_out,
        caveats=diagnostics,
        machines=machines,
        launches_table=Table(launches_table(results)),
        launches=results.launches[:MOST_LAUNCHES],
        launches_more=len(results.launches[MOST_LAUNCHES:]),
        sections=list(sections(CHAPTERS, results, contest, metric, known)),
        skipped=Table(list_skipped(results)),
        case_columns=CASE,
        formula=FORMULA,
        near_tie=NEAR_TIE,
        near_percent=NEAR_PERCENT,
        confidence_percent=100 * CONFIDENCE,
        has_patterns=results.has_patterns,
        metric=metric,
        contest=contest,
        numbers=Markup(numbers(results, metric)),
        script=Markup(files("agreport.page").joinpath("page.js").read_text(encoding="utf-8")),
    )


def title_of(results: Results) -> str:
    builds = dict.fromkeys(filter(None, map(build_of, results.launches)))
    simulated = {launch.metadata.get("simulated") == "yes" for launch in results.launches}
    how = ["simulated" if True in simulated else "", "measured" if len(simulated) > 1 else ""]
    what = f"{collectives_of(results)} report"
    return ", ".join(filter(None, [what, *builds, " and ".join(filter(None, how))]))


def collectives_of(results: Results) -> str:
    """Returns the kinds of collectives that the results have, as the beginning of a title:
    All-gather; All-to-all and all-gather."""
    there = results.runs["collective"].astype(str).unique()
    kinds = dict.fromkeys(each.word for each in catalogue().collectives if each.name in there)
    text = " and ".join(kinds)
    return text[:1].upper() + text[1:]


def answer(
    results: Results, contest: Contest, metric: str, losses: pd.DataFrame
) -> list[Paragraph]:
    """Returns the paragraphs that say whether the chosen algorithm is any good here, what to do,
    and which others are as good."""
    if not contest.others:
        text = f"Only {contest.chosen} has times: there is nothing to compare it with."
        return [Paragraph("", text)]
    found = list(in_words(results, losses, contest.chosen, contest.times(results, metric)))
    return [*found, *as_good(results, contest, metric)]


def what_ran(results: Results, contest: Contest, metric: str) -> str:
    timed = results.timed_runs
    patterns = results.runs["arrival"].nunique()
    under = f" under {plural(patterns, 'arrival pattern')}"
    names = plural(timed["algorithm"].nunique(), "algorithm")
    cases = plural(len(timed[CASE].drop_duplicates()), "case")
    return (
        f"{launches(results)} timed {names} in {cases}{under if results.has_patterns else ''}, "
        f"{timed[ROWS].sum()} iterations in all. A time is the {contest.statistic} of the "
        f"{time_of(metric)}{ARRIVAL_MEANS if results.has_patterns else ''}."
    )


def as_good(results: Results, contest: Contest, metric: str) -> Iterator[Paragraph]:
    """Yields a paragraph that says which algorithms are as good as the best, and how often."""
    times = contest.times(results, metric)
    counts = selection.as_good_counts(times)
    if len(found := counts[counts > 0].head(MOST_NAMED)):
        named = ", ".join(f"{name} in {count}" for name, count in found.items())
        cases = plural(int((times.us.notna().sum(axis=1) > 1).sum()), "case")
        yield Paragraph(
            "As good as the best:",
            f"{named} of {cases}. A case counts for every algorithm that is the fastest in it or "
            "cannot be told from the fastest.",
        )


def numbers(results: Results, metric: str) -> str:
    """Returns the summary of every sample as JSON, which stands in a script element."""
    frame = without_empty(summarise(results, metric).assign(metric=metric).reset_index())
    printed = render.with_texts(frame, in_one_line)
    text = printed.to_json(orient="split", index=False, double_precision=3)
    return str(text).replace("<", "\\u003c")


def launches_table(results: Results) -> pd.DataFrame:
    """Returns which MPI builds ran where and how: one row for launches that are alike in that."""
    mappings = results.runs.groupby("launch", observed=True)["mapping"].unique()
    rows = []
    for number, launch in enumerate(results.launches):
        named = {name: launch.metadata.get(key, "") for key, name in SAID.items()}
        found = mappings.get(number, pd.Series(dtype=str))
        start = launch.metadata.get("start", "")
        rows.append({**named, "mapping": ", ".join(sorted(map(str, found))), "start": start})
    table = pd.DataFrame(rows)
    for name in COUNTED:
        if table[name].str.isdecimal().all():
            table[name] = table[name].astype(int)
    table = table.sort_values(ORDER, kind="stable")
    alike = [column for column in table if column != "start"]
    grouped = table.groupby(alike, sort=False)["start"]
    found = grouped.agg(launches="size", first_start="min").reset_index()
    for key, name in SAID.items():
        if name not in COUNTED:
            found[name] = [shorten(key, text) for text in found[name]]
    return found[[column for column in found if found[column].ne("").any()]]


def list_wrong(results: Results) -> pd.DataFrame:
    wrong = results.runs[results.runs["status"] == "wrong"]
    return wrong[[*PAIR, "reason"]].drop_duplicates()


def list_skipped(results: Results) -> pd.DataFrame:
    """Lists skipped cases by algorithm and reason; the rank count that ends a reason has a
    column of its own."""
    rows = results.runs[results.runs["status"] == "skipped"].drop_duplicates(PAIR)
    reason = rows["reason"].astype(str).str.replace(r"; ranks = \d+$", "", regex=True)
    grouped = rows.assign(reason=reason).groupby(["algorithm", "reason"], observed=True)
    return pd.DataFrame(
        {
            "ranks": grouped["ranks"].agg(lambda ranks: ", ".join(map(str, sorted(set(ranks))))),
            "cases": grouped.size(),
        }
    ).reset_index()


def write(options: Namespace) -> None:
    results = settle.settle_contest(options, inputs.load_selected(options), alone=True)
    settle.settle_metric(options, results)
    write_text(options.output, page(results, options.contest, options.metric))
