#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the model's pick costs where it was measured: 16 ranks on emulated hosts.

    model_regret.py [--build BUILD] [--rate 100mbit] [--bytes 1024,16384] [--results DIR]
                    [--further SHARE] [--table FILE.csv]

On three of the networks of docs/background/where_each_wins.md, made of namespaces by hosts_here.py,
`allgather_bench --measure-model` says alpha, beta, tau and what ranks of a host share. --bytes are
cells of that page: a block is measured that is as many times alpha times the bandwidth. By the
model as measured `allgather_schedule cost` prices what the page prices, and one launch a network
times all whose price is within NEAR of the lowest at a size. Regret: the median time of the
plainest within TIE of the lowest price, over that of the best. It writes the table, which
where_each_wins.py reads. A network that has a whole result file in DIR is not run again; a file of
another build or rate is refused.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd

from agreport.figure.words import size_label
from pricing import (
    ALPHA_S,
    BANDWIDTH,
    NEAR,
    SIZES,
    TIE,
    Network,
    candidates,
    contention,
    networks,
    placed,
    printed,
)

RANKS = 16
TESTBED = Path(__file__).parents[2] / "jobs" / "testbed" / "hosts_here.py"
TABLE = Path(__file__).with_suffix(".csv")
HEAD = ["network", "cell", "block size", "alike", "regret", "of the alike", "rank correlation",
        "best", "its ms", "`native`"]  # fmt: skip
WITHIN = (1.12, 1.25)


@dataclass(frozen=True)
class Hosts:
    """place: among `networks`; switches: of hosts_here.py; slots: ranks of a host."""

    place: int
    switches: str
    slots: int = 1
    trunk: bool = False


EMULATED = (Hosts(0, "16"), Hosts(1, "4,4,4,4", trunk=True), Hosts(3, "2", slots=8))


@dataclass(frozen=True)
class Model:
    """Holds a model as measured. further: of a start-up, what each further message of a step takes;
    within: what ranks of a host share and what copies there take, as --model takes it; one rank a
    host: none."""

    alpha_s: float
    bandwidth: float
    further: float
    within: tuple[str, ...]

    def text(self) -> str:
        return contention(self.alpha_s, self.bandwidth, self.further, *self.within)

    def bytes_of(self, cell: int) -> int:
        """The block that is as many times alpha times the bandwidth as one of the map's cell."""
        found = cell * self.alpha_s * self.bandwidth / (ALPHA_S * BANDWIDTH)
        if found < 1:
            raise SystemExit(f"model_regret: --bytes: '{cell}' is {found:.2g} bytes by the model "
                             f"as measured; legal: {cell / found:.0f} or more")  # fmt: skip
        return round(found)


def model_of(file: Path, further: float | None = None) -> Model:
    """Reads the model of the lines #@model=, #@host_memory= and, with several ranks a host,
    #@host_window=. further: not as measured, tau over alpha."""
    found: dict[str, str] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("#@"):
            key, _, value = line.partition("=")
            found[key] = value
    within = ["#@host_memory", "#@host_window"]
    if found.get("#@host_memory", "").startswith("none"):
        within.clear()
    why = {"#@model": found.get("#@model_fit", "it is of no launch with --measure-model"),
           **dict.fromkeys(within, "it is of an older launch")}  # fmt: skip
    for key in (each for each in why if each not in found):
        raise SystemExit(f"model_regret: {file} has no {key}: {why[key]}; delete it to try again")
    parameters = found["#@model"].removeprefix("hockney:").split(",")
    hockney = {key: float(value) for key, _, value in (each.partition("=") for each in parameters)}
    return Model(
        hockney["alpha"],
        1 / hockney["beta"],
        hockney["tau"] / hockney["alpha"] if further is None else further,
        tuple(found[key] for key in within),
    )


@dataclass(frozen=True)
class Study:
    build: str
    rate: str
    cells: Sequence[int]
    results: Path
    further: float | None

    def run(self, hosts: Hosts, path: Path, *options: str) -> None:
        trunk = ["--trunk", self.rate] if hosts.trunk else []
        bench = [f"{self.build}/bin/mpirun_here", str(RANKS), f"{self.build}/bin/allgather_bench"]
        notes = [word for each in self.notes().items() for word in ("--note", "=".join(each))]
        unfinished = path.with_name(f"unfinished-{path.name}")
        unfinished.unlink(missing_ok=True)
        command = [sys.executable, str(TESTBED), hosts.switches, "--slots", str(hosts.slots),
                   "--rate", self.rate, *trunk, "--", *bench, *options, *notes,
                   "--output", str(unfinished)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"model_regret: {' '.join(command)}: {done.stderr}")
        unfinished.rename(path)

    def notes(self) -> dict[str, str]:
        """Returns what a result file says of how it was measured."""
        return {"build": str(Path(self.build).resolve()), "rate": self.rate}

    def has(self, file: Path) -> bool:
        """Tells whether there is such a result file; ends if it was measured otherwise."""
        if not file.exists():
            return False
        lines = file.read_text(encoding="utf-8").splitlines()
        for key, value in self.notes().items():
            start = f"#@note.{key}="
            found = next((line.removeprefix(start) for line in lines if line.startswith(start)), "")
            if found != value:
                raise SystemExit(f"model_regret: --{key}: '{value}' is not that of {file}, "
                                 f"'{found}'; legal: it, or another --results")  # fmt: skip
        return True

    def measured(self, hosts: Hosts, network: Network, folder: Path) -> pd.DataFrame:
        """A row a cell, as in the table."""
        file = self.results / f"model-{hosts.switches}.csv"
        if not self.has(file):
            self.run(hosts, file, "--measure-model", "--algorithms", "native", "--sizes", "1")
        model = model_of(file, self.further)
        cell_of = {model.bytes_of(cell): cell for cell in self.cells}
        sizes = ",".join(map(str, cell_of))
        costs = printed(self.build, "cost", *placed(network, folder, RANKS), "--model",
                        model.text(), "--algorithms", ",".join(candidates(network, RANKS, True)),
                        "--bytes", sizes)  # fmt: skip
        costs = costs[costs["status"] == "ok"]
        over = costs["cost"] / costs.groupby("bytes")["cost"].transform("min")
        near = list(dict.fromkeys(costs.loc[over <= NEAR, "algorithm"]))
        file = self.results / f"times-{hosts.switches}.csv"
        if not self.has(file):
            self.run(hosts, file, "--algorithms", ",".join([*near, "native"]), "--sizes", sizes,
                     "-i", "20", "-x", "2")  # fmt: skip
        prices = costs[costs["algorithm"].isin(near)].set_index(["algorithm", "bytes"])["cost"]
        rows = [{"network": network.title, "ranks": RANKS, "map_bytes": cell_of[each["bytes"]],
                 **each, "model": model.text()}
                for each in regrets(prices, times_of(file, near, list(cell_of)))]  # fmt: skip
        return pd.DataFrame(rows)


def times_of(file: Path, near: Sequence[str], sizes: Sequence[int]) -> "pd.Series[float]":
    """Median times in microseconds by algorithm and block size; those that cannot run are named."""
    rows = pd.read_csv(file, comment="#")
    # A file that was kept may have more sizes than are asked for now.
    rows = rows[rows["bytes"].isin(sizes)]
    there = set(rows[["algorithm", "bytes"]].itertuples(index=False, name=None))
    absent = sorted({name for name in [*near, "native"] for size in sizes
                     if (name, size) not in there})  # fmt: skip
    if absent:
        raise SystemExit(f"model_regret: {file} lacks sizes, or times of {', '.join(absent)}; "
                         "delete it to measure again")  # fmt: skip
    failed = rows[rows["status"] != "ok"]
    for name, reason in dict(zip(failed["algorithm"], failed["reason"], strict=True)).items():
        print(f"model_regret: {name} has no time: {reason}", file=sys.stderr)
    return rows[rows["status"] == "ok"].groupby(["algorithm", "bytes"])["avg_us"].median()


def regrets(prices: "pd.Series[float]", us: "pd.Series[float]") -> Iterator[dict[str, Any]]:
    """A row a block size. prices: the plainest algorithm first; both by algorithm and bytes."""
    for size in sorted(set(prices.index.get_level_values("bytes"))):
        us_here = us.xs(size, level="bytes")
        case = pd.DataFrame({"cost": prices.xs(size, level="bytes")})
        case = case.join(us_here.rename("us"), how="inner")
        best_us = case["us"].min()
        alike = case.loc[case["cost"] <= TIE * case["cost"].min(), "us"] / best_us
        yield {
            "bytes": size,
            "near": len(case),
            "alike": len(alike),
            "pick": alike.index[0],
            "regret": round(alike.iloc[0], 3),
            "least": round(alike.min(), 3),
            "most": round(alike.max(), 3),
            "rank_correlation": round(case["us"].corr(case["cost"], method="spearman"), 3),
            "best": case["us"].idxmin(),
            "best_us": round(best_us, 1),
            "native": round(us_here["native"] / best_us, 3),
        }


def in_words(table: pd.DataFrame) -> Iterator[str]:
    """The table for a page, and how often the pick is near the best by the numbers in it."""
    yield f"| {' | '.join(HEAD)} |"
    yield "|---" * len(HEAD) + "|"
    for row in table.to_dict("records"):
        few = [f"{value:.2f}" for value in dict.fromkeys([row["least"], row["most"]])]
        cells = [row["network"], size_label(row["map_bytes"]), size_label(row["bytes"]),
                 f"{row['alike']} of {row['near']}", f"{row['regret']:.2f} (`{row['pick']}`)",
                 " to ".join(few), f"{row['rank_correlation']:.2f}", f"`{row['best']}`",
                 f"{row['best_us'] / 1000:.3g}", f"{row['native']:.2f}"]  # fmt: skip
        yield f"| {' | '.join(cells)} |"
    regret, native = (table[name].map("{:.2f}".format).astype(float)
                      for name in ("regret", "native"))  # fmt: skip
    near, less_near = (f"within {limit} in {(regret <= limit).sum()}" for limit in WITHIN)
    yield (
        f"\nOf {len(table)} cases the pick's time is {near} and {less_near}; the worst is "
        f"{regret.max():.2f}. `native` beats it in {(native < regret).sum()}."
    )
    models = dict(zip(table["network"], table["model"], strict=True))
    yield "\nThe models, as measured there:\n"
    yield from (f"- {network}: `{model}`" for network, model in models.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--bytes", default=",".join(map(str, SIZES[2:])), help="cells of the page")
    parser.add_argument("--results", type=Path, default=Path("results/model-regret"))
    parser.add_argument("--further", type=float, help="as measured, tau over alpha, if not given")
    parser.add_argument("--table", type=Path, default=TABLE)
    options = parser.parse_args()
    cells = [int(text) for text in options.bytes.split(",")]
    options.results.mkdir(parents=True, exist_ok=True)
    study = Study(options.build, options.rate, cells, options.results, options.further)
    with TemporaryDirectory() as name:
        table = pd.concat([
            study.measured(hosts, networks(RANKS)[hosts.place], Path(name)) for hosts in EMULATED
        ], ignore_index=True)  # fmt: skip
    table.to_csv(options.table, index=False)
    print("\n".join(in_words(table)))


if __name__ == "__main__":
    main()
