# SPDX-License-Identifier: BSD-3-Clause
"""Asks whether a library's path for buffers in a device beats copies to the host and back.

For each number of ranks there are several launches with buffers in the device and as many with
buffers on the host, in turns. The table has medians of the launches' whole cycles (write, call,
read) in microseconds, by size: `native` in the device, staged, staged in four pieces, and on the
host, and the fastest of our algorithms in the device and staged, with its name. `-` stands where
nothing ran: a library that takes no addresses of a device has no path for them, and a block of a
byte has no four pieces.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

import agreport

OURS = "ring", "bruck", "recursive_doubling", "linear", "neighbor_exchange", "sparbit"
STAGED = ":stage=host"
IN_PIECES = f"native{STAGED}:pieces=4"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the build folder")
    parser.add_argument("--buffers-in", default="cuda", help="(%(default)s)")
    parser.add_argument("--ranks", default="2,4,8", help="numbers of ranks (%(default)s)")
    parser.add_argument("--sizes", default="8:64M", help="MIN:MAX in bytes (%(default)s)")
    parser.add_argument("--launches", type=int, default=3, help="of each kind (%(default)s)")
    options = parser.parse_args()
    if any(not word.isdigit() or int(word) == 0 for word in options.ranks.split(",")):
        parser.error(f"--ranks: '{options.ranks}' is not legal; legal: whole numbers, as 2,4")
    if options.launches < 1:
        parser.error(f"--launches: '{options.launches}' is not legal; legal: 1 or more")
    names = ["native", *OURS]
    in_device = ",".join([*names, IN_PIECES, *(name + STAGED for name in names)])
    sides = {options.buffers_in: in_device, "private": "native"}
    for ranks in map(int, options.ranks.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            files: dict[str, list[Path]] = {kind: [] for kind in sides}
            for number in range(options.launches):
                for kind, algorithms in sides.items():
                    files[kind].append(Path(folder) / f"{kind}-{number}.csv")
                    launch(options, ranks, kind, algorithms, files[kind][-1])
            device, host = (cycles(found) for found in files.values())
        print(f"\n{ranks} ranks, buffers in {options.buffers_in}\n", flush=True)
        print(table(device, host["native"]), flush=True)
    return 0


def launch(options: argparse.Namespace, ranks: int, kind: str, algorithms: str, file: Path) -> None:
    words = ["--buffers-in", kind, "--algorithms", algorithms, "-m", options.sizes, "-c"]
    programs = options.build / "bin"
    command = [programs / "mpirun_here", str(ranks), programs / "allgather_bench"]
    ended = subprocess.run([*command, *words, "--output", file], capture_output=True, text=True)
    if ended.returncode:
        sys.exit(ended.stderr or f"exit code {ended.returncode}")


def cycles(files: list[Path]) -> pd.DataFrame:
    """The median of the launches' medians: sizes down, algorithms across."""
    rows = agreport.load(files).astype({"algorithm": str})
    medians = rows.groupby(["bytes", "algorithm", "launch"])["cycle_us"].median()
    return medians.groupby(["bytes", "algorithm"]).median().unstack("algorithm")


def table(device: pd.DataFrame, host: "pd.Series[float]") -> str:
    lines = [
        "| bytes | native | staged | in pieces | ours | ours staged | native on the host |",
        "|" + "---|" * 7,
    ]
    for size, row in device.iterrows():
        cells = [
            time_of(row, ["native"]),
            time_of(row, ["native" + STAGED]),
            time_of(row, [IN_PIECES]),
            time_of(row, OURS, named=True),
            time_of(row, [name + STAGED for name in OURS], named=True),
            f"{host.to_dict()[size]:.1f}",
        ]
        lines.append(f"| {size} | {' | '.join(cells)} |")
    return "\n".join(lines)


def time_of(
    row: "pd.Series[float]", names: "list[str] | tuple[str, ...]", named: bool = False
) -> str:
    """The shortest of these times, with its algorithm if asked."""
    times = {name: row[name] for name in names if name in row and row[name] == row[name]}
    if not times:
        return "-"
    best = min(times, key=lambda name: times[name])
    return f"{times[best]:.1f}" + (f" ({best.removesuffix(STAGED)})" if named else "")


if __name__ == "__main__":
    sys.exit(main())
