# SPDX-License-Identifier: BSD-3-Clause
"""Two jobs take turns, round by round, and neither works in the other's.

GATHERBENCH_PARTNER names another build for the second job: tools/test_mpis.sh has another MPI.
"""

import os
import re
import signal
import socket
import time
from pathlib import Path

import pytest

from ..conftest import compile_planted
from ..results.test_kill_and_resume import finished, wait_for_cases
from ..support.duet import BENCH, NAMES, Players, processor_seconds, relay
from ..support.folders import ROOT
from ..support.launch import Build, Ended, Running, wait_until
from ..support.refusals import refused
from ..support.results import CASE_END, Results, read_results

pytestmark = pytest.mark.slow

# Two cases, of 2 + 5 rounds of one call.
SHORT = ("--sizes", "1,1K", "-x", "2", "-i", "5", "--order", "interleaved:1")
TURNS = ["0 0", *[f"0 {k}" for k in range(1, 8)], "1 0", "2 0", *[f"2 {k}" for k in range(1, 8)],
         "3 0", f"{2**63 - 1} 0"]  # fmt: skip
# They last so long, whatever the machine, that a kill hits one in the middle; the ranks are asleep.
CASES = 10
LONG = ("--sizes", ",".join(map(str, range(1, CASES + 1))), "-x", "0", "-i", "2",
        "--compute", "50ms", "--wait", "sleep")  # fmt: skip


@pytest.fixture
def players(build: Build, tmp_path: Path) -> Players:
    other = os.environ.get("GATHERBENCH_PARTNER")
    return Players((build, Build(ROOT / other) if other else build), tmp_path)


def end_well(jobs: tuple[Running, Running]) -> None:
    for running in jobs:
        ended = running.wait()
        assert ended.exit_code == 0, ended.stderr


def pair_of(players: Players) -> tuple[Results, Results]:
    """Both files, which belong together and have the same rounds."""
    first, second = (read_results(players.output(who)) for who in (0, 1))
    for who, results in enumerate((first, second)):
        assert results.metadata["duet_name"] == NAMES[who]
        assert results.metadata["duet_partner"] == NAMES[1 - who]
    assert re.fullmatch("[0-9a-f]{16}", first.metadata["duet_pair"])
    assert first.metadata["duet_pair"] == second.metadata["duet_pair"]
    assert first.metadata["sync"] == second.metadata["sync"] == "dissemination"
    assert {first.metadata["duet_begins"], second.metadata["duet_begins"]} == {"yes", "no"}
    assert first.counts() == second.counts()
    return first, second


@pytest.mark.parametrize("ranks", [1, 2])
def test_rounds_alternate(players: Players, ranks: int) -> None:
    """A relay between the two sees each turn, and that both sleep while it keeps one."""
    addresses = (players.folder / "a", players.folder / "b")
    with (
        players.start(0, addresses[0], *SHORT, ranks=ranks) as ann,
        players.start(1, addresses[1], *SHORT, ranks=ranks) as bob,
    ):
        used = []

        def keep_one(turn: str) -> None:
            if turn == "2 4":
                pids = [pid for job in (ann, bob) for pid in job.ranks().values()]
                assert len(pids) == 2 * ranks
                before, start = processor_seconds(pids), time.monotonic()
                time.sleep(1)
                spent = processor_seconds(pids) - before
                used.append(spent / (time.monotonic() - start))

        said = relay(addresses, keep_one)
        end_well((ann, bob))
    assert said == [TURNS, TURNS]
    assert len(used) == 2  # once after ann's round, once after bob's
    # Ranks that spun, two or more, would have used a second or more together.
    assert max(used) < 0.8
    first, _ = pair_of(players)
    assert set(first.counts().values()) == {5}
    assert len(first.counts()) == 4


@pytest.mark.parametrize("ranks", [1, 2])
def test_two_jobs_are_a_pair(players: Players, ranks: int) -> None:
    address = players.folder / "socket"
    with players.both(address, *SHORT, "--note", "launch=3", ranks=ranks) as jobs:
        end_well(jobs)
    first, second = pair_of(players)
    assert first.metadata["duet_address"] == second.metadata["duet_address"] == str(address)
    assert first.metadata["note.launch"] == "3"
    assert not address.exists()


def test_over_tcp(players: Players) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with players.both(f"127.0.0.1:{port}", *SHORT, ranks=1) as jobs:
        end_well(jobs)
    pair_of(players)


def test_where_there_are_no_locks(
    build: Build, players: Players, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file beside the socket is in place of one, as for result files."""
    env = {"LD_PRELOAD": str(compile_planted(build, "planted_flock", tmp_path_factory))}
    address = players.folder / "socket"
    with (
        players.start(0, address, *SHORT, ranks=1, env=env) as ann,
        players.start(1, address, *SHORT, ranks=1, env=env) as bob,
    ):
        end_well((ann, bob))
    pair_of(players)
    assert {path.name for path in players.folder.iterdir()} == set(NAMES)


def test_another_control_variable(players: Players) -> None:
    """The files say what differs between the two."""
    address = players.folder / "socket"
    variable = "OMPI_MCA_coll_tuned_allgather_algorithm"
    with (
        players.start(0, address, *SHORT, "--algorithms", "native", env={variable: "4"}) as ann,
        players.start(1, address, *SHORT, "--algorithms", "native") as bob,
    ):
        end_well((ann, bob))
    first, second = (read_results(players.output(who)) for who in (0, 1))
    assert first.metadata["duet_pair"] == second.metadata["duet_pair"]
    assert first.metadata[f"env.{variable}"] == "4"
    assert f"env.{variable}" not in second.metadata
    assert len(first.of("native")) == len(second.of("native")) == 10


@pytest.mark.parametrize(
    ("ours", "what"),
    [
        (("--algorithms", "ring"), "algorithms differs: 'ring' here, "),
        (("--buffers", "same"), "buffers differs: 'same' here, 'fresh' of bob"),
        (("--size-order", "shuffled"), "size_order differs: 'shuffled' here, 'given' of bob"),
        (("--sizes", "1"), "sizes differs: '1' here, '1,1024' of bob"),
        (("-i", "6"), "iterations differs: '6' here, '5' of bob"),
        (("-c",), "validation differs: 'yes' here, 'no' of bob"),
        (("--sync", "window"), "sync differs: 'window' here, 'dissemination' of bob"),
    ],
)
def test_jobs_that_differ_are_refused(players: Players, ours: tuple[str, ...], what: str) -> None:
    address = players.folder / "socket"
    kept = list(SHORT)
    if ours[0] in kept:
        at = kept.index(ours[0])
        del kept[at : at + 2]
    with (
        players.start(0, address, *kept, *ours, ranks=1) as ann,
        players.start(1, address, *SHORT, ranks=1) as bob,
    ):
        ended = [ann.wait(), bob.wait()]
    assert what in refused(ended[0])
    assert "differs" in refused(ended[1])
    assert not any(players.output(who).exists() for who in (0, 1))
    assert not address.exists()


@pytest.mark.parametrize("given", [(), ("--seed", "5")])
def test_both_take_one_seed(players: Players, given: tuple[str, ...]) -> None:
    """Whoever has one gives it to the other; else one of the two that were drawn."""
    shuffled = (*SHORT, "--size-order", "shuffled")
    address = players.folder / "socket"
    with (
        players.start(0, address, *shuffled) as ann,
        players.start(1, address, *shuffled, *given) as bob,
    ):
        end_well((ann, bob))
    first, second = pair_of(players)
    assert first.metadata["seed"] == second.metadata["seed"]
    assert not given or first.metadata["seed"] == given[1]
    assert first.cases == second.cases  # in one order


def test_two_seeds_are_refused(players: Players) -> None:
    address = players.folder / "socket"
    with (
        players.start(0, address, *SHORT, "--seed", "2", ranks=1) as ann,
        players.start(1, address, *SHORT, "--seed", "1", ranks=1) as bob,
    ):
        ended = [ann.wait(), bob.wait()]
    assert "seed differs: '2' here, '1' of bob" in refused(ended[0])
    assert "seed differs: '1' here, '2' of ann" in refused(ended[1])


def test_partner_never_comes(players: Players) -> None:
    address = players.folder / "socket"
    with players.start(0, address, *SHORT, "--timeout", "3s", ranks=1) as ann:
        ended = ann.wait()
    assert ended.exit_code != 0
    (message,) = ended.messages
    assert f"--duet: 'ann@{address}': the partner did not come within 3 s (--timeout)" in message
    assert not players.output(0).exists() and not address.exists()


def test_told_to_stop_while_waiting(players: Players) -> None:
    address = players.folder / "socket"
    with players.start(0, address, *SHORT) as ann:
        wait_until(address.exists, "the socket")
        os.kill(ann.ranks()[0], signal.SIGTERM)
        ended = ann.wait()
    assert any("stopped by SIGTERM" in message for message in ended.messages)
    assert not address.exists()


def check_left_alone(ended: Ended, players: Players) -> None:
    """ann's partner is gone: she says so, and keeps what both had finished."""
    assert ended.exit_code != 0
    (message,) = [text for text in ended.messages if "--duet" in text]
    assert "the partner bob has ended in case " in message
    assert f"case {len(read_results(players.output(0)).cases) + 1}/{CASES}" in message
    assert "--resume goes on from there" in message


def wait_for_two_cases(players: Players, ann: Running, bob: Running) -> None:
    """One of both may be a case ahead."""
    for who, job in enumerate((ann, bob)):
        wait_for_cases(job, players.output(who), 2)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_partner_ends_in_the_middle(players: Players, name: str) -> None:
    address = players.folder / "socket"
    with players.both(address, *LONG) as (ann, bob):
        wait_for_two_cases(players, ann, bob)
        os.kill(bob.ranks()[0], getattr(signal, name))
        ended = ann.wait()
        partner = bob.wait()
    check_left_alone(ended, players)
    if name == "SIGTERM":
        assert any("stopped by SIGTERM in case " in message for message in partner.messages)
    counts = [finished(players.output(who)) for who in (0, 1)]
    assert 2 <= min(counts) <= max(counts) < CASES and max(counts) - min(counts) <= 1
    with players.both(address, *LONG, "--resume") as jobs:
        end_well(jobs)
    first, second = pair_of(players)
    assert len(first.cases) == CASES
    assert first.resumed == second.resumed == 1


def test_silent_partner(players: Players) -> None:
    address = players.folder / "socket"
    with players.both(address, *LONG, "--timeout", "2s") as (ann, bob):
        wait_for_two_cases(players, ann, bob)
        for pid in bob.ranks().values():
            os.kill(pid, signal.SIGSTOP)
        ended = ann.wait()
    (message,) = [text for text in ended.messages if "--duet" in text]
    assert "the partner bob has been silent for 2 s (--timeout) in case " in message
    assert finished(players.output(0)) >= 2


def without_last_case(path: Path) -> None:
    """Cuts the file as if its job had been killed before it wrote that case."""
    lines = path.read_text().splitlines(keepends=True)
    ends = [k for k, line in enumerate(lines) if line.startswith(CASE_END)]
    path.write_text("".join(lines[: ends[-2] + 1]))


def test_resume_one_case_apart(players: Players) -> None:
    """The case that only one file holds is run again; more is refused, by name."""
    address = players.folder / "socket"
    arguments = ("--sizes", "1,2,4", "-x", "0", "-i", "3")
    with players.both(address, *arguments, ranks=1) as jobs:
        end_well(jobs)
    before, _ = pair_of(players)
    without_last_case(players.output(1))
    with players.both(address, *arguments, "--resume", ranks=1) as jobs:
        end_well(jobs)
    after, _ = pair_of(players)
    assert after.cases == before.cases
    assert after.rows[:12] == before.rows[:12] and after.rows != before.rows

    without_last_case(players.output(1))
    without_last_case(players.output(1))
    kept = [players.output(who).read_text() for who in (0, 1)]
    with players.both(address, *arguments, "--resume", ranks=1) as (ann, bob):
        messages = [refused(ann.wait()), refused(bob.wait())]
    assert "3 cases are finished here, 1 of bob" in messages[0]
    assert "1 cases are finished here, 3 of ann" in messages[1]
    assert [players.output(who).read_text() for who in (0, 1)] == kept


def test_resume_needs_the_same_duet(players: Players) -> None:
    address = players.folder / "socket"
    with players.both(address, *SHORT) as jobs:
        end_well(jobs)
    folder = players.output(0).parent
    plain = (*SHORT, "--algorithms", "ring,native", "--sync", "dissemination",
             "--output", "out.csv")  # fmt: skip
    alone = players.builds[0].run(BENCH, *plain, "--resume", cwd=folder)
    assert "its duet_name is 'ann', now it is 'nothing'" in refused(alone)
    again = players.builds[0].run(BENCH, *plain, "--duet", f"ann@{address}", cwd=folder)
    assert "exists and is not overwritten" in refused(again)  # without waiting for a partner


def test_a_socket_that_was_left_behind(players: Players) -> None:
    address = players.folder / "socket"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(address))
    assert address.exists()
    with players.both(address, *SHORT, ranks=1) as jobs:
        end_well(jobs)
    assert not address.exists()


def test_information_waits_for_nobody(players: Players) -> None:
    for option in ("--list", "--dry-run"):
        ended = players.builds[0].run(BENCH, option, "--duet", f"ann@{players.folder / 'socket'}")
        assert ended.exit_code == 0, ended.stderr


def test_notes_stay_the_same(build: Build, tmp_path: Path) -> None:
    arguments = ("--sizes", "1", "-i", "2", "--algorithms", "ring", "--output", "out.csv")
    notes = ("--note", "launch=0", "--note", "a.b-c=x = y")
    assert build.run(BENCH, *arguments, *notes, cwd=tmp_path).exit_code == 0
    metadata = read_results(tmp_path / "out.csv").metadata
    assert metadata["note.launch"] == "0" and metadata["note.a.b-c"] == "x = y"
    resumed = build.run(BENCH, *arguments, *notes, "--resume", cwd=tmp_path)
    assert resumed.exit_code == 0, resumed.stderr
    other = build.run(BENCH, *arguments, "--note", "launch=1", "--resume", cwd=tmp_path)
    assert "its note.launch is '0', now it is '1'" in refused(other)
