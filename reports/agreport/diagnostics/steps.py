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
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.patches import Patch

from agformats.errors import BadInput, in_words
from agformats.files import data_set
from agformats.notes import tell
from agformats.units import in_percent, time_unit
from agreport.cli import inputs, settle
from agreport.cli.render import to_records
from agreport.cli.report import Part
from agreport.data.companions import result_of
from agreport.data.load import PAIR, Launch, Results
from agreport.data.step_times import STEP, load_steps
from agreport.diagnostics.step_spans import HOSTS, LINK, MOST_USES, Found, find_spans, rank_links
from agreport.figure.panels import choose_groups
from agreport.figure.scales import axes_width_cm
from agreport.figure.sheet import Sheet
from agreport.figure.text_size import DIGIT_PT, POINTS_A_CM, SMALL_PT
from agreport.figure.words import time_text
from agreport.stats.arrays import Floats

FEW_USES = 3
MOST_PANELS, MOST_RANKS = 12, 32
# A step up to so many times the first quartile has the colour at the same place in COLOURS; a
# longer one has the last colour.
LIMITS = (1.5, 2.0, 4.0)
COLOURS = ("#fee5d9", "#fcae91", "#fb6a4a", "#a50f15")  # ColorBrewer's Reds
WAITS, COPIES = "0.93", "0.6"
BAR, EDGE = 0.84, 0.25  # a bar's height, as a part of a rank's line; its edge's width in points
RANK_CM, AROUND_CM = 0.36, 2.0
NO_TIMES = pd.DataFrame(columns=[*PAIR[1:], "max_us"])


def load(options: Namespace) -> Found:
    found = inputs.load_companions(options, load_steps, "steps")
    return analyse(settle.only_algorithms(options, found), options)


def analyse(results: Results, options: Namespace) -> Found:
    """Analyses the steps, with the times of the result files beside the files of steps. Warns of
    the altered cases of these, whose times are not known; options.left_out has them then, too."""
    settings = results.rows.groupby("launch")[PAIR[0]].first()
    parts: list[pd.DataFrame] = []
    left_out = [*results.left_out]
    for number, launch in enumerate(results.launches):
        if number not in settings.index:
            continue
        try:
            rows, altered = timed_rows(launch, options.keep_going)
        except (BadInput, OSError) as error:
            if not options.keep_going:
                raise
            rows, altered = NO_TIMES, (in_words(error),)
        parts.append(rows.assign(**{PAIR[0]: settings[number]}))
        for sentence in altered:
            tell(f"agreport: warning: {sentence}")
        left_out += altered
    results = replace(results, left_out=left_out)
    options.left_out = left_out
    timed = pd.concat(parts, ignore_index=True).astype(dict.fromkeys(PAIR, "object"))
    return find_spans(results, timed.groupby(PAIR)["max_us"].median())


def timed_rows(launch: Launch, keep_going: bool) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Returns the iterations that count, with the columns of cases, the algorithm and max_us, and
    what is wrong with altered cases. The table is empty if there is no result file beside that of
    steps."""
    result = result_of(launch.path)
    if not result.exists() and not data_set.launch_at(result):
        return NO_TIMES, ()
    of_result, table = data_set.read_launch(result, keep_going)
    rows: pd.DataFrame = table.to_pandas()
    return rows.loc[rows["status"] == "ok", [*PAIR[1:], "max_us"]], of_result.left_out


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
    yield "\nWhere the ranks' time goes, and what recording takes", shares
    shown = links.head(options.rows)
    if len(shown):
        yield (
            f"Links, over all their uses, the slowest first ({len(shown)} of {len(links)})",
            shown,
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
            f"{in_percent(100 * (link['ratio'] - 1))} {over}; {threshold:g} % or more in "
            f"{link['slow_in']} of {link['uses']} algorithms and cases that tell of it."
        )


def common_end(slow: pd.DataFrame) -> str:
    """Returns the host, or else the rank, that is an end of each of several links; empty if
    none is."""
    if len(slow) < 2:
        return ""
    for ends, word in ((HOSTS, "host"), (LINK, "rank")):
        pairs = [{*pair} for pair in slow[ends].to_numpy(object)]
        common = set.intersection(*pairs) - {""}
        if len(common) == 1:
            return f"{word} {common.pop()}"
    return ""


def list_doubts(found: Found, links: pd.DataFrame) -> Iterator[str]:
    """Yields sentences on what else than a slow link makes a link look slow."""
    slow = links[links["slow"]]
    if slow.empty:
        return
    if slow["uses"].min() < FEW_USES:
        yield (
            f"Of fewer than {FEW_USES} algorithms and cases that tell of a link, chance makes one "
            "slow. Measure more of them."
        )
    if any(one.oversubscribed for one in found.results.launches):
        yield (
            "There are more ranks than processors, so a step takes as long as the scheduler lets "
            "others run."
        )


def name_of(link: dict[Any, Any]) -> str:
    """Returns the name of a link: from rank 1 (h1) to rank 2 (h2). Hosts that are not known are
    left out; a setting stands behind, in parentheses."""
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


def draw(found: Found, options: Namespace) -> Sheet:
    chosen = choose_groups(found.steps, PAIR, options, most=MOST_PANELS)
    ranks = min(MOST_RANKS, max(group["rank"].nunique() for group in chosen.groups))
    high_cm = AROUND_CM + RANK_CM * ranks
    head, caption = "Where the time of a call goes", write_caption(found)
    page, panels = chosen.panels(head, legend(), caption, "agreport steps", high_cm)
    for axes, group in panels:
        draw_ranks(axes, with_most(group))
    return page


def with_most(steps: pd.DataFrame) -> pd.DataFrame:
    """Returns the rows of all ranks; of more than MOST_RANKS ranks, only those of the ranks with
    the slowest steps."""
    slowest = steps[steps["part"] == STEP].groupby("rank")["ratio"].max()
    if steps["rank"].nunique() <= MOST_RANKS:
        return steps
    return steps[steps["rank"].isin(slowest.nlargest(MOST_RANKS).index)]


def legend() -> list[Patch]:
    bounds = [f"to {limit:g}" for limit in LIMITS]
    labels = [f"step {bounds[0]} times the first quartile", *bounds[1:], f"over {LIMITS[-1]:g}"]
    colours = [*zip(labels, COLOURS, strict=True), ("waits for others to begin", WAITS),
               ("copies before and after", COPIES)]  # fmt: skip
    return [Patch(facecolor=fill, edgecolor="0.4", lw=0.4, label=text) for text, fill in colours]


def draw_ranks(axes: Axes, steps: pd.DataFrame) -> None:
    """Draws each rank's parts as bars, from the median of their begins to that of their ends."""
    us, unit = time_unit(float(steps["end_us"].max()))
    ranks = sorted(steps["rank"].unique())
    line = steps["rank"].map({rank: place for place, rank in enumerate(ranks)}).to_numpy(float)
    start, end = (steps[name].to_numpy(float) / us for name in ("start_us", "end_us"))
    is_step = steps["part"].eq(STEP).to_numpy()
    own = np.where(is_step, steps["own_us"].to_numpy(float) / us, end - start)
    ready = np.clip(end - own, start, end)
    ratios = steps["ratio"].fillna(0).to_numpy(float)
    places = np.searchsorted(LIMITS, ratios, side="left")
    colours = np.where(is_step, np.array(COLOURS)[places], COPIES).tolist()
    draw_bars(axes, line, start, ready, [WAITS] * len(steps))
    draw_bars(axes, line, ready, end, colours)
    first, last = min(0.0, float(start.min())), float(end.max()) or 1.0
    axes.set(xlim=(first, last * 1.01), ylim=(len(ranks) - 0.5, -0.5))
    every = -(-len(ranks) // 16)
    axes.set_yticks(range(0, len(ranks), every), [str(rank) for rank in ranks[::every]])
    axes.set(xlabel=f"time after the first rank's arrival ({unit})", ylabel="rank")
    axes.grid(visible=False)
    a_unit_pt = axes_width_cm(axes) * POINTS_A_CM / (last * 1.01 - first)
    for n, source in enumerate(steps["from"].astype(str)):
        text = f"\N{LEFTWARDS ARROW}{source}"
        room_pt = (end[n] - ready[n]) * a_unit_pt
        if is_step[n] and source.isdecimal() and room_pt > (len(text) + 1.5) * DIGIT_PT:
            axes.text(
                (ready[n] + end[n]) / 2, line[n], text, ha="center", va="center_baseline",
                fontsize=SMALL_PT - 1, color="white" if places[n] == len(LIMITS) else "black",
            )  # fmt: skip


def draw_bars(axes: Axes, line: Floats, left: Floats, right: Floats, colours: list[str]) -> None:
    """Draws the bars that have a length."""
    there = np.flatnonzero(right > left)
    boxes = [
        [(left[n], line[n] - BAR / 2), (right[n], line[n] - BAR / 2),
         (right[n], line[n] + BAR / 2), (left[n], line[n] + BAR / 2)]
        for n in there
    ]  # fmt: skip
    filled = [colours[n] for n in there]
    axes.add_collection(
        PolyCollection(boxes, facecolors=filled, edgecolors="0.35", linewidths=EDGE)
    )


def write_caption(found: Found) -> str:
    """Returns the caption, which says what the colours stand for."""
    calls = found.steps["calls"]
    counts = f"{calls.min()}" if calls.min() == calls.max() else f"{calls.min()} to {calls.max()}"
    text = (
        f"Medians of {counts} recorded calls. Coloured: from when the rank and those that it sends "
        "to and receives from have begun the step, over the first quartile of steps that move as "
        "many bytes in the same case; \N{LEFTWARDS ARROW}n: what is received comes from rank n. A "
        "slow link is dark at both ends."
    )
    if found.steps["rank"].nunique() > MOST_RANKS:
        text += f" Of more than {MOST_RANKS} ranks those with the slowest steps are drawn."
    return text
