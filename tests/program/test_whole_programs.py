# SPDX-License-Identifier: BSD-3-Clause
"""Every program, with every algorithm and a switch tree: what links everything there is.

`make test-sanitize` runs this with sanitizers, which find what no single room can show.
"""

import json
import socket
from pathlib import Path

import pytest

from .support.algorithms import ALGORITHMS, SCHEDULES, runs_at
from .support.launch import Build, Ended
from .support.refusals import GATHER, GATHERV
from .support.results import RANK_COLUMNS, read_results

pytestmark = pytest.mark.slow

RANKS = 4


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three switches, and this host on one of them."""
    path = tmp_path_factory.mktemp("tree") / "topology.conf"
    path.write_text(
        f"SwitchName=s0 Nodes={socket.gethostname()},h1\n"
        "SwitchName=s1 Nodes=h2,h3\n"
        "SwitchName=r Switches=s[0-1]\n"
    )
    return path


def succeeded(ended: Ended) -> str:
    assert ended.exit_code == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize(
    ("bench", "options"),
    [
        (GATHER, ("--sizes", "1,5000")),
        (GATHERV, ("--sizes", "1000", "--distributions", "half_full", "--in-place")),
    ],
)
def test_every_algorithm(
    build: Build, tmp_path: Path, tree: Path, bench: str, options: tuple[str, ...]
) -> None:
    given = ("--algorithms", "all,arrival_aware", "--topology", str(tree), "--compute", "1ms", "-i",
             "1", "-x", "0")  # fmt: skip
    succeeded(build.run(bench, *given, *options, "-c", "--output", "out.csv", ranks=RANKS,
                        cwd=tmp_path))  # fmt: skip
    results = read_results(tmp_path / "out.csv")
    assert {row["algorithm"] for row in results.rows} == {*ALGORITHMS}
    ran = {row["algorithm"] for row in results.rows if row["status"] == "ok"}
    assert ran == {name for name in ALGORITHMS if runs_at(name, RANKS)}


def test_every_other_way(build: Build, tmp_path: Path) -> None:
    """Arrival patterns, a synchronised clock, derived datatypes, times of every rank."""
    given = ("--algorithms", "ring,bruck,bdr,bslb", "--sizes", "100", "--compute", "1ms", "-i", "2",
             "-x", "1")  # fmt: skip
    ways = ("--arrival", "none,uniform:max=50us", "--sync", "window", "--record", "ranks",
            "--noncontiguous", "datatype", "--distributions", "spike")  # fmt: skip
    succeeded(build.run(GATHERV, *given, *ways, "--output", "out.csv", ranks=RANKS, cwd=tmp_path))
    statuses = {row["status"] for row in read_results(tmp_path / "out.csv").rows}
    assert statuses <= {"ok", "late"}
    assert read_results(tmp_path / "out.ranks.csv", RANK_COLUMNS).rows


def test_schedules_are_proven(build: Build) -> None:
    printed = succeeded(build.schedule("prove", "--ranks", "1:17", "--algorithms", "all"))
    assert len(printed.splitlines()) == 1 + len(SCHEDULES)


@pytest.mark.parametrize("algorithm", SCHEDULES)
def test_schedule_is_shown(build: Build, tree: Path, algorithm: str) -> None:
    given = ("show", "--algorithm", algorithm, "--ranks", "8", "--format", "json")
    nodes = ("--ranks-per-node", "4", "--topology", str(tree))
    shown = json.loads(succeeded(build.schedule(*given, *nodes)))
    assert shown["algorithm"] == algorithm
    assert len(shown["schedules"]) == 8


@pytest.mark.parametrize("model", ["hockney:alpha=1e-6,beta=1e-9", "hop-bytes", "links"])
def test_schedules_are_priced(build: Build, tree: Path, model: str) -> None:
    where = {
        "hop-bytes": ("--nodes", "2,4", "--ranks-per-node", "2", "--mapping", "cyclic"),
        "links": ("--ranks", "2,4", "--topology", str(tree)),
    }.get(model, ("--ranks", "2,4"))
    given = ("cost", "--algorithms", "ring,bruck,leader", "--bytes", "1K", "--model", model)
    lines = succeeded(build.schedule(*given, *where)).splitlines()
    prices = [line for line in lines if line.startswith(f"{model.partition(':')[0]},")]
    assert len(prices) == 3 * 2
    assert all(line.endswith(",ok,") for line in prices)
