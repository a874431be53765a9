# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page: what ran, who wins, by how much, what is doubtful, what is missing."""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from importlib.resources import files

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from agreport.cli import options as opt
from agreport.cli.report import Report
from agreport.data.load import CASE, PAIR, Results
from agreport.diagnostics.caveats import caveats
from agreport.figure.words import FORMULA, launches, plural
from agreport.page.arrivals import ArrivalSections, has_patterns
from agreport.page.figures import (
    NEAR_DEFINITION,
    best_counts,
    figures,
    in_words,
)
from agreport.page.launches import launches_table
from agreport.page.parts import Table, inline
from agreport.stats.contest import IMPROVEMENT, Contest
from agreport.stats.inference import CONFIDENCE
from agreport.stats.summary import summarise
from agreport.winners import boxplot, heatmap
from agreport.winners.against_sets import against_sets
from agreport.winners.table import improvements

# Of the first so many launches every key is on the page, folded away.
MOST_LAUNCHES = 50

DEFINITIONS = {
    "elapsed time": "exit minus arrival of one rank; min, avg and max are over the ranks of an "
    "iteration.",
    "case": f"one combination of {', '.join(CASE)}.",
    "mean, median": "of a case's iterations, all launches together; the mean of avg is what the "
    "OSU benchmarks print.",
    "improvement": f"{FORMULA} %, of the chosen algorithm's time and the best other one's.",
    "fastest": "strictly faster than every other algorithm compared; a tie is no win.",
    "near-tie": NEAR_DEFINITION,
    "best": "the fastest, and no near-tie.",
    "standard deviation": "of the iterations, with n - 1; the coefficient of variation is it "
    "divided by the mean.",
    "percentiles": "of the sorted iterations, linear between neighbours.",
    "confidence interval": f"{100 * CONFIDENCE:.0f} %, of the median, from order statistics; no "
    "distribution of the times is assumed.",
    "wrong, skipped": "a case in which an algorithm failed validation has no time of it, whatever "
    "other launches say; what cannot run is skipped, never replaced.",
}

ARRIVAL_DEFINITIONS = {
    "run time": "last exit minus first arrival, of an iteration.",
    "gain": "mean of avg of the best regular algorithm over the arrival-aware one's, of the "
    "iterations that both have: in one launch, iteration i of every algorithm had the same "
    "arrival times. The interval is a bootstrap over those pairs.",
    "absorption": "A = t(balanced) \N{MINUS SIGN} t + I, of the median run times t without and "
    "with the arrival pattern and the median measured imbalance I (Marendic 2016, 3.6).",
    "late": "an iteration in which a rank missed the agreed start; it does not count.",
}


def page(reports: Sequence[Report], results: Results, contest: Contest, metric: str) -> str:
    """reports: whose figures are on it."""
    verdicts = contest.verdicts(results, metric)
    template = files("agreport.page").joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(template).render(
        title=f"All-gather report: {contest.chosen} against {len(contest.others)} others",
        sentences=sentences(results, contest, verdicts, metric),
        wrong=Table(wrong(results)),
        left_out=results.left_out,
        caveats=caveats(results, summarise(results, "avg")),
        launches_table=Table(launches_table(results)),
        launches=results.launches[:MOST_LAUNCHES],
        launches_more=len(results.launches[MOST_LAUNCHES:]),
        heatmap=inline(heatmap.draw(results, contest, verdicts, metric)),
        boxplot=inline(boxplot.draw(results, contest, contest.all_verdicts(results))),
        improvements=Table(improvements(results, contest).reset_index()),
        best=Table(counts(results, contest, metric)),
        against_sets=Table(against_sets(results, contest, metric).reset_index()),
        figures=figures(reports, results, contest, metric),
        arrivals=ArrivalSections(results) if has_patterns(results) else None,
        skipped=Table(skipped(results)),
        definitions={**DEFINITIONS, **(ARRIVAL_DEFINITIONS if has_patterns(results) else {})},
        metric=metric,
        contest=contest,
        script=Markup(files("agreport.page").joinpath("page.js").read_text(encoding="utf-8")),
    )


def sentences(results: Results, contest: Contest, verdicts: pd.DataFrame, metric: str) -> list[str]:
    rows = results.rows
    gains = verdicts.loc[verdicts["won"], IMPROVEMENT]
    patterns = rows["arrival"].nunique()
    under = f" under {plural(patterns, 'arrival pattern', 'arrival patterns')}"
    found = [
        f"{launches(results)} timed {rows['algorithm'].nunique()} algorithms in "
        f"{len(verdicts)} cases{under if has_patterns(results) else ''}, "
        f"{len(results.with_status('ok'))} iterations in all.",
        in_words(verdicts, contest, metric),
    ]
    if len(gains):
        found.append(
            f"There it improves on the best other algorithm by {gains.mean():.1f} % on average, "
            f"{gains.median():.1f} % in the median and {gains.max():.1f} % at most."
        )
    best = counts(results, contest, metric).groupby("algorithm")["best_in"].sum()
    if best.any():
        most = plural(int(best.max()), "case", "cases")
        found.append(f"Most often the best is {best.idxmax()}, in {most}.")
    return found


def counts(results: Results, contest: Contest, metric: str) -> pd.DataFrame:
    """How often each algorithm is the best, per collective and arrival pattern."""
    levels = ["collective", "arrival"] if has_patterns(results) else ["collective"]
    return best_counts(results, contest, metric, levels)


def wrong(results: Results) -> pd.DataFrame:
    return results.with_status("wrong")[[*PAIR, "reason"]].drop_duplicates()


def skipped(results: Results) -> pd.DataFrame:
    """By algorithm and reason; the rank count that ends a reason has a column of its own."""
    rows = results.with_status("skipped").drop_duplicates(PAIR)
    reason = rows["reason"].astype(str).str.replace(r"; ranks = \d+$", "", regex=True)
    grouped = rows.assign(reason=reason).groupby(["algorithm", "reason"], observed=True)
    return pd.DataFrame(
        {
            "ranks": grouped["ranks"].agg(lambda ranks: ", ".join(map(str, sorted(set(ranks))))),
            "cases": grouped.size(),
        }
    ).reset_index()


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    opt.add_contest(parser)
    opt.add_metric(parser)
    opt.add_output(parser, [".html"])


def write(reports: Sequence[Report], options: Namespace) -> None:
    results = opt.settle_contest(options, opt.load_selected(options))
    text = page(reports, results, options.contest, options.metric)
    options.output.write_text(text, encoding="utf-8")


def page_of(reports: Sequence[Report]) -> Report:
    """The report that shows the figures of these."""
    return Report(
        "page", __doc__, options=add_options, run=partial(write, reports), formerly=("html",)
    )
