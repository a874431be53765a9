#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where each algorithm wins, by the model `contention`: a page of docs/background/ and its figures.

    where_each_wins.py [--build BUILD] [--ranks 16,64] [--page FILE.md --figures FOLDER]
                       [--kept FOLDER] [--measured FILE.csv]

On each network and at each number of ranks, `allgather_schedule cost` prices all algorithms that
can run, with the values of their parameters and the orders of the ranks that are worth a try. A
cell names the plainest one within TIE of the fastest: of many that do the same at a place, a user
wants to know the one that every library has. At the smaller numbers of ranks the picks are held
against `allgather_schedule time`, where messages share links max-min fairly and nobody waits for a
step's end. Cells that model_regret.py held against launches are marked.
"""

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from agreport.figure.looks import Look, looks
from agreport.figure.sheet import STYLE, sheet
from agreport.figure.words import size_label
from model_regret import TABLE, in_words
from pricing import (
    BY_WINDOW,
    COMMON,
    DISTRIBUTIONS,
    KEYS,
    MODEL,
    NEAR,
    OVERLAPPED,
    SIZES,
    TIE,
    base_of,
    fluid_ratios,
    networks,
    part,
    picks,
    prices,
    rows,
)

RANKS = (16, 64, 256, 1024)
FLUID_RANKS = 64  # at most
WIDEST = 19  # letters in a cell
# A cell writes these shorter.
SHORT = {":segments=": ":", ":segment=": ":", ":inner=": ":", BY_WINDOW: "+w"}
CELL_CM, LEFT_CM, RIGHT_CM, ABOVE_CM, BELOW_CM = 0.68, 1.5, 0.2, 0.55, 0.45


def label_of(name: str, gain: float) -> str:
    """Writes a cell in two lines: the algorithm; its order, parameters and gain. What has no room:
    the end of a long name, which begins the second line, and keys, by SHORT."""
    base = base_of(name)
    first = base if len(base) <= WIDEST else base[: base.rindex("_")]
    for text, short in SHORT.items():
        name = name.replace(text, short)
    return f"{first}\n{name[len(first) :]} x {gain:.2f}".replace("\n ", "\n")


def draw_all(folder: Path, chosen: pd.DataFrame) -> None:
    """A figure a distribution."""
    look = looks([row["name"] for row in rows()])
    with mpl.rc_context(STYLE):
        for distribution in DISTRIBUTIONS:
            path = folder / f"where-each-wins-{distribution}.png"
            draw(path, distribution, part(chosen, distribution=distribution), look)


def draw(path: Path, distribution: str, chosen: pd.DataFrame, look: dict[str, Look]) -> None:
    titles = list(dict.fromkeys(chosen["network"]))
    ranks = sorted(set(chosen["ranks"]))
    panel_cm = ABOVE_CM + len(ranks) * CELL_CM + BELOW_CM
    winners = {base_of(name) for name in chosen["algorithm"]}
    legend = [look[name].patch(name) for name in look if name in winners]
    page = sheet(
        f"Where each wins, {DISTRIBUTIONS[distribution]}"
        + ("" if distribution == "regular" else f" (distribution {distribution})"),
        len(titles) * panel_cm + 0.5,
        legend,
        f"Model {MODEL.replace(',', ', ')}. "
        f"In a cell the plainest algorithm within {TIE - 1:.0%} of the fastest, its "
        f"order of the ranks and parameters, and how many times faster the fastest is than the "
        f"best of {', '.join(COMMON)}. +w: copies within a node ({BY_WINDOW[1:]})."
        + (" A dot: held against a measurement." if chosen["regret"].notna().any() else ""),
    )
    for number, title in enumerate(titles):
        width_cm = page.width_cm - LEFT_CM - RIGHT_CM
        top_cm = number * panel_cm + ABOVE_CM
        axes = page.axes(LEFT_CM, top_cm, width_cm, len(ranks) * CELL_CM)
        draw_panel(axes, title, part(chosen, network=title), ranks, look)
        if number == len(titles) - 1:
            axes.set_xlabel("block size c (bytes)")
    page.write(path)


def draw_panel(
    axes: Axes, title: str, cells: pd.DataFrame, ranks: Sequence[int], look: dict[str, Look]
) -> None:
    sizes = sorted(set(cells["bytes"]))
    for cell in cells.to_dict("records"):
        x, y = sizes.index(cell["bytes"]), ranks.index(cell["ranks"])
        of = look[base_of(cell["algorithm"])]
        axes.add_patch(Rectangle((x, y), 1, 1, facecolor=of.colour, hatch=of.hatch,
                                 edgecolor="white", lw=0.8))  # fmt: skip
        axes.text(x + 0.5, y + 0.5, label_of(cell["algorithm"], cell["gain"]), ha="center",
                  va="center", size=5.8, linespacing=1.1,
                  bbox={"facecolor": "white", "lw": 0, "pad": 1.2})  # fmt: skip
        if pd.notna(cell["regret"]):
            axes.plot(x + 0.96, y + 0.12, "o", color="black", mec="white", mew=0.6, ms=4)
    axes.set_xticks([n + 0.5 for n in range(len(sizes))], [size_label(size) for size in sizes])
    axes.set_yticks([n + 0.5 for n in range(len(ranks))], [str(p) for p in ranks])
    axes.set(xlim=(0, len(sizes)), ylim=(0, len(ranks)), ylabel="ranks")
    axes.set_title(title)
    axes.tick_params(length=2, pad=2)


def groups(rows: pd.DataFrame) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yields network, ranks, and the rows of both; a network has its name only once."""
    named = ""
    for title, ranks in dict.fromkeys(zip(rows["network"], rows["ranks"], strict=True)):
        yield "" if title == named else title, ranks, part(rows, network=title, ranks=ranks)
        named = title


def table(chosen: pd.DataFrame) -> Iterator[str]:
    sizes = sorted(set(chosen["bytes"]))
    yield f"| network | ranks | {' | '.join(size_label(size) for size in sizes)} |"
    yield "|---" * (2 + len(sizes)) + "|"
    for title, ranks, cells in groups(chosen):
        texts = [f"`{cell['algorithm']}` {cell['gain']:.2f}{mark(cell['regret'])}"
                 for cell in cells.to_dict("records")]  # fmt: skip
        yield f"|{title and f' {title}'} | {ranks} | {' | '.join(texts)} |"


def mark(regret: float) -> str:
    return "" if pd.isna(regret) else f" **({regret:.2f})**"


def with_regrets(chosen: pd.DataFrame, measured: pd.DataFrame) -> pd.DataFrame:
    """`regret`: of the cells whose algorithm was the pick where it was measured; else none."""
    rows = measured.assign(distribution="regular").drop(columns="bytes")
    rows = rows.rename(columns={"map_bytes": "bytes", "pick": "algorithm"})
    return chosen.merge(rows[[*KEYS, "algorithm", "regret"]], how="left")


def fluid_table(ratios: pd.DataFrame) -> Iterator[str]:
    yield "| network | ranks | cases | within 1.05 | median | worst |"
    yield "|---|---:|---:|---:|---:|---:|"
    for title, ranks, cells in groups(ratios):
        of = cells["ratio"]
        yield (f"|{title and f' {title}'} | {ranks} | {len(of)} | {(of <= 1.05).sum()} "
               f"| {of.median():.2f} | {of.max():.2f} |")  # fmt: skip


def page_text(
    chosen: pd.DataFrame, ratios: pd.DataFrame, measured: pd.DataFrame, figures: str
) -> Iterator[str]:
    yield "<!-- docs/studies/where_each_wins.py writes this page. -->"
    yield "# Where each algorithm wins: all cases\n"
    yield "For readers who want to know which algorithm wins where, by a model.\n"
    yield (
        "[What we measured](measured.md#where-each-algorithm-wins) explains the model and draws "
        f"conclusions. Model `{MODEL}`."
    )
    yield f"A cell has the plainest algorithm within {TIE - 1:.0%} of the fastest, then a speed-up:"
    common = ", ".join(f"`{name}`" for name in COMMON)
    yield f"the time of the best of {common} over that of the fastest. A number in bold brackets"
    yield "was measured: the [regret](#held-against-measurements) of the cell's algorithm."
    for distribution, text in DISTRIBUTIONS.items():
        cases = part(chosen, distribution=distribution)
        yield f"\n## Distribution `{distribution}`: {text}\n"
        yield f"![Where each wins, {text}]({figures}/where-each-wins-{distribution}.png)\n"
        yield from table(cases)
    yield "\n## Held against the fluid simulation\n"
    yield f"Here the model is `{OVERLAPPED}`, since all start-ups of a"
    yield "step overlap in the simulation, too. The ratio is the time of the model's pick in"
    yield "`allgather_schedule time --topology` over the best time there, of"
    yield f"all algorithms whose price is within {NEAR:g} times the lowest.\n"
    yield from fluid_table(ratios)
    yield "\n## Held against measurements\n"
    yield "Equal blocks were measured on emulated hosts, and the model's parameters too"
    yield "([how](measured.md#held-against-measurements)). The block of a cell is"
    yield "measured as one of as many times alpha times the bandwidth. Regret is the median time of"
    yield f"the pick, the plainest algorithm within {TIE - 1:.0%} of the lowest price, over that of"
    yield "the best measured one. *Alike* counts those within that price; the range is over them."
    yield "`native` is over the best, too.\n"
    yield from in_words(measured)


def kept(folder: Path | None, name: str, compute: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """Of the file of this name in the folder, which is made if it is not there."""
    if folder and (folder / name).exists():
        return pd.read_csv(folder / name)
    table = compute()
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        table.to_csv(folder / name, index=False)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)), help="squares, of 16 on")
    parser.add_argument("--bytes", default=",".join(map(str, SIZES)))
    parser.add_argument("--page", type=Path, default=Path("docs/background/where_each_wins.md"))
    parser.add_argument("--figures", type=Path, default=Path("docs/figures"))
    parser.add_argument("--kept", type=Path, help="of prices: written, or read if they are there")
    parser.add_argument("--measured", type=Path, default=TABLE, help="by model_regret.py")
    options = parser.parse_args()
    ranks = [int(text) for text in options.ranks.split(",")]
    sizes = [int(text) for text in options.bytes.split(",")]
    places = range(len(networks(min(ranks))))
    with TemporaryDirectory() as name, ThreadPoolExecutor(2) as pool:
        folder = Path(name)
        few = [p for p in ranks if p <= FLUID_RANKS] or [min(ranks)]
        name = f"{MODEL} {options.ranks} {options.bytes}.csv"

        def priced(place: int) -> pd.DataFrame:
            compute = partial(prices, options.build, folder, MODEL, sizes, ranks, place)
            return kept(options.kept, f"prices {place} {name}", compute)

        def simulated(place: int) -> pd.DataFrame:
            def compute() -> pd.DataFrame:
                costs = prices(options.build, folder, OVERLAPPED, sizes, few, place)
                return fluid_ratios(options.build, folder, costs)

            return kept(options.kept, f"ratios {place} {name}", compute)

        costs = pd.concat(pool.map(priced, places), ignore_index=True)
        ratios = pd.concat(pool.map(simulated, places), ignore_index=True)
    measured = pd.read_csv(options.measured)
    chosen = with_regrets(picks(costs), measured)
    draw_all(options.figures, chosen)
    figures = os.path.relpath(options.figures, options.page.parent)
    text = "\n".join(page_text(chosen, ratios, measured, figures)) + "\n"
    options.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
