# SPDX-License-Identifier: BSD-3-Clause
"""agreport nodes: a planted slow host is found, and where none is, none is named."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy  # its stats only where they are used: they take a second

from agreport.data.hosts import hosts_of_ranks
from agreport.data.load import Launch
from agreport.diagnostics.nodes import HostPanel
from agreport.diagnostics.slow_hosts import of_hosts
from agreport.main import main

from ..support.commands import Capture
from ..support.fake_arrivals import RANK_COLUMNS, case, keys, write
from ..support.sheets import check_files

pytestmark = pytest.mark.slow

ITERATIONS = 40
FOUR = ("h0", "h1", "h2", "h10")
NONE, DELAYED = "none", "delayed:rank=1,delay=5ms"


def launch(
    path: Path,
    *,
    hosts: Sequence[str] = FOUR,
    each: int = 2,
    slower: Mapping[str, float] | None = None,
    computes: Mapping[str, float] | None = None,
    arrivals: Sequence[str] = (NONE,),
    sizes: Sequence[int] = (1024, 2048),
    seed: int = 1,
    with_ranks: bool = True,
    apart: float = 1.0,
    late: Sequence[int] = (),
    **metadata: str,
) -> Path:
    """A launch whose ranks take 100 us and some noise; of a host in `slower` so many more, of one
    there with an algorithm before its name in that one. A host in `computes` arrives so much later
    than the others, and then waits the less."""
    random = np.random.default_rng(seed)
    placement = metadata.get("placement", "sequential")
    of_rank = [*hosts] * each if placement == "cyclic" else [h for h in hosts for _ in range(each)]
    ranks = len(of_rank)
    rows, rank_rows = [], []
    for arrival in arrivals:
        for size in sizes:
            times = {name: [100.0] * ITERATIONS for name in ("ring", "bruck")}
            shape = {"ranks": ranks, "nodes": len(hosts), "size": size}
            lates = {"ring": late, "bruck": late}
            rows.append(case(arrival, times, imbalance=apart, late=lates, **shape))
            of_case = []
            for name in times:
                for i in range(ITERATIONS):
                    us = random.exponential(5, ranks) + 100
                    for rank, host in enumerate(of_rank):
                        more = sum((slower or {}).get(key, 0.0) for key in (host, f"{name} {host}"))
                        more += 10_000 * rank if i in late else 0
                        delay = 5000.0 if arrival == DELAYED and rank == 1 else 0.0
                        waits = 5000.0 - delay if arrival == DELAYED else 0.0
                        shown = f"{delay},{delay}" if arrival == DELAYED else ","
                        late_us = (computes or {}).get(host, 0.0)
                        computed = f"{late_us + 50}" if computes else ""
                        of_case.append(
                            f"{keys(name, arrival, i, **shape)},{rank},"
                            f"{us[rank] + more + waits - late_us},{shown},{computed}"
                        )
            rank_rows.append(of_case)
    said = {
        "hosts": ",".join(hosts),
        "ranks_per_node": ",".join([str(each)] * len(hosts)),
        "placement": "sequential",
        "mappings": "as launched",
        "sync": "barrier",
        **metadata,
    }
    write(path, *rows, **said)
    if with_ranks:
        beside = path.with_name(f"{path.stem}.ranks.csv")
        write(beside, *rank_rows, columns=f"{RANK_COLUMNS},computed_us", **said)
    return path


def run(capsys: Capture, *options: object) -> tuple[int, list[str], str]:
    code = main(["nodes", *map(str, options)])
    said = capsys.readouterr()
    return code, said.out.splitlines(), said.err


def verdict(lines: Sequence[str]) -> str:
    """The hosts that are named."""
    none, named = "No host is slow more often", "Slow more often than by chance"
    assert "binomial test, 1 % for" in lines[0]
    assert lines[0].startswith(none) or lines[0].startswith(named)
    return "" if lines[0].startswith(none) else lines[0].rpartition(": ")[2].removesuffix(".")


def test_a_slow_host_is_found(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", slower={"h2": 12.0})
    numbers, document = tmp_path / "numbers.txt.csv", tmp_path / "all.json"
    code, lines, said = run(capsys, path, "--csv", numbers, "--json", document)
    assert (code, said) == (0, "")
    assert lines[0] == (
        "Slow more often than by chance (binomial test, 1 % for 4 hosts together, Bonferroni): h2."
    )
    assert "in 2 of 2 algorithms 5 % or more and beyond what the" in lines[1]
    table = pd.read_csv(numbers)
    assert len(table) == 2 * 2 * 4, "sizes, algorithms, hosts"
    assert set(table["iterations"]) == {ITERATIONS}
    assert set(table["chance_percent"]) == {25} and set(table["behind_chance_percent"]) == {50}
    assert table.groupby(["algorithm", "bytes"])["last"].sum().tolist() == [ITERATIONS] * 4
    slow = table[table["host"] == "h2"]
    assert slow["excess_us"].between(9, 15).all() and (slow["share_percent"] > 70).all()
    assert table["host"].tolist()[:4] == [*FOUR], "numbers in names are numbers"

    found = json.loads(document.read_text())
    assert (found["slow"], found["level_percent"]) == (["h2"], 1)
    assert len(found["cases"]) == len(table)
    best = found["hosts"][0]
    assert best["host"] == "h2"
    assert best["last"] == slow["last"].sum()
    behind = round(best["behind_percent"] / 100 * best["iterations"])
    chance = scipy.stats.binom.sf(behind - 1, 4 * ITERATIONS, 0.5)
    assert best["behind_p"] == pytest.approx(4 * chance)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("hosts", "each"), [(FOUR, 2), (("a", "b"), 1), (("a", "b", "c"), 3)])
def test_none_is_named_where_none_is(
    tmp_path: Path, capsys: Capture, hosts: Sequence[str], each: int, seed: int
) -> None:
    _, lines, _ = run(capsys, launch(tmp_path / "a.csv", hosts=hosts, each=each, seed=seed))
    assert verdict(lines) == ""
    assert not any(line.startswith("Late more often") for line in lines)


def test_a_host_that_waits_is_told_from_a_slow_one(tmp_path: Path, capsys: Capture) -> None:
    """In the algorithms' schedules another host each waits for h1, and leaves after it."""
    path = launch(
        tmp_path / "a.csv", slower={"h1": 40.0, "ring h2": 60.0, "bruck h0": 60.0}, each=1
    )
    _, lines, _ = run(capsys, path)
    assert verdict(lines) == "h1"
    (others,) = (line for line in lines if line.startswith("Late more often than by chance"))
    assert "h0, h2. " in others or "h2, h0. " in others
    assert any(line.startswith("Each host has one rank") for line in lines)


def test_threshold(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", slower={"h2": 12.0})
    assert verdict(run(capsys, path, "--threshold", "8%")[1]) == "h2"
    code, lines, _ = run(capsys, path, "--threshold", "30")
    assert (code, verdict(lines)) == (0, "")
    assert any("not 30 % behind in over 75 % of the algorithms: h2." in line for line in lines)


def test_what_the_synchronisation_left_is_no_slowness(tmp_path: Path, capsys: Capture) -> None:
    """h0 may have left the barrier so much earlier than the others."""
    for apart, named in ((8.0, "h0"), (20.0, "")):
        path = launch(tmp_path / f"{apart}.csv", slower={"h0": 12.0}, apart=apart)
        _, lines, said = run(capsys, path)
        assert verdict(lines) == named
        assert ("Ranks did not begin together" in said) == (apart > 10)


def test_a_late_arrival_is_slow_and_an_injected_one_is_not(tmp_path: Path, capsys: Capture) -> None:
    """Who computes for long leaves the call soonest after its arrival. Rank 1, on h0, is delayed
    by 5 ms in half of the cases; in the others h2 is slow."""
    path = launch(tmp_path / "a.csv", computes={"h10": 20.0}, slower={"h10": 20.0})
    assert verdict(run(capsys, path)[1]) == "h10"
    path = launch(tmp_path / "b.csv", slower={"h2": 20.0}, arrivals=(NONE, DELAYED))
    code, lines, said = run(capsys, path)
    assert (code, verdict(lines)) == (0, "h2")
    assert f"left out: {2 * 2 * ITERATIONS} iterations under arrival patterns" in said
    path = launch(tmp_path / "c.csv", arrivals=(DELAYED,))
    code, lines, said = run(capsys, path)
    assert (code, lines, said.count("\n")) == (2, [], 1)
    assert "nothing tells of slow hosts" in said and "the pattern none counts" in said


def test_late_iterations_do_not_count(tmp_path: Path, capsys: Capture) -> None:
    """The last ranks are far behind in them."""
    path = launch(tmp_path / "a.csv", late=range(0, ITERATIONS, 2))
    numbers = tmp_path / "numbers.txt.csv"
    assert verdict(run(capsys, path, "--csv", numbers)[1]) == ""
    assert set(pd.read_csv(numbers)["iterations"]) == {ITERATIONS // 2}


def test_cyclic_ranks_are_on_other_hosts(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", slower={"h1": 20.0}, placement="cyclic")
    assert verdict(run(capsys, path)[1]) == "h1"


@pytest.mark.parametrize(
    ("said", "mapping", "hosts"),
    [
        ({"placement": "sequential"}, "as launched", "aaabcc"),
        ({"placement": "cyclic"}, "as launched", "abcaca"),
        # What the launcher was asked for is not what was found.
        ({"placement": "cyclic"}, "sequential", "abcaca"),
        ({"placement": "custom", "mappings": "sequential,cyclic"}, "cyclic", "abcaca"),
        ({"placement": "custom", "mappings": "sequential,cyclic"}, "sequential", "aaabcc"),
    ],
)
def test_hosts_of_ranks(said: dict[str, str], mapping: str, hosts: str) -> None:
    metadata = {"hosts": "a,b,c", "ranks_per_node": "3,1,2", **said}
    assert "".join(hosts_of_ranks(Launch(Path(), metadata, 0), mapping)) == hosts


def test_chances_of_unequal_hosts() -> None:
    random = np.random.default_rng(3)
    found = of_hosts(random.random((40_000, 6)), np.array([*"aaabcc"], object))
    assert found.chance == pytest.approx([3 / 6, 1 / 6, 2 / 6])
    assert found.last.mean(axis=0) == pytest.approx(found.chance, abs=0.01)
    assert found.behind.mean(axis=0) == pytest.approx(found.behind_chance, abs=0.01)


def test_the_median_of_the_others_and_ties() -> None:
    us = np.array([[1.0, 2, 3, 10], [7, 5, 5, 5], [4, 9, 9, 1], [2, 2, 2, 2]])
    found = of_hosts(us, np.array([*"abcd"], object))
    expected = [[np.median(np.delete(row, host)) for host in range(4)] for row in us]
    assert found.others_us.tolist() == expected
    assert found.last.tolist() == [
        [False, False, False, True],
        [True, False, False, False],
        [False] * 4,
        [False] * 4,
    ]
    assert found.behind.tolist() == [
        [False, False, True, True],
        [True, False, False, False],
        [False, True, True, False],
        [False] * 4,
    ]


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ({"with_ranks": False}, "no per-rank times are beside the file (--record ranks"),
        ({"hosts": ("h0",)}, "all ranks are on one host"),
        ({"simulated": "yes"}, "simulated, so nothing is by chance"),
        ({"sync": "none"}, "with --sync none"),
        ({"root": "0"}, "with a root"),
        ({"placement": "custom"}, "(placement=custom); legal: --mapping sequential or cyclic"),
        ({"ranks_per_node": "2,2"}, "not told which rank was on which host"),
        ({"resumed": "after 1 cases; hosts h7,h8; clock x"}, "resumed on other hosts"),
        (
            {"mappings": "cyclic", "pretended_ranks_per_node": "1"},
            "ranks are numbered by nodes that were pretended",
        ),
    ],
)
def test_what_tells_nothing(
    tmp_path: Path, capsys: Capture, made: dict[str, Any], why: str
) -> None:
    """Alone it is an error of one line; beside a launch that tells something, a warning."""
    bad = launch(tmp_path / "bad.csv", start="1", **made)
    code, lines, said = run(capsys, bad)
    assert (code, lines, said.count("\n")) == (2, [], 1)
    assert "nothing tells of slow hosts" in said and why in said and "bad.csv" in said
    good = launch(tmp_path / "good.csv", start="2", slower={"h2": 20.0})
    code, lines, said = run(capsys, bad, good)
    assert code == 0
    assert verdict(lines).partition(" ")[0] == "h2"
    assert "agreport: warning: left out: " in said and why in said


def test_ranks_without_a_host(tmp_path: Path, capsys: Capture) -> None:
    code, lines, said = run(capsys, launch(tmp_path / "a.csv", ranks_per_node="2,2,2,1"))
    assert (code, lines, said.count("\n")) == (2, [], 1)
    assert "a.ranks.csv: its rows are of 8 ranks, and the launch says that its hosts have 7" in said


def test_launches_on_other_hosts_are_told(tmp_path: Path, capsys: Capture) -> None:
    """h1 is slow in both; each launch has a host that the other has not."""
    for number, hosts in enumerate((("h0", "h1"), ("h1", "h2", "h3"))):
        launch(tmp_path / f"{number}.csv", hosts=hosts, slower={"h1": 20.0}, seed=number, each=1,
               start=str(number), nodes="2")  # fmt: skip
    numbers = tmp_path.with_suffix(".numbers.csv")
    code, lines, said = run(capsys, tmp_path, "--csv", numbers)
    assert (code, verdict(lines)) == (0, "h1")
    assert "launches had different hosts (h0,h1, h1,h2,h3)" in said
    table = pd.read_csv(numbers)
    counted = table.groupby("host")["iterations"].sum() / (4 * ITERATIONS)
    assert counted.to_dict() == {"h0": 1, "h1": 2, "h2": 1, "h3": 1}


def test_launches_that_differ_are_kept_apart(tmp_path: Path, capsys: Capture) -> None:
    """A host is slow with one MPI library."""
    for mpi, slower in (("A 1", 20.0), ("B 2", 0.0)):
        launch(tmp_path / f"{mpi[0]}.csv", mpi=mpi, slower={"h2": slower}, start=mpi)
    _, lines, said = run(capsys, tmp_path)
    assert verdict(lines) == "h2 (mpi=A 1)"
    assert "1 % for 8 hosts together" in lines[0]
    assert "launches differ in mpi" in said


def test_figure(tmp_path: Path) -> None:
    path = launch(tmp_path / "a.csv", slower={"h2": 12.0})
    text = check_files(tmp_path, "nodes", path)
    for words in ("How often each host left late", "ring", "bruck", "h10", "8 ranks"):
        assert words in text


def test_cells() -> None:
    table = pd.DataFrame(
        [("ring", size, host, share) for size in (1, 2) for host, share in (("a", 90), ("b", 10))],
        columns=["algorithm", "bytes", "host", "behind_percent"],
    )  # fmt: skip
    table = table.assign(behind_chance_percent=50.0, host=pd.Categorical(table["host"]))
    panel = HostPanel("ring", table[:3])
    assert panel.gaps == [(1, 1)], "b was not measured at size 2"
    assert panel.above.dropna().tolist() == [0.8, 0.0, 0.8]
