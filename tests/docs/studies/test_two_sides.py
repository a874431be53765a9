# SPDX-License-Identifier: BSD-3-Clause
"""The sweep of one build on two sides, and what is made of its launches."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

import agreport.main
from agformats.files.data_set_writer import WHOLE_FILE, Writer
from agformats.files.result_rows import read
from agsweep.sweep.points import plan
from agsweep.sweep.sweep_file import load

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parents[3] / "docs" / "studies"
CASE = "allgather,ring,regular,none,sequential,2,1,1024,2048"
HEADER = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "min_us,avg_us,max_us,status,reason"
)


Times = dict[str, list[float]]


def data_set(folder: Path, duets: Times, alone: Times) -> Path:
    """Makes the data set as `agsweep collect` does. Times: of each build, the median of each
    launch."""
    files = []
    launches = [
        (way, build, launch, median)
        for way, times in (("duet", duets), ("alone", alone))
        for build, medians in times.items()
        for launch, median in enumerate(medians)
    ]
    with Writer(folder) as writer:
        for way, build, launch, median in launches:
            times_us = [*(median + k - 1 for k in range(3)), 1000]
            rows = [
                f"{CASE},{k},{us},{us},{us},{'ok' if k < 3 else 'late'},"
                for k, us in enumerate(times_us)
            ]
            file = folder / f"{launch}_{way}.csv"
            file.write_text("\n".join([HEADER, *rows, "#@case_end=1"]) + "\n")
            origin = {"build": build, "point": ""}
            number = writer.add(*read(file, WHOLE_FILE), f"{build}/{file.name}", origin)
            partner = "another" if way == "duet" else ""
            files.append({"number": number, "build": build, "launch": launch, "partner": partner})
    manifest = {"builds": dict.fromkeys(duets or alone), "files": files}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def duet_spread(folder: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, str(STUDIES / "duet_spread.py"), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_sweep_is_duets_of_one_build() -> None:
    planned = plan(load(STUDIES / "two-sides.toml"))
    assert len(planned.steps) == 20
    for first, second in planned.steps:
        assert (first.build.name, second.build.name) == ("base", "new")
        assert first.build.folder == second.build.folder
        assert first.partner == "new"


def test_the_commands_in_its_head_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    head = (STUDIES / "two-sides.toml").read_text(encoding="utf-8")
    (line,) = re.findall(r"^#   agreport (compare .*)", head, re.MULTILINE)
    assert agreport.main.main(line.split()) == 2
    assert "results/two-sides/dataset/base" in capsys.readouterr().err


def test_spread_is_of_log_ratios(tmp_path: Path) -> None:
    """Ratios e and 1/e: their mean is 0 and their standard deviation sqrt(2). Always twice: 0."""
    duets: Times = {"a": [10, 20], "b": [10 * math.e, 20 / math.e]}
    done = duet_spread(data_set(tmp_path, duets, {"a": [10, 30], "b": [20, 60]}))
    assert done.returncode == 0, done.stderr
    cells = done.stdout.splitlines()[-1].split()
    assert cells == [
        *("allgather", "1024", "ring"),
        *("1.414", "0.0", "15.0"),
        *("0.0", f"{math.log(2):.3f}", "20.0"),
    ]


def test_duets_alone_are_refused(tmp_path: Path) -> None:
    done = duet_spread(data_set(tmp_path, {"a": [10], "b": [10]}, {}))
    assert done.returncode != 0
    assert "has no launches alone" in done.stderr


def test_a_folder_without_a_data_set_is_named(tmp_path: Path) -> None:
    done = duet_spread(tmp_path)
    assert done.returncode != 0
    assert done.stderr.startswith(f"duet_spread: {tmp_path}: ")
    assert done.stderr.count("\n") == 1
