# SPDX-License-Identifier: BSD-3-Clause
"""One self-contained page: what ran, who wins, by how much, what is doubtful, what is missing."""

from argparse import ArgumentParser, Namespace
from base64 import b64encode
from importlib.resources import files

import pandas as pd
from jinja2 import Environment, StrictUndefined

from agreport import boxplot, heatmap, render
from agreport import options as opt
from agreport.cases import FORMULA, IMPROVEMENT, Contest, case_times, count_of, launches
from agreport.caveats import caveats
from agreport.load import CASE, PAIR, Results
from agreport.sheet import Sheet
from agreport.summary import CONFIDENCE, summarise
from agreport.table import improvements

# The compact table of launches; every other key is folded away below it.
LAUNCH_KEYS = ("collective", "mpi", "nodes", "ranks", "oversubscribed", "start")

DEFINITIONS = {
    "elapsed time": "exit minus arrival of one rank; min, avg and max are over the ranks of an "
    "iteration.",
    "case": f"one combination of {', '.join(CASE)}.",
    "mean, median": "of a case's iterations, all launches together; the mean of avg is what the "
    "OSU benchmarks print.",
    "improvement": f"{FORMULA} %, of the chosen algorithm's time and the best other one's.",
    "best": "strictly faster than every other algorithm compared; a tie is no win.",
    "standard deviation": "of the iterations, with n - 1; the coefficient of variation is it "
    "divided by the mean.",
    "percentiles": "of the sorted iterations, linear between neighbours.",
    "confidence interval": f"{100 * CONFIDENCE:.0f} %, of the median, from order statistics; no "
    "distribution of the times is assumed.",
    "wrong, skipped": "a case in which an algorithm failed validation has no time of it, whatever "
    "other launches say; what cannot run is skipped, never replaced.",
}


def add_options(parser: ArgumentParser) -> None:
    opt.add_inputs(parser)
    opt.add_contest(parser)
    opt.add_metric(parser)
    opt.add_output(parser, [".html"])


def run(options: Namespace) -> None:
    results = opt.load_selected(options)
    contest = opt.contest(options, results)
    options.output.write_text(page(results, contest, options.metric), encoding="utf-8")


def page(results: Results, contest: Contest, metric: str) -> str:
    verdicts = contest.verdicts(results, metric)
    template = files("agreport").joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(template).render(
        title=f"All-gather report: {contest.chosen} against {len(contest.others)} others",
        sentences=sentences(results, contest, verdicts, metric),
        wrong=Table(wrong(results)),
        caveats=caveats(results, summarise(results, "avg")),
        launches=results.launches,
        launch_keys=LAUNCH_KEYS,
        heatmap=inline(heatmap.draw(results, contest, verdicts, metric)),
        boxplot=inline(boxplot.draw(results, contest, contest.all_verdicts(results))),
        improvements=Table(improvements(results, contest).reset_index()),
        best=Table(best_counts(results, contest, metric)),
        skipped=Table(skipped(results)),
        definitions=DEFINITIONS,
        metric=metric,
        contest=contest,
    )


class Table:
    """A frame for the template: names and texts, and which columns are numbers."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.names = [str(name).replace("_percent", " %").replace("_", " ") for name in frame]
        self.rows = render.cells(frame)
        self.numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]


def inline(sheet: Sheet) -> str:
    return "data:image/png;base64," + b64encode(sheet.png()).decode()


def sentences(results: Results, contest: Contest, verdicts: pd.DataFrame, metric: str) -> list[str]:
    rows = results.rows
    gains = verdicts.loc[verdicts["won"], IMPROVEMENT]
    compared = int(verdicts["compared"].sum())
    share = f" ({100 * len(gains) / compared:.1f} %)" if compared else ""
    said = [
        f"{launches(results)} timed {rows['algorithm'].nunique()} algorithms in "
        f"{len(verdicts)} cases, {len(results.with_status('ok'))} iterations in all.",
        f"By {contest.statistic} {metric} time, {contest.chosen} is the best in "
        f"{count_of(len(gains), compared)} cases{share} in which it and another were timed.",
    ]
    if len(gains):
        said.append(
            f"There it improves on the best other algorithm by {gains.mean():.1f} % on average, "
            f"{gains.median():.1f} % in the median and {gains.max():.1f} % at most."
        )
    counts = best_counts(results, contest, metric).groupby("algorithm")["best_in"].sum()
    if counts.any():
        said.append(f"Most often the best is {counts.idxmax()}, in {counts.max()} cases.")
    return said


def best_counts(results: Results, contest: Contest, metric: str) -> pd.DataFrame:
    """How often each algorithm is the strictly fastest of those compared, per collective."""
    times = case_times(results, metric, contest.statistic)
    times = times.reindex(columns=[n for n in results.catalogue if n in contest.everyone])
    times = times[times.notna().sum(axis=1) > 1]
    fastest = times.eq(times.min(axis=1), axis=0)
    best = fastest[fastest.sum(axis=1) == 1].groupby(level="collective", observed=True).sum()
    timed = times.notna().groupby(level="collective", observed=True).sum()
    counts = pd.DataFrame({"timed_in": timed.stack(), "best_in": best.stack()})
    counts = counts.fillna(0).astype(int).rename_axis(index=["collective", "algorithm"])
    counts["best_in_percent"] = 100 * counts["best_in"] / counts["timed_in"]
    return counts.sort_values(["collective", "best_in"], ascending=[True, False]).reset_index()


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
