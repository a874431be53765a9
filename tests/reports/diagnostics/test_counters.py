# SPDX-License-Identifier: BSD-3-Clause
"""agreport counters and diagnostics: what was planted in counters of hosts is told, and nothing
else."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from agformats.catalogue import catalogue
from agreport.main import main

from ..support.commands import Capture
from ..support.fake_arrivals import case, write

pytestmark = pytest.mark.slow

COLUMNS = ",".join(each.name for each in catalogue().counter_columns)
CALLS, SIZE, BETWEEN_US = 20, 1024, 1e6
SENT = "net/eth0/tx_bytes"
QUIET = {
    SENT: ("B", 100_000),
    "net/lo/tx_bytes": ("B", 77),
    "net/eth0/rx_errors": ("events", 0),
    "tcp/RetransSegs": ("segments", 0),
    "throttle/core": ("events", 0),
    "cpu/steal": ("ms", 10),
    "cpu/context_switches": ("events", 400),
    "cgroup/throttled": ("periods", 0),
    "infiniband/mlx5_0/1/counters/symbol_error": ("events", 0),
}
Planted = Mapping[tuple[str, int, str], int | str]  # by host, size and counter


def counter_rows(
    size: int, planted: Planted, algorithm: str = "together", hosts: Sequence[str] = ("h0", "h1")
) -> list[str]:
    rows = []
    for host in hosts:
        for counter, (unit, usual) in QUIET.items():
            value = planted.get((host, size, counter), usual)
            known = isinstance(value, int)
            rows.append(
                f'allgather,{algorithm},regular,none,sequential,all,nothing,"0,0",4,2,{size},'
                f"{4 * size},"
                f"{host},{counter},{unit},{value if known else ''},{BETWEEN_US:.3f},{CALLS},"
                f"{'' if known else value}"
            )
    return rows


def launch(
    path: Path,
    planted: Planted | None = None,
    sizes: Sequence[int] = (SIZE,),
    counted_on: Sequence[str] = ("h0", "h1"),
    **said: str,
) -> Path:
    """A result file and its counters."""
    counted = [counter_rows(size, planted or {}, hosts=counted_on) for size in sizes]
    write(path.with_name(f"{path.stem}.counters.csv"), *counted, columns=COLUMNS, **said)
    times = {"ring": [300.0] * 40, "bruck": [200.0] * 40}
    return write(path, *(case("none", times, size=size, nodes=2) for size in sizes), **said)


def run(capsys: Capture, *options: object) -> tuple[int, str, str]:
    code = main([*map(str, options)])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_what_moved_is_listed_by_call(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", {("h1", SIZE, SENT): 151_520})
    document, table = tmp_path / "all.json", tmp_path / "all.csv"
    code, out, said = run(capsys, "counters", path, "--json", document, "--csv", table)
    assert (code, said) == (0, "")
    found = json.loads(document.read_text())
    assert len(found["counters"]) == 2 * len(QUIET)
    of_h1 = {one["counter"]: one for one in found["counters"] if one["host"] == "h1"}
    assert of_h1[SENT]["per_call"] == pytest.approx(151_520 / CALLS)
    assert of_h1[SENT]["per_second"] == pytest.approx(151_520)
    (sent,) = found["bytes_sent"]
    assert sent["counter"] == SENT and sent["hosts"] == 2
    assert sent["sent_per_call"] == pytest.approx(251_520 / CALLS)
    assert sent["received_per_call"] == 4 * 3 * SIZE, "p(p-1)c"
    assert sent["ratio"] == pytest.approx(251_520 / CALLS / (4 * 3 * SIZE))
    assert "Bytes sent a call, of all hosts" in out
    assert "context_switches" in out and "RetransSegs" not in out, "only what moved"
    assert "RetransSegs" in table.read_text()


def test_launches_that_are_one_sample_are_summed_up(tmp_path: Path, capsys: Capture) -> None:
    files = [launch(tmp_path / f"{name}.csv", start=name) for name in ("one", "two")]
    document = tmp_path / "all.json"
    assert run(capsys, "counters", *files, "--json", document)[0] == 0
    counters = json.loads(document.read_text())["counters"]
    sent = [one for one in counters if one["counter"] == SENT]
    assert [(one["difference"], one["calls"], one["launches"]) for one in sent] == [
        (200_000, 2 * CALLS, 2)
    ] * 2
    assert [one["per_call"] for one in sent] == [5000] * 2


def test_what_is_sent_is_of_the_hosts_of_a_launch(tmp_path: Path, capsys: Capture) -> None:
    """A scheduler gives each launch other hosts: a call has sent what those of its launch have."""
    document = tmp_path / "all.json"
    ways = (("h0", "h1"), ("h2", "h3"), ("h0", "h3"))
    files = [
        launch(tmp_path / f"{number}.csv", counted_on=hosts, start=str(number))
        for number, hosts in enumerate(ways)
    ]
    assert run(capsys, "counters", *files, "--json", document)[0] == 0
    (sent,) = json.loads(document.read_text())["bytes_sent"]
    assert sent["hosts"] == 4
    assert sent["sent_per_call"] == pytest.approx(200_000 / CALLS)
    assert sent["ratio"] == pytest.approx(200_000 / CALLS / (4 * 3 * SIZE))


def test_what_is_sent_is_not_known_without_a_host(tmp_path: Path, capsys: Capture) -> None:
    """The bytes of the others alone would say that less was sent than the ranks receive."""
    document = tmp_path / "all.json"
    one = launch(tmp_path / "a.csv", {("h1", SIZE, SENT): "went backwards: it was reset"})
    code, out, _ = run(capsys, "counters", one, "--json", document)
    assert code == 0 and "Bytes sent a call" not in out
    assert json.loads(document.read_text())["bytes_sent"] == []
    other = launch(tmp_path / "b.csv", start="2")
    assert run(capsys, "counters", one, other, "--json", document)[0] == 0
    (sent,) = json.loads(document.read_text())["bytes_sent"]
    assert sent["sent_per_call"] == pytest.approx(200_000 / CALLS), "of the launch that tells it"


def test_a_reset_is_said_and_not_made_up(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv", {("h1", SIZE, SENT): "went backwards: it was reset"})
    document = tmp_path / "all.json"
    code, _, said = run(capsys, "counters", path, "--json", document)
    assert code == 0
    assert f"a.counters.csv: h1: {SENT} went backwards: it was reset (with blocks of 1024" in said
    found = json.loads(document.read_text())
    of_h1 = [one for one in found["counters"] if (one["host"], one["counter"]) == ("h1", SENT)]
    assert [(one["difference"], one["per_call"]) for one in of_h1] == [(None, None)]
    assert len(found["left_out"]) == 1


def test_unreadable_counters_are_told(tmp_path: Path, capsys: Capture) -> None:
    reasons = "energy: 2 cannot be read (Permission denied: /sys/x)"
    path = launch(tmp_path / "a.csv", counters_left_out=reasons)
    assert f"counters are left out: {reasons}" in run(capsys, "counters", path)[2]
    path = launch(tmp_path / "b.csv", counters_left_out="no infiniband")
    assert run(capsys, "counters", path)[2] == ""


def test_a_quiet_machine_is_not_doubted(tmp_path: Path, capsys: Capture) -> None:
    quiet = run(capsys, "diagnostics", launch(tmp_path / "a.csv"))
    (tmp_path / "a.counters.csv").unlink()
    assert run(capsys, "diagnostics", tmp_path / "a.csv") == quiet


@pytest.mark.parametrize(
    ("counter", "value", "said"),
    [
        ("throttle/core", 3, "Processors were throttled for their temperature or power"),
        ("cgroup/throttled", 4, "The cgroup's quota stopped processes"),
        ("cpu/steal", 900, "The hypervisor took over 1 % of the time"),
        ("tcp/RetransSegs", 12, "TCP sent segments again"),
        ("net/eth0/rx_errors", 7, "Network cards had errors or dropped packets"),
        ("infiniband/mlx5_0/1/counters/symbol_error", 5, "InfiniBand ports had errors"),
    ],
)
def test_diagnostics_name_case_host_and_count(
    tmp_path: Path, capsys: Capture, counter: str, value: int, said: str
) -> None:
    sizes = (SIZE, 4 * SIZE)
    path = launch(tmp_path / "a.csv", {("h1", sizes[1], counter): value}, sizes)
    code, out, _ = run(capsys, "diagnostics", path)
    assert code == 0
    (line,) = [one for one in " ".join(out.split()).split(" - ") if said in one]
    assert "1 of 4 readings (a host in a case), most on h1 with blocks of 4 KiB on 4 ranks" in line
    assert f"together): {value}" in line and f"({counter})" in line
    # It is not said of cases that are not looked at.
    assert said not in " ".join(run(capsys, "diagnostics", path, "--bytes", "1K")[1].split())


def test_damaged_counters_do_not_hide_the_times(tmp_path: Path, capsys: Capture) -> None:
    """The path of the file is whole, to be copied, however long it is and where hyphens are."""
    folder = tmp_path / "-".join(["a-long-name"] * 10)
    folder.mkdir()
    path = launch(folder / "a.csv")
    counters = folder / "a.counters.csv"
    counters.write_text(counters.read_text().replace("100000", "900000"))
    code, out, _ = run(capsys, "diagnostics", path)
    assert code == 0 and f"Counters are not looked at: {counters}" in " ".join(out.split())


def test_files_that_are_none_are_refused(tmp_path: Path, capsys: Capture) -> None:
    path = launch(tmp_path / "a.csv")
    bad: dict[str, Any] = {
        "negative": counter_rows(SIZE, {("h0", SIZE, SENT): -1}),
        "twice": [*counter_rows(SIZE, {}), *counter_rows(SIZE, {})],
        "neither": counter_rows(SIZE, {("h0", SIZE, SENT): ""}),
    }
    for name, rows in bad.items():
        wrong = write(tmp_path / f"{name}.counters.csv", rows, columns=COLUMNS)
        assert "no change of a counter" in run(capsys, "counters", wrong)[2]
    (tmp_path / "a.counters.csv").unlink()
    code, _, said = run(capsys, "counters", path)
    assert code == 2
    assert "no counters (*.counters.csv); the benchmark writes them with --record counters" in said
