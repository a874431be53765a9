# SPDX-License-Identifier: BSD-3-Clause
"""Where the time of our own schedules goes, step by step (--record steps), and slow links.

The own time of a step leaves out how long its rank waits until those that it sends to or receives
from have begun the step, too. A link is called slow if its messages take longer than the first
quartile of messages with as many bytes, by the threshold or more, in over three quarters of the
algorithms and cases that tell of it. All times are medians over calls that come after the timed
ones. --csv writes every step of every rank, --json that, the links and the verdict.
"""

from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import pandas as pd

from agformats.files import data_set
from agreport.cli import inputs
from agreport.cli import options as opt
from agreport.cli.render import Part, to_records
from agreport.cli.report import Report
from agreport.data.companions import result_of
from agreport.data.load import PAIR, Launch, Results
from agreport.data.result_paths import STEPS_SUFFIX
from agreport.data.settings import without_empty
from agreport.data.step_times import load_steps
from agreport.diagnostics.command import add_rows, threshold
from agreport.diagnostics.step_spans import HOSTS, LINK, MOST_USES, Found, find_spans, rank_links
from agreport.diagnostics.steps_figure import draw
from agreport.figure.words import count_of, time_text

FEW_USES = 3
THRESHOLD = threshold("by how much a slow link's messages are over the first quartile", 100.0)


def load(options: Namespace) -> Found:
    found = inputs.load_companions(options, load_steps, "steps")
    return analyse(opt.only_algorithms(options, found), options)


def analyse(results: Results, options: Namespace) -> Found:
    """With the times of the result files beside those of steps."""
    settings = results.rows.groupby("launch")[PAIR[0]].first()
    parts = [
        timed_rows(launch, options.keep_going).assign(**{PAIR[0]: settings[number]})
        for number, launch in enumerate(results.launches)
        if number in settings.index
    ]
    timed = pd.concat(parts, ignore_index=True).astype(dict.fromkeys(PAIR, "object"))
    return find_spans(results, timed.groupby(PAIR)["max_us"].median())


def timed_rows(launch: Launch, keep_going: bool) -> pd.DataFrame:
    """The iterations that count; none without a result file beside that of steps."""
    result = result_of(launch.path)
    if not result.exists() and not data_set.holds(result):
        return pd.DataFrame(columns=[*PAIR[1:], "max_us"])
    rows: pd.DataFrame = data_set.read_launch(result, keep_going)[1].to_pandas()
    return rows.loc[rows["status"] == "ok", [*PAIR[1:], "max_us"]]


def find_diagnostics(found: Found, _: pd.DataFrame, __: Namespace) -> Iterator[str]:
    for launch in found.results.launches:
        if reasons := launch.metadata.get("steps_left_out"):
            yield f"{launch.path}: no steps of {reasons}"


def list_parts(found: Found, _: pd.DataFrame, options: Namespace) -> Iterator[Part]:
    links = rank_links(found.messages, options.threshold)
    yield from verdict(links, options.threshold)
    if common := common_end(links[links["slow"]]):
        yield f"All of them have {common} at an end."
    yield from list_doubts(found, links)
    shares = found.algorithms
    yield "\nWhere the ranks' time goes, and what recording takes", without_empty(shares)
    shown = links.head(options.rows).assign(slow=links["slow"].map({True: "yes", False: "no"}))
    if len(shown):
        yield (
            f"Links, over all their uses, the slowest first ({count_of(len(shown), len(links))})",
            without_empty(shown),
        )


def verdict(links: pd.DataFrame, threshold: float) -> Iterator[str]:
    over = "over the first quartile of messages with as many bytes"
    if links.empty:
        yield "No step receives from one rank alone, so nothing tells of links."
        return
    slow = links[links["slow"]]
    if slow.empty:
        yield (
            f"No link's messages are {threshold:g} % or more {over} in more than "
            f"{100 * MOST_USES:g} % of the algorithms and cases that tell of it."
        )
    for link in slow.to_dict("records"):
        yield (
            f"Slow link: {name_of(link)}: median {time_text(link['median_us'])}, "
            f"{100 * (link['ratio'] - 1):.3g} % {over}; {threshold:g} % or more in "
            f"{count_of(link['slow_in'], link['uses'])} algorithms and cases that tell of it."
        )


def common_end(slow: pd.DataFrame) -> str:
    """Of several links: the host, or else the rank, that is an end of each; empty if none is."""
    if len(slow) < 2:
        return ""
    for ends, word in ((HOSTS, "host"), (LINK, "rank")):
        pairs = [{*pair} for pair in slow[ends].to_numpy(object)]
        common = set.intersection(*pairs) - {""}
        if len(common) == 1:
            return f"{word} {common.pop()}"
    return ""


def list_doubts(found: Found, links: pd.DataFrame) -> Iterator[str]:
    """What else than a slow link makes one look so."""
    slow = links[links["slow"]]
    if slow.empty:
        return
    if slow["uses"].min() < FEW_USES:
        yield (
            f"Of fewer than {FEW_USES} algorithms and cases that tell of a link, chance makes one "
            "slow. Measure more of them."
        )
    if any(one.metadata.get("oversubscribed") == "yes" for one in found.results.launches):
        yield (
            "There are more ranks than processors, so a step takes as long as the scheduler lets "
            "others run."
        )


def name_of(link: dict[Any, Any]) -> str:
    """from rank 1 (h1) to rank 2 (h2)"""
    ends = []
    for word, column in zip(("from", "to"), LINK, strict=True):
        host = link[f"{word}_host"]
        ends.append(f"{word} rank {link[column]}{f' ({host})' if host else ''}")
    return f"{' '.join(ends)}{f' ({link[PAIR[0]]})' if link[PAIR[0]] else ''}"


def document(found: Found, steps: pd.DataFrame, options: Namespace) -> dict[str, object]:
    links = rank_links(found.messages, options.threshold)
    return {
        "threshold_percent": options.threshold,
        "slow": [[int(rank) for rank in ranks] for ranks in links.loc[links["slow"], LINK].values],
        "links": to_records(links),
        "algorithms": to_records(found.algorithms),
        "steps": to_records(steps),
        "files": [str(launch.path) for launch in found.results.launches],
        "left_out": [*found.results.left_out, *find_diagnostics(found, steps, options)],
    }


REPORT = Report(
    "steps",
    __doc__,
    options=inputs.add_companions("files of steps", STEPS_SUFFIX),
    needs=(opt.Need(opt.add_algorithms), opt.Need(add_rows), opt.Need(THRESHOLD), opt.START),
    load=load,
    table=lambda found, _: found.steps,
    draw=lambda found, _, options: draw(found, options),
    diagnostics=find_diagnostics,
    parts=list_parts,
    document=document,
)
