# SPDX-License-Identifier: BSD-3-Clause
"""Launches that fail, and signals, with a build that measures nothing."""

import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.queue import Job, record, recorded
from program.support.launch import wait_until

from .sweeps import Sweep, bench, pretended, written

NAME = "n1_p2_sequential_allgather_mine_0"
POINTS = "[[points]]\nranks = 2\n"


@pytest.mark.parametrize("top", ["", 'precision = "5%"\nlaunches = 2\nmost_launches = 3'])
def test_a_launch_that_fails_is_tried_once(tmp_path: Path, top: str) -> None:
    """The third try would write a result and end well."""
    launch = f"""echo try >>{tmp_path}/tries
    [ $(wc -l <{tmp_path}/tries) -ge 6 ] || exit 5
    for word; do [ "$before" != --output ] || : >"$word"; before=$word; done"""
    sized = '[[bench]]\nprogram = "allgather_bench"\nsizes_times_ranks = 1024\n'
    sweep = written(tmp_path, top, pretended(tmp_path, launch), POINTS, sized)
    ended = sweep.run("run")
    assert ended.exit_code == 3
    assert f"{NAME}: exit code 5" in ended.stdout
    for name in sweep.names(".log"):
        assert sweep.file_of(f"{name}.log").read_text().count("#@try=") == 1


@pytest.mark.parametrize("pairing", ["none", "duet"])
def test_a_launcher_that_is_gone(tmp_path: Path, pairing: str) -> None:
    """One launch takes the mpirun of those that follow away; the others run, and each is told of.
    The partner in a duet is not waited for."""
    mpirun = tmp_path / "other" / "mpirun"
    mpirun.parent.mkdir()
    table = pretended(tmp_path, f"rm -f {mpirun}; exit 5" if pairing == "none" else "sleep 600")
    other = pretended(mpirun.parent, "exit 5").replace('"mine"', '"other"')
    if pairing == "duet":  # it goes when it was asked whether it has the slots
        mpirun.write_text(mpirun.read_text().replace("exit 0", f"rm {mpirun}; exit 0"))
    sweep = written(tmp_path, f'launches = 2\npairing = "{pairing}"', table, other, POINTS, bench())
    assert sweep.run("run").exit_code == 3
    said = sweep.run("status").stdout
    assert "failed 4" in said
    for number in (0, 1):
        name = f"n1_p2_sequential_allgather_other_{number}"
        assert f"{name}: exit code 126: agsweep: error: {tmp_path}/other/mpirun: No such" in said


def sleeping(folder: Path) -> Sweep:
    """A sweep whose launch says that it began, and waits for a file."""
    launch = f"echo began >>{folder}/began; while [ ! -e {folder}/go_on ]; do sleep 0.05; done"
    return written(folder, pretended(folder, launch), POINTS, bench())


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT])
def test_what_was_ignored_stays_ignored(tmp_path: Path, number: signal.Signals) -> None:
    """nohup and the background of a shell's script begin programs so."""
    sweep = sleeping(tmp_path)
    ignoring = f"trap '' {number.name.removeprefix('SIG')}; exec \"$@\""
    words = ["sh", "-c", ignoring, "sh", sys.executable, "-m", "agsweep.main", *sweep.words("run")]
    with subprocess.Popen(words, env=sweep.environment, stdout=subprocess.DEVNULL) as process:
        try:
            wait_until((tmp_path / "began").exists, "the launch")
            process.send_signal(number)
            (child,) = children(process.pid)
            status = Path(f"/proc/{child}/status").read_text()
            ignored = int(status.partition("SigIgn:")[2].split()[0], 16)
            assert ignored >> (number - 1) & 1, "in the launcher, too"
            (tmp_path / "go_on").touch()
            assert process.wait() == 3  # the launch ended well, without a result
        finally:
            process.kill()
    assert "exit_code=0" in sweep.file_of(f"{NAME}.log").read_text()


def children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM])
def test_what_was_not_ignored_ends_the_launch(tmp_path: Path, number: signal.Signals) -> None:
    sweep = sleeping(tmp_path)
    with sweep.started("run") as process:
        wait_until((tmp_path / "began").exists, "the launch")
        process.send_signal(number)
        assert process.wait() == 128 + number
    assert f"agsweep got {number.name}" in sweep.file_of(f"{NAME}.log").read_text()


def test_an_interrupt_while_it_plans(tmp_path: Path) -> None:
    """No launch has begun, so nothing is told but that it was interrupted."""
    table = pretended(tmp_path, "exit 0")
    program = tmp_path / "build" / "bin" / "allgather_bench"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/began\nexec sleep 60\n")
    sweep = written(tmp_path, table, POINTS, bench())
    words = [sys.executable, "-m", "agsweep.main", *sweep.words("run")]
    with subprocess.Popen(
        words, env=sweep.environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        wait_until((tmp_path / "began").exists, "the program")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, said = process.communicate()
    assert (process.returncode, said) == (130, "agsweep: interrupted\n")
    assert not sweep.results.exists()


@pytest.mark.parametrize("command", ["run", "plan", "submit --dry-run"])
def test_an_mpirun_that_would_start_nothing(tmp_path: Path, command: str) -> None:
    own = 'launcher = "flux run -n {ranks} {program}"'
    sweep = written(tmp_path, own, pretended(tmp_path, "exit 0"), POINTS, bench())
    refused = sweep.run(*command.split())
    assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    assert f"build mine: mpirun: '{tmp_path}/mpirun' " in refused.stderr
    assert "; legal: one of the two" in refused.stderr
    assert not sweep.results.exists()


@pytest.mark.parametrize(
    ("line", "option"),
    [("--nodes=3", "--nodes"), ("-N 3", "--nodes"), ("--qos=low --no-requeue", "--requeue"),
     ("-J mine", "--job-name"), ("--time 3", "--time"), ("--signal=KILL@3", "--signal")],
)  # fmt: skip
def test_a_line_against_the_script(tmp_path: Path, line: str, option: str) -> None:
    """Slurm would take the last one, whatever the sweep file says."""
    extra = f'[resources]\nmpi = "pmix"\ntime = "1h"\nextra = ["{line}"]\n'
    sweep = written(tmp_path, pretended(tmp_path, "exit 0"), POINTS, bench(), extra)
    refused = sweep.run("submit", "--dry-run")
    assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    assert "test.toml: resources.extra: '" in refused.stderr
    assert f"has {option} already; legal: " in refused.stderr
    assert not sweep.results.exists()


def test_what_the_script_does_not_say(tmp_path: Path) -> None:
    extra = '[resources]\nmpi = "pmix"\nextra = ["--time=3 --qos=low # as agreed", "-p long"]\n'
    sweep = written(tmp_path, pretended(tmp_path, "exit 0"), POINTS, bench(), extra)
    sweep.ok("submit", "--dry-run")
    text = (sweep.results / "jobs" / "n1.sbatch").read_text()
    assert "#SBATCH --time=3 --qos=low # as agreed\n#SBATCH -p long\n" in text


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    table = pretended(tmp_path, "exit 5").replace('"mine"', f'"{"x" * 220}"')
    sweep = written(tmp_path, table, POINTS, bench())
    for command in ("plan", "run"):
        refused = sweep.run(command)
        assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
        assert " letters; legal: names of builds, benches and clusters" in refused.stderr
        assert not sweep.results.exists()
    sweep.file.write_text(sweep.file.read_text().replace("x" * 220, "x" * 210))
    assert sweep.run("run").exit_code == 3
    (name,) = sweep.names(".log")
    assert len(f"{name}.counters.csv.gz") == 255


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_record_is_written_whole_or_not(tmp_path: Path, is_recorded: bool) -> None:
    """A sweep whose record a full disk cut off could not be read any more."""
    first, second = (Job(f"{number}", "n1.sbatch", ["a" * 999]) for number in (1, 2))
    if is_recorded:
        record(tmp_path, [first])
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 500, before[1]))
    try:
        with pytest.raises(BadInput, match="File too large"):
            record(tmp_path, [second])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert recorded(tmp_path) == [first] * is_recorded
    record(tmp_path, [second])
    assert recorded(tmp_path) == [first] * is_recorded + [second]
    assert len(list(tmp_path.iterdir())) == 1


COUNTED = 'max-time = "1h"\nroot = 0\n'


@pytest.mark.parametrize(
    ("nodes", "options", "hours"),
    [(1, "", 3.3), (2, "", 6.6), (1, 'mapping = "sequential,cyclic"', 3.3),
     (2, 'mapping = ["cyclic", "sequential", "cyclic"]', 13.2)],
)  # fmt: skip
def test_the_cases_of_several_mappings(
    tmp_path: Path, nodes: int, options: str, hours: float
) -> None:
    """One rank alone is on one node, where all mappings are one: it counts three cases."""
    table = pretended(tmp_path, "exit 0")
    (tmp_path / "build" / "bin" / "allgather_bench").write_text("#!/bin/sh\necho 'cases   3'\n")
    points = f"[[points]]\nnodes = {nodes}\nranks_per_node = 1\n"
    sweep = written(tmp_path, table, points, bench(f"{COUNTED}{options}\n"))
    (told,) = re.findall(r"^estimate +(\S+) node hours at most", sweep.ok("plan"), re.MULTILINE)
    assert float(told) == pytest.approx(hours, abs=0.01)
    budget = f"[budget]\nnode_hours = {int(hours)}\n[resources]\nmpi = 'pmix'\n"
    sweep.file.write_text(f"{sweep.file.read_text()}{budget}")
    ended = sweep.run("submit", "--dry-run")
    assert ended.exit_code == 2
    assert f"node_hours: {int(hours)} is less than the {int(hours) + 1} that" in ended.stderr


def test_cases_that_one_rank_cannot_count(tmp_path: Path) -> None:
    """A case with --root 1 needs two ranks, and the message says so."""
    table = pretended(tmp_path, "exit 0")
    said = "allgather_bench: --root: '1' is not between 0 and 0"
    program = tmp_path / "build" / "bin" / "allgather_bench"
    program.write_text(f'#!/bin/sh\necho "{said}" >&2\nexit 2\n')
    budget = "[budget]\nnode_hours = 9\n"
    sweep = written(tmp_path, table, POINTS, bench(COUNTED), budget)
    refused = sweep.run("submit", "--dry-run")
    assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    why = f"bench allgather cannot count its cases without a launcher: {said}"
    assert "budget.node_hours: 9 cannot be kept" in refused.stderr
    assert f"{why}; legal: " in refused.stderr
    planned = sweep.ok("plan")
    assert f"estimate  none: {why}" in planned
    assert f"in jobs   none, as launch_time does not count: {why}" in planned


def test_the_command_that_goes_on_has_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sweep = written(tmp_path, pretended(tmp_path, "exit 5"), POINTS, bench())
    for folder, words in (
        (tmp_path / "of mine", f"agsweep resume {sweep.file} --results '{tmp_path}/of mine'"),
        (tmp_path / "results" / "test", f"agsweep resume {sweep.file}"),
    ):
        one = Sweep(sweep.file, folder)
        assert one.run("run").exit_code == 3
        assert f"; {words} tries again\n" in one.run("status").stdout
