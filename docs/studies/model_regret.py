#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the model's pick costs where it was measured: 16 ranks on emulated hosts.

    model_regret.py [--build BUILD] [--rate 100mbit] [--sizes 64,1K,8K,64K] [--results DIR]

On three of the networks of docs/background/where_each_wins.md, made of namespaces by hosts_here.py,
`allgather_bench --measure-model` says alpha and beta, `allgather_schedule cost` prices by them what
that page prices, and one launch a network times all whose price is within NEAR of the lowest at a
size. Regret: the median time of the plainest within TIE of the lowest price, over that of the best.
A network that has a whole result file in DIR is not run again.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from agreport.figure.words import size_label
from pricing import FURTHER, NEAR, TIE, Network, candidates, networks, placed, printed

RANKS = 16
HERE = Path(__file__).parents[2] / "jobs" / "testbed" / "hosts_here.py"
COLUMNS = ["block size", "alike", "regret", "of the alike", "rank correlation", "best", "its ms",
           "`native`"]  # fmt: skip


@dataclass(frozen=True)
class Hosts:
    """place: among `networks`; switches: of hosts_here.py; slots: ranks of a host."""

    place: int
    switches: str
    slots: int = 1
    trunk: bool = False


EMULATED = (Hosts(0, "16"), Hosts(1, "4,4,4,4", trunk=True), Hosts(3, "2", slots=8))


@dataclass(frozen=True)
class Study:
    build: str
    rate: str
    sizes: Sequence[str]
    results: Path

    def run(self, hosts: Hosts, path: Path, *options: str) -> None:
        trunk = ["--trunk", self.rate] if hosts.trunk else []
        bench = [f"{self.build}/bin/mpirun_here", str(RANKS), f"{self.build}/bin/allgather_bench"]
        unfinished = path.with_name(f"unfinished-{path.name}")
        unfinished.unlink(missing_ok=True)
        command = [sys.executable, str(HERE), hosts.switches, "--slots", str(hosts.slots), "--rate",
                   self.rate, *trunk, "--", *bench, *options,
                   "--output", str(unfinished)]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"model_regret: {' '.join(command)}: {done.stderr}")
        unfinished.rename(path)

    def measured(self, hosts: Hosts, network: Network, folder: Path) -> tuple[str, pd.DataFrame]:
        """The model and, by algorithm and block size, prices and median times in microseconds."""
        model_file = self.results / f"model-{hosts.switches}.csv"
        if not model_file.exists():
            self.run(hosts, model_file, "--measure-model", "--algorithms", "native", "--sizes", "1")
        model = model_of(model_file)
        names = candidates(network, RANKS, equal=True)
        costs = printed(self.build, "cost", *placed(network, folder, RANKS), "--model", model,
                        "--algorithms", ",".join(names),
                        "--bytes", ",".join(self.sizes))  # fmt: skip
        costs = costs[costs["status"] == "ok"]
        over = costs["cost"] / costs.groupby("bytes")["cost"].transform("min")
        near = set(costs.loc[over <= NEAR, "algorithm"])
        file = self.results / f"times-{hosts.switches}.csv"
        if not file.exists():
            given = [name for name in names if name in near]
            self.run(hosts, file, "--algorithms", ",".join([*given, "native"]), "--sizes",
                     ",".join(self.sizes), "-i", "20", "-x", "2")  # fmt: skip
        rows = pd.read_csv(file, comment="#")
        # A file that was kept may have more sizes than are asked for now.
        rows = rows[(rows["status"] == "ok") & rows["bytes"].isin(set(costs["bytes"]))]
        us = rows.groupby(["algorithm", "bytes"])["avg_us"].median().rename("us")
        prices = costs.set_index(["algorithm", "bytes"])["cost"]
        return model, pd.concat(
            [prices.to_frame().join(us, how="inner"), us.loc[["native"]].to_frame()]
        )


def model_of(file: Path) -> str:
    """contention, by the alpha and beta of Hockney's model in the file."""
    (line,) = [each for each in file.read_text().splitlines() if each.startswith("#@model=")]
    values = dict(part.split("=") for part in line.split("hockney:")[1].split()[0].split(","))
    bandwidth = 1 / float(values["beta"])
    return f"contention:alpha={values['alpha']},bandwidth={bandwidth:.6g},further={FURTHER}"


def regrets(cases: pd.DataFrame) -> Iterator[list[str]]:
    """A row a block size, under COLUMNS. cases: the plainest first, by algorithm and bytes."""
    for size in sorted(set(cases.index.get_level_values("bytes"))):
        case = cases.xs(size, level="bytes")
        native_us = case["us"]["native"]
        case = case.dropna()
        best_us = case["us"].min()
        alike = case.loc[case["cost"] <= TIE * case["cost"].min(), "us"] / best_us
        yield [
            size_label(size),
            f"{len(alike)} of {len(case)}",
            f"{alike.iloc[0]:.2f} (`{alike.index[0]}`)",
            f"{alike.min():.2f} to {alike.max():.2f}",
            f"{case['us'].corr(case['cost'], method='spearman'):.2f}",
            f"`{case['us'].idxmin()}`",
            f"{best_us / 1000:.3g}",
            f"{native_us / best_us:.2f}",
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--build", default="build")
    parser.add_argument("--rate", default="100mbit")
    parser.add_argument("--sizes", default="64,1K,8K,64K")
    parser.add_argument("--results", type=Path, default=Path("results/model-regret"))
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    study = Study(options.build, options.rate, options.sizes.split(","), options.results)
    with TemporaryDirectory() as name:
        for hosts in EMULATED:
            network = networks(RANKS)[hosts.place]
            model, cases = study.measured(hosts, network, Path(name))
            print(f"\n{network.title}, {RANKS} ranks, `{model}`:\n")
            print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|")
            for row in regrets(cases):
                print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
