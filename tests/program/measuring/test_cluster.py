# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark over several hosts, and the tool that makes the hosts."""

import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..support.cluster import Cluster, command
from ..support.launch import DEADLINE_S, descendants, is_running, wait_until
from ..support.results import Results, read_results, read_tables

pytestmark = pytest.mark.cluster

MIB = 1 << 20


def results(cluster: Cluster, hosts: str, script: str, folder: Path, *options: str) -> Results:
    """Returns the results of a launch with the script's arguments that writes out.csv; every byte
    was checked."""
    ended = cluster.shell(hosts, f"{script} -c --output out.csv", *options, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    for table in read_tables(ended.stdout):
        assert all(row.endswith(" Pass") for row in table.rows), table
    found = read_results(folder / "out.csv")
    assert {row["status"] for row in found.rows} == {"ok"}
    return found


def test_four_hosts_of_a_rank(cluster: Cluster, tmp_path: Path) -> None:
    found = results(
        cluster, "4", "$bin/mpirun_here 4 $bin/allgather_bench -m 1:64K -i 3 -x 1", tmp_path
    )
    assert found.metadata["nodes"] == "4"
    assert found.metadata["hosts"] == "h0,h1,h2,h3"
    # Four that tell the same, not four kinds.
    assert int(found.metadata["machine.memory"]) > 0
    assert len(found.cases) == 17


def test_two_hosts_of_two_ranks(cluster: Cluster, tmp_path: Path) -> None:
    found = results(
        cluster, "2", "$bin/mpirun_here 4 $bin/allgatherv_bench --distributions spike -i 3 -x 1 "
        "--sizes 1,10000 --algorithms loch2021,lane,leader,topology_ring,native,"
        "sparbit:via=window,lane:via=window,leader:via=window "
        "--mapping sequential,cyclic --topology $TOPOLOGY", tmp_path, "--slots", "2",
    )  # fmt: skip
    assert found.metadata["nodes"] == "2"
    assert found.metadata["ranks_per_node"] == "2,2"
    assert found.metadata["hosts"] == "h0,h1"
    assert {row["mapping"] for row in found.rows} == {"sequential", "cyclic"}


def test_mapping_decides_what_crosses_the_network(cluster: Cluster) -> None:
    """Bytes that the first host sent. In each of the ring's 3 steps one of its two ranks sends to
    the other host if ranks are sequential, both do if they are cyclic."""

    def sent(mapping: str) -> int:
        ended = cluster.shell(
            "2", "$bin/mpirun_here 4 $bin/allgather_bench --algorithms ring -m 1M:1M -i 10 -x 0 "
            f"--cycles 0 --mapping {mapping} >/dev/null && cat /proc/net/dev", "--slots", "2",
        )  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        (card,) = (line for line in ended.stdout.splitlines() if line.strip().startswith("eth0:"))
        return int(card.split()[9])

    # More by TCP's headers, and by what the launcher has to say.
    assert 1 <= sent("sequential") / (30 * MIB) < 1.2
    assert 1 <= sent("cyclic") / (60 * MIB) < 1.2


def test_rate_holds(cluster: Cluster, tmp_path: Path) -> None:
    """Each host has to receive 3 blocks."""
    found = results(
        cluster, "2,2", "$bin/mpirun_here 4 $bin/allgather_bench --algorithms ring -i 3 -x 1 "
        "-m 64K:64K", tmp_path, "--rate", "20mbit",
    )  # fmt: skip
    least_us = 3 * 65536 * 8 / 20
    for row in found.rows:
        assert float(row["max_us"]) > 0.9 * least_us


@pytest.mark.parametrize("pause", ["0", "150ms"])
def test_an_idle_link_gives_nothing_for_free(cluster: Cluster, tmp_path: Path, pause: str) -> None:
    """A message after idle takes what one back to back takes: not less than the wire does, but for
    the frame that passes at once at each end of the link."""
    found = results(
        cluster, "2", "$bin/mpirun_here 2 $bin/allgather_bench --algorithms ring -i 5 -x 1 "
        f"-m 16K:16K --compute {pause} --wait sleep", tmp_path, "--rate", "10mbit",
    )  # fmt: skip
    least_us = (16384 - 2 * 1600) * 8 / 10
    assert min(float(row["max_us"]) for row in found.rows) > least_us


def test_hosts_have_their_own(cluster: Cluster) -> None:
    """Name, address, shared memory; not files. And two clusters at once do not meet."""
    script = """
        echo x >/dev/shm/mine
        for host in h0 h1 h2; do
            on_host $host 'hostname; ls /dev/shm; getent hosts $(hostname); ls -d "$HOSTFILE"'
        done
        cat $TOPOLOGY
        exit 5
    """
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda _: cluster.shell("2,1", script), range(2)))
    assert both[0].stdout != both[1].stdout
    for ended in both:
        assert (ended.exit_code, ended.stderr) == (5, "")
        words = ended.stdout.split()
        hostfile = words[4]
        assert words == [
            "h0", "mine", "10.78.0.1", "h0", hostfile,
            "h1", "10.78.0.2", "h1", hostfile,
            "h2", "10.78.0.3", "h2", hostfile,
            "SwitchName=s0", "Nodes=h0,h1", "Switches=s1", "SwitchName=s1", "Nodes=h2",
        ]  # fmt: skip
        assert not Path(hostfile).parent.exists()


@contextmanager
def running(folder: Path, preparation: str) -> Iterator[subprocess.Popen[bytes]]:
    """A cluster whose command has prepared itself and waits.

    It waits in short sleeps: a shell that gets a signal between the fork and the exec of a sleep
    leaves its trap until that sleep has ended."""
    begun = folder / "begun"
    wait = "while :; do sleep 0.1; done"
    process = subprocess.Popen(
        command("3", "--", "sh", "-c", f"{preparation}; touch {begun}; {wait}"),
        env={**os.environ, "TMPDIR": str(folder)},
        start_new_session=True,
    )
    try:
        wait_until(begun.exists, "the command to begin")
        begun.unlink()
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_is_left_after_a_signal(
    cluster: Cluster, tmp_path: Path, number: signal.Signals
) -> None:
    del cluster  # is there
    with running(tmp_path, "setsid sleep 1000 & trap '' HUP TERM") as process:
        inside = descendants(process.pid)
        assert len(inside) >= 5  # the first process, three hosts, the command
        process.send_signal(number)
        code = process.wait(timeout=DEADLINE_S)
        wait_until(lambda: not any(map(is_running, inside)), "the processes inside to end")
    if number == signal.SIGKILL:
        assert [list(folder.iterdir()) for folder in tmp_path.iterdir()] == [[]]
    else:
        assert code == 128 + number
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_what_was_ignored_stays_ignored(
    cluster: Cluster, tmp_path: Path, number: signal.Signals
) -> None:
    """Under nohup a cluster and its command go on when the terminal closes."""
    del cluster
    begun, go_on = tmp_path / "begun", tmp_path / "go_on"
    wait = f"kill -{number} $$; touch {begun}; until [ -e {go_on} ]; do sleep 0.1; done; exit 4"
    ignoring = f"trap '' {number.name.removeprefix('SIG')}; exec \"$@\""
    process = subprocess.Popen(
        ["sh", "-c", ignoring, "sh", *command("2", "--", "sh", "-c", wait)],
        env={**os.environ, "TMPDIR": str(tmp_path)},
    )
    try:
        wait_until(lambda: begun.exists() or process.poll() is not None, "the command to begin")
        process.send_signal(number)
        go_on.touch()
        assert process.wait(timeout=DEADLINE_S) == 4
    finally:
        process.kill()
        process.wait()


def test_the_command_decides_on_ctrl_c(cluster: Cluster, tmp_path: Path) -> None:
    del cluster
    with running(tmp_path, "trap 'on_host h2 true && exit 9' INT") as process:
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=DEADLINE_S) == 9


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["0", "--", "true"], ["HOSTS", "'0'", "legal: 8, or 4,4"]),
        (["251", "--", "true"], ["HOSTS", "'251'", "250"]),
        (["2", "--rate", "fast", "--", "true"], ["--rate", "'fast'", "legal: 10mbit"]),
        (["2", "--rate-of", "h1", "--", "true"], ["--rate-of", "''", "legal: 10mbit"]),
        (["2", "--rate-of", "1=2mbit", "--", "true"], ["--rate-of", "'1=2mbit'", "h2=10mbit"]),
        (["2", "--rate-of", "h2=1mbit", "--", "true"], ["--rate-of", "'h2'", "h0 to h1"]),
        (["2", "--slots", "0", "--", "true"], ["--slots", "'0'", "between 1 and"]),
        (["2", "--trunk", "1mbit", "--", "true"], ["--trunk", "one switch"]),
        (["2"], ["no command"]),
        (["2", "true"], ["true"]),
    ],
)
def test_bad_arguments(arguments: list[str], parts: list[str]) -> None:
    done = subprocess.run(command(*arguments), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    for part in parts:
        assert part in done.stderr
