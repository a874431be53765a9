# SPDX-License-Identifier: BSD-3-Clause
"""The figures that need no run of a benchmark, from the program under test."""

import json
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main

from ..support.algorithms import TOPOLOGY_RINGS
from ..support.launch import Build

Capture = pytest.CaptureFixture[str]
Message = tuple[int, int, int]  # sender, receiver, blocks


@pytest.fixture
def program(build: Build) -> str:
    return str(build.program("allgather_schedule"))


def hop_bytes(build: Build, algorithm: str, mapping: str, nodes: int, ranks_per_node: int) -> int:
    """Loch 2021, 5.3, with blocks of one byte: a message costs its size times the distance between
    the nodes of its sender and its receiver."""
    total = 0
    for sender, receiver, blocks in messages(build, algorithm, nodes * ranks_per_node):
        ends = [
            rank // ranks_per_node if mapping == "sequential" else rank % nodes
            for rank in (sender, receiver)
        ]
        total += blocks * abs(ends[0] - ends[1])
    return total


@cache
def messages(build: Build, algorithm: str, ranks: int) -> list[Message]:
    ended = build.schedule(
        *("show", "--algorithm", algorithm, "--ranks", str(ranks), "--format", "json")
    )
    assert ended.exit_code == 0, ended.stderr
    return [
        (sender, transfer["peer"], sum(count for _, count in transfer["blocks"]))
        for sender, steps in enumerate(json.loads(ended.stdout)["schedules"])
        for step in steps
        for transfer in step["sends"]
    ]


def test_hop_bytes_has_the_minima_of_figure_19(build: Build) -> None:
    assert hop_bytes(build, "bruck", "cyclic", 2, 1) == 2
    # Steps of 1 and 2 blocks to the rank before: 3 of distance 1 and one of 3; all of distance 2.
    assert hop_bytes(build, "bruck", "cyclic", 4, 1) == 6 + 16
    cost = {m: hop_bytes(build, "bruck", "cyclic", m, 2) for m in (15, 16, 17)}
    assert cost[16] < min(cost[15], cost[17])
    with_two = [hop_bytes(build, "sparbit", "sequential", m, 2) for m in (15, 16, 17)]
    assert with_two == sorted(with_two)


@pytest.mark.slow
def test_costs_are_the_reference(build: Build, program: str, tmp_path: Path) -> None:
    numbers = tmp_path / "costs.csv"
    command = f"cost --program {program} --nodes 1:9 --ranks-per-node 1,2,3,4 --csv {numbers}"
    names = "ring,bruck,sparbit,recursive_doubling"
    command += f" --algorithms {names} -o {tmp_path / 'a.png'}"
    assert main(command.split()) == 0
    rows = pd.read_csv(numbers, keep_default_na=False, na_values={"cost": [""]})
    assert len(rows) == 4 * 2 * 9 * 4
    for row in rows.itertuples():
        place = (str(row.mapping), int(str(row.nodes)), int(str(row.ranks_per_node)))
        if row.status == "ok":
            assert row.cost == hop_bytes(build, str(row.algorithm), *place), row
        else:
            assert row.algorithm == "recursive_doubling", row


@pytest.mark.slow
def test_distributions(build: Build, program: str, tmp_path: Path) -> None:
    numbers = tmp_path / "sizes.csv"
    command = f"distributions --program {program} --ranks 16 --bytes 1024 --csv {numbers} -o"
    assert main([*command.split(), str(tmp_path / "a.png")]) == 0
    totals = pd.read_csv(numbers).groupby("distribution")["bytes"].sum()
    assert totals[["regular", "broadcast", "spike", "half_full"]].tolist() == [
        16384,
        1024,
        16384 + 15 * (16384 // 15),
        16384,
    ]


@pytest.mark.slow
def test_every_algorithm_can_be_drawn(
    build: Build, program: str, tmp_path: Path, capsys: Capture
) -> None:
    """It is drawn at 3 ranks, or at 4 or 8; or the program says why it cannot run."""

    def is_drawn(name: str, ranks: int) -> bool:
        output = tmp_path / f"{name}.{ranks}.svg"
        command = f"schedule --program {program} --algorithm {name} --ranks {ranks} -o {output}"
        code = main(command.split())
        said = capsys.readouterr().err
        assert code == 0 or said.startswith("agreport: error: allgather_schedule: --algorithm: ")
        assert output.exists() == (code == 0)
        return code == 0

    _, *lines = build.schedule("prove", "--ranks", "8").stdout.splitlines()
    names = [line.split()[0] for line in lines]
    drawn = {name for name in names if any(is_drawn(name, ranks) for ranks in (3, 4, 8))}
    assert {"ring", "bruck", "sparbit", "recursive_doubling", "mesh3d"} <= drawn
    assert set(names) - drawn <= {*TOPOLOGY_RINGS}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["sparbit", "leader:inner=ring"])
def test_what_stays_on_nodes(program: str, tmp_path: Path, capsys: Capture, algorithm: str) -> None:
    """Under both mappings; the messages that are drawn are those that are counted."""
    output, numbers = tmp_path / "a.svg", tmp_path / "a.csv"
    command = f"mapping --program {program} --nodes 3 --ranks-per-node 2 --algorithm {algorithm}"
    assert main([*command.split(), "--csv", str(numbers), "-o", str(output)]) == 0
    rows = pd.read_csv(numbers)
    assert rows["mapping"].drop_duplicates().tolist() == ["sequential", "cyclic"]
    assert "Of all steps" in capsys.readouterr().out
    for row in rows.itertuples():
        title = f"{row.sends_on_node} of {row.sends} stay ({row.bytes_percent:.3g} %)"
        assert f">{title}</text>" in output.read_text()


def test_g_max_and_k_min(program: str, capsys: Capture) -> None:
    """Loch 2021, 5.2: p/2 and 2; 1 where p is odd; the power of two that divides p."""
    command = f"rings --program {program} --algorithms bruck,sparbit --ranks 8,84,21"
    assert main(command.split()) == 0
    extremes = capsys.readouterr().out.splitlines()[-6:]
    expected = ["8 4 2", "84 4 21", "21 1 21"]
    assert [" ".join(line.split()[1:]) for line in extremes] == expected * 2


@pytest.mark.slow
def test_trees_and_rings_are_drawn(program: str, tmp_path: Path) -> None:
    for command in ("tree --block all --algorithm", "rings --algorithms"):
        output = tmp_path / f"{command[:4]}.png"
        ends = f" sparbit --program {program} --ranks 5 -o {output}"
        assert main((command + ends).split()) == 0
        assert output.exists()


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("mapping --nodes 2", "--ranks-per-node"),
        ("mapping --nodes x --ranks-per-node 2", "--nodes: 'x' is no whole number of 1 or more"),
        ("mapping --nodes 2 --ranks-per-node 0", "--ranks-per-node: '0' is no whole number of 1"),
        ("mapping --nodes 2 --ranks-per-node 2 --mapping odd", "--mapping: 'odd' is no mapping"),
        ("mapping --nodes 2 --ranks-per-node 2 --steps 0", "--steps 0: needs --algorithm"),
        ("mapping --nodes 3 --ranks-per-node 2 --algorithm recursive_doubling",
         "--algorithm recursive_doubling: needs a power-of-two number of ranks; ranks = 6"),
        ("mapping --nodes 3 --ranks-per-node 20 --algorithm ring", "--ranks 60: at most 32"),
        ("rings --algorithms linear --ranks 4", "--algorithms linear: has no rings: in step 0"),
        ("rings --algorithms ring --ranks 1", "--ranks 1: a rank alone has no steps"),
        ("rings --algorithms rign --ranks 4", "did you mean 'ring'"),
    ],
)  # fmt: skip
def test_bad_input(program: str, tmp_path: Path, capsys: Capture, command: str, said: str) -> None:
    output = tmp_path / "a.png"
    try:
        code: object = main([*command.split(), "--program", program, "-o", str(output)])
    except SystemExit as leaving:
        code = leaving.code
    printed = capsys.readouterr()
    assert (code, printed.out, printed.err.count("\n")) == (2, "", 1)
    assert said in printed.err
    assert not output.exists()


def test_the_programs_error_is_the_users(program: str, tmp_path: Path, capsys: Capture) -> None:
    command = f"schedule --program {program} --algorithm recursive_doubling --ranks 6 -o"
    assert main([*command.split(), str(tmp_path / "a.png")]) == 2
    assert capsys.readouterr().err == (
        "agreport: error: allgather_schedule: --algorithm: 'recursive_doubling' needs a "
        "power-of-two number of ranks; ranks = 6\n"
    )
