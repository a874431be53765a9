# SPDX-License-Identifier: BSD-3-Clause
"""--record counters: what the hosts' counters say of a case is what its calls did."""

import json
from pathlib import Path

import pytest

from agreport.main import main

from ..support.cluster import Cluster
from ..support.launch import Build
from ..support.refusals import GATHER, refused
from ..support.results import COUNTER_COLUMNS, Results, Row, read_results

pytestmark = pytest.mark.slow

RECORD = ("--record", "counters", "--output", "out.csv")
ITERATIONS = 20


def changes(results: Results, **wanted: str) -> dict[tuple[str, str], Row]:
    """Returns the changes by host and counter, of the rows with these values."""
    found: dict[tuple[str, str], Row] = {}
    for row in results.rows:
        if all(row[name] == value for name, value in wanted.items()):
            key = (row["host"], row["counter"])
            assert key not in found, f"{key} stands twice"
            found[key] = row
    return found


def check(row: Row) -> None:
    """Either a difference or a reason."""
    assert (row["difference"] == "") != (row["reason"] == "")
    assert int(row["difference"] or 0) >= 0
    assert float(row["between_us"]) > 0
    assert row["unit"]


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_every_case_has_the_counters_of_its_host(build: Build, tmp_path: Path, ranks: int) -> None:
    ended = build.run(GATHER, "--algorithms", "ring,native", "--sizes", "8,1K", "-i", "5", "-x",
                      "1", *RECORD, ranks=ranks, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.counters.csv", COUNTER_COLUMNS)
    timed = read_results(tmp_path / "out.csv")
    assert results.cases == timed.cases and len(results.cases) == 2
    for row in results.rows:
        check(row)
    for size in ("8", "1024"):
        found = changes(results, bytes=size)
        assert {host for host, _ in found} == {timed.metadata["hosts"]}
        counters = {counter for _, counter in found}
        assert {"cpu/context_switches", "tcp/RetransSegs"} < counters
        assert {row["algorithm"] for row in found.values()} == {"together"}
        # Five timed calls of each algorithm, and one that begins its only turn.
        assert {row["calls"] for row in found.values()} == {"12"}
    left_out = timed.metadata.get("counters_left_out", "")
    assert (f"# counters are left out: {left_out}\n" in ended.stdout) == bool(left_out)


def test_algorithms_one_after_the_other_have_their_own(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--algorithms", "ring,bruck", "--sizes", "8", "-i", "5", "-x", "1",
                      "--order", "sequential", *RECORD, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.counters.csv", COUNTER_COLUMNS)
    for algorithm in ("ring", "bruck"):
        found = changes(results, algorithm=algorithm)
        assert found and {row["calls"] for row in found.values()} == {"5"}
    assert {row["algorithm"] for row in results.rows} == {"ring", "bruck"}


def test_one_algorithm_that_can_run_has_its_name(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--algorithms", "ring,neighbor_exchange", "--sizes", "8", "-i", "2",
                      "-x", "0", *RECORD, ranks=3, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.counters.csv", COUNTER_COLUMNS)
    assert {row["algorithm"] for row in results.rows} == {"ring"}


def test_an_interrupted_launch_goes_on(build: Build, tmp_path: Path) -> None:
    given = ("--algorithms", "ring", "--sizes", "8,16", "-i", "2", "-x", "0", *RECORD)
    assert build.run(GATHER, *given, cwd=tmp_path).exit_code == 0
    whole = {name: (tmp_path / name).read_text() for name in ("out.csv", "out.counters.csv")}
    end = whole["out.csv"].index("\n", whole["out.csv"].index("#@case_end=")) + 1
    (tmp_path / "out.csv").write_text(whole["out.csv"][:end])
    with_ranks = [text.replace("counters", "ranks,counters") for text in given]
    refusing = build.run(GATHER, *with_ranks, "--resume", cwd=tmp_path)
    assert "record_ranks" in refused(refusing)
    resumed = build.run(GATHER, *given, "--resume", cwd=tmp_path)
    assert resumed.exit_code == 0, resumed.stderr
    results = read_results(tmp_path / "out.counters.csv", COUNTER_COLUMNS)
    assert len(results.cases) == 2
    cut = whole["out.counters.csv"].index("\n", whole["out.counters.csv"].index("#@case_end="))
    assert (tmp_path / "out.counters.csv").read_text().startswith(whole["out.counters.csv"][:cut])
    for size in ("8", "16"):
        assert {row["calls"] for row in changes(results, bytes=size).values()} == {"2"}


@pytest.mark.cluster
def test_bytes_on_the_wire_are_those_of_the_algorithm(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of two hosts sends its block; headers, synchronisation and the launcher add some."""
    block = 2**16
    ended = cluster.shell(
        "2", "$bin/mpirun_here 2 $bin/allgather_bench --algorithms ring,bruck --sizes 64K "
        f"-i {ITERATIONS} -x 1 --order sequential --record counters --output out.csv",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.counters.csv", COUNTER_COLUMNS)
    for algorithm in ("ring", "bruck"):
        found = changes(results, algorithm=algorithm)
        assert {host for host, _ in found} == {"h0", "h1"}
        for host in ("h0", "h1"):
            for way in ("rx", "tx"):
                moved = int(found[host, f"net/eth0/{way}_bytes"]["difference"])
                assert ITERATIONS * block <= moved < 1.5 * ITERATIONS * block
    document = tmp_path / "counters.json"
    assert main(["counters", str(tmp_path / "out.csv"), "--json", str(document)]) == 0
    sent = json.loads(document.read_text())["bytes_sent"]
    assert {(one["algorithm"], one["hosts"]) for one in sent} == {("ring", 2), ("bruck", 2)}
    for one in sent:
        assert one["received_per_call"] == 2 * block
        assert 1 <= one["ratio"] < 1.5
    assert "Bytes sent a call, of all hosts" in capsys.readouterr().out


@pytest.mark.cluster
def test_lost_packets_are_told(
    cluster: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The switch's port to h1 has a queue of a few packets and drops the others. The switch is in
    the network of the first process."""
    ended = cluster.shell(
        "2", "nsenter --target 1 --net tc qdisc add dev h1 root tbf rate 50mbit burst 1600 "
        "limit 6000 && $bin/mpirun_here 2 $bin/allgather_bench --algorithms ring --sizes 256K "
        "-i 5 -x 0 --record counters --output out.csv",
        cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.counters.csv", COUNTER_COLUMNS)
    again = {host: int(row["difference"]) for (host, counter), row in changes(results).items()
             if counter == "tcp/RetransSegs"}  # fmt: skip
    assert again["h0"] > 0
    assert main(["diagnostics", str(tmp_path / "out.csv")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "TCP sent segments again: " in said
    most = max(again, key=lambda host: again[host])
    assert f"most on {most} with blocks of 256 KiB on 2 ranks" in said
