# SPDX-License-Identifier: BSD-3-Clause
"""The sweep of one build on two sides, and what is made of its launches."""

import json
import math
import subprocess
import sys
from pathlib import Path

from agsweep.points import plan
from agsweep.sweep_file import load

STUDIES = Path(__file__).parents[2] / "studies"
CASE = "allgather,ring,regular,none,sequential,2,1,1024,2048"
HEADER = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "avg_us,status"
)


def data_set(folder: Path, times: dict[str, list[float]]) -> Path:
    """As `agsweep collect` makes it. times: of each build, the median of each launch."""
    files = []
    for build, medians in times.items():
        (folder / build).mkdir(parents=True)
        for launch, median in enumerate(medians):
            rows = [f"{CASE},{k},{median + k - 1},ok" for k in range(3)]
            rows += [f"{CASE},3,1000,late"]
            name = f"{build}/{launch}.csv"
            (folder / name).write_text("\n".join(["#@ranks=2", HEADER, *rows]) + "\n")
            files.append({"file": name, "build": build, "launch": launch})
    manifest = {"builds": dict.fromkeys(times), "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def duet_spread(*folders: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(STUDIES / "duet_spread.py"), *map(str, folders)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_sweep_is_duets_of_one_build() -> None:
    planned = plan(load(STUDIES / "two-sides.toml"))
    assert len(planned.steps) == 20
    for first, second in planned.steps:
        assert (first.build.name, second.build.name) == ("base", "new")
        assert first.build.folder == second.build.folder
        assert first.partner == "new"


def test_spread_is_of_log_ratios(tmp_path: Path) -> None:
    """Ratios e and 1/e: their mean is 0 and their standard deviation sqrt(2). Always twice: 0."""
    duets = data_set(tmp_path / "duets", {"a": [10, 20], "b": [10 * math.e, 20 / math.e]})
    alone = data_set(tmp_path / "alone", {"a": [10, 30], "b": [20, 60]})
    done = duet_spread(duets, alone)
    assert done.returncode == 0, done.stderr
    cells = done.stdout.splitlines()[-1].split()
    assert cells == [
        *("allgather", "1024", "ring"),
        *("1.414", "0.0", "15.0"),
        *("0.0", f"{math.log(2):.3f}", "20.0"),
    ]


def test_a_folder_without_a_data_set_is_named(tmp_path: Path) -> None:
    done = duet_spread(tmp_path, tmp_path)
    assert done.returncode != 0
    assert done.stderr.startswith(f"duet_spread: {tmp_path}: ")
    assert done.stderr.count("\n") == 1
