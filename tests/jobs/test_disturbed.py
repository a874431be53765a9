# SPDX-License-Identifier: BSD-3-Clause
"""Whatever ends a launch, what was measured is kept, and the next resume completes."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from agformats.files.gzip_text import read_bytes
from agsweep.command import Commands
from agsweep.launch_log import this_process
from agsweep.results_folder import Folder
from agsweep.sweep.sweep_file import load
from program.support.launch import Build, descendants, is_running, wait_until
from program.support.results import CASE_END, read_results

from .sweeps import SLOW, SLOW_CASES, Sweep, bench, build_table, two_ranks, written
from .test_launch_log import ended_well

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine_0"


def finished(file: Path) -> int:
    return read_bytes(file).count(CASE_END.encode()) if file.exists() else 0


def below(pid: int, program: str) -> list[int]:
    """Returns the processes that it has started and that run this program."""
    found = []
    for each in descendants(pid):
        with suppress(OSError):
            if Path(f"/proc/{each}/exe").resolve().name.startswith(program):
                found.append(each)
    return found


def kill_bench(agsweep: int) -> None:
    os.kill(below(agsweep, "allgather_bench")[0], signal.SIGKILL)


def kill_mpirun(agsweep: int) -> None:
    launchers = below(agsweep, "orterun") + below(agsweep, "mpiexec") + below(agsweep, "prte")
    os.kill(launchers[0], signal.SIGKILL)


def kill_agsweep(agsweep: int) -> None:
    os.kill(agsweep, signal.SIGKILL)


def terminate_agsweep(agsweep: int) -> None:
    os.kill(agsweep, signal.SIGTERM)


def check_complete(sweep: Sweep, before: int) -> None:
    """Checks that all is there, and that the cases from before are as they were."""
    file = sweep.file_of(f"{NAME}.csv.gz")
    kept = read_bytes(file)
    kept = kept[: kept.rindex(CASE_END.encode())]
    assert finished(file) >= before
    sweep.ok("resume")
    assert read_bytes(file).startswith(kept)
    assert len(read_results(file).cases) == SLOW_CASES
    sweep.ok("collect")
    assert sweep.manifest()["missing"] == {}


@pytest.mark.parametrize("kill", [kill_bench, kill_mpirun, kill_agsweep, terminate_agsweep])
def test_killed(build: Build, tmp_path: Path, kill: Callable[[int], None]) -> None:
    sweep = two_ranks(tmp_path, build, SLOW)
    file = sweep.file_of(f"{NAME}.csv.gz")
    with sweep.started("run") as process:
        wait_until(lambda: finished(file) >= 2 or process.poll() is not None, "two cases")
        assert process.poll() is None
        ranks = below(process.pid, "allgather_bench")
        assert len(ranks) == 2
        kill(process.pid)
        code = process.wait()
    wait_until(lambda: not any(map(is_running, ranks)), "the ranks to end")
    expected: dict[Callable[[int], None], int] = {
        kill_agsweep: -signal.SIGKILL,
        terminate_agsweep: 128 + signal.SIGTERM,
    }
    assert code == expected.get(kill, 3)
    wait_until(lambda: "running 0" in sweep.run("status").stdout, "the launcher to end")
    status = sweep.run("status")
    assert status.exit_code == 3
    assert f"failed   {NAME}: " in status.stdout
    check_complete(sweep, 2)


def test_a_duet_is_resumed_as_one(build: Build, tmp_path: Path) -> None:
    sweep = written(
        tmp_path, 'pairing = "duet"', build_table("mine", build.folder),
        build_table("other", build.folder), "[[points]]\nranks = 2\n", bench(SLOW),
    )  # fmt: skip
    file = sweep.file_of(f"{NAME}.csv.gz")
    with sweep.started("run") as process:
        wait_until(lambda: finished(file) >= 1 or process.poll() is not None, "a case")
        ranks = below(process.pid, "allgather_bench")
        assert len(ranks) == 4
        terminate_agsweep(process.pid)
        assert process.wait() == 128 + signal.SIGTERM
    wait_until(lambda: not any(map(is_running, ranks)), "the ranks to end")
    check_complete(sweep, 1)
    both = [read_results(sweep.file_of(f"{name}.csv.gz")) for name in sweep.names(".csv.gz")]
    assert both[0].metadata["duet_pair"] == both[1].metadata["duet_pair"]
    assert both[0].cases == both[1].cases


def test_two_agsweeps_at_once(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build, SLOW.replace("250ms", "1m"))
    with sweep.started("run") as process:
        wait_until(sweep.file_of(f"{NAME}.log").exists, "the launch")
        wait_until(lambda: len(below(process.pid, "allgather_bench")) == 2, "the ranks")
        ranks = below(process.pid, "allgather_bench")
        ended = sweep.run("resume")
        assert ended.exit_code == 2
        assert f"in use by process {process.pid} on " in ended.stderr
        assert f"running  {NAME} since " in sweep.run("status").stdout
    wait_until(lambda: not any(map(is_running, ranks)), "the ranks to end")


@pytest.mark.parametrize("words", ["run", "submit --dry-run"])
def test_who_is_refused_the_folder_changes_nothing(
    build: Build, tmp_path: Path, words: str
) -> None:
    sweep = two_ranks(tmp_path, build)
    with Folder(sweep.results).locked():
        ended = sweep.run(*words.split(), "--note", "of=the second")
        assert ended.exit_code == 2 and f"in use by {this_process()}\n" in ended.stderr
        assert [path.name for path in sweep.results.iterdir()] == ["lock"]
    sweep.ok("submit", "--dry-run")


def test_another_agsweep_begins_and_ends_meanwhile(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a simulation of the same sweep, which run must not go on with."""
    sweep = two_ranks(tmp_path, build)

    def meanwhile(*_: object) -> None:
        Folder(sweep.results).begin(load(sweep.file), "smpirun")
        ended_well(sweep, NAME)

    monkeypatch.setattr(Commands, "check", meanwhile)
    ended = sweep.run("run")
    assert ended.exit_code == 2 and "is under way there; legal: agsweep resume" in ended.stderr
    assert (sweep.results / "begun_with").read_text() == "smpirun\n"


def test_launch_time(build: Build, tmp_path: Path) -> None:
    """A launch that may take a second, less than its cases do, is ended then, and resumed. With a
    second for each launch a slow machine would get nowhere, so the next one has more: in the file,
    and in its copy among the results, which has to be the same."""
    sweep = two_ranks(tmp_path, build, SLOW, top='budget.launch_time = "1s"')
    ended = sweep.run("run")
    assert ended.exit_code == 3
    assert "budget.launch_time, 1 s, is over" in ended.stdout
    file = sweep.file_of(f"{NAME}.csv.gz")
    assert finished(file) < SLOW_CASES
    for file_with_budget in (sweep.file, sweep.results / "sweep.toml"):
        file_with_budget.write_text(file_with_budget.read_text().replace('"1s"', '"1h"'))
    sweep.ok("resume")
    assert len(read_results(file).cases) == SLOW_CASES


def mounted(*words: str) -> None:
    mount = shutil.which("mount") or "/bin/mount"
    try:
        done = subprocess.run([mount, *words], capture_output=True, text=True, check=False)
    except OSError as error:
        pytest.skip(f"no mount: {error}")
    if done.returncode != 0:
        pytest.skip(f"may not mount: {done.stderr.strip()}")


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    folder.mkdir()
    mounted("-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_full_disk(build: Build, tmp_path: Path) -> None:
    """About 15 KB a case: some fit. Then there is more room, and the rest is measured."""
    sizes = ",".join(str(1000 + k) for k in range(30))
    sweep = two_ranks(tmp_path, build, f'algorithms = "ring"\nsizes = "{sizes}"\n'
                      "iterations = 200\nwarmup = 0\n", top="compress = false")  # fmt: skip
    with small_disk(sweep.results):
        ended = sweep.run("run")
        assert ended.exit_code in (2, 3)  # 2: agsweep's own line did not fit any more
        assert "No space left on device" in ended.stdout + ended.stderr
        file = sweep.file_of(f"{NAME}.csv")
        count = finished(file)
        assert 2 <= count < 30
        assert sweep.run("status").exit_code == 3
        mounted("-o", "remount,size=4m", str(sweep.results))
        sweep.ok("resume")
        assert len(read_results(file).cases) == 30
        sweep.ok("collect")


def test_read_only_folder(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build)
    sweep.ok("run")
    lost = sweep.file_of(f"{NAME}.log")
    lost.write_text(lost.read_text().replace("exit_code=0", "exit_code=1"))  # to be tried again
    mounted("--bind", str(sweep.results), str(sweep.results))
    try:
        mounted("-o", "remount,ro,bind", str(sweep.results))
        ended = sweep.run("resume")
        assert ended.exit_code == 2
        assert "Read-only file system" in ended.stderr and str(sweep.results) in ended.stderr
        assert len(ended.stderr.splitlines()) == 1
        assert "failed 1" in sweep.run("status").stdout
    finally:
        subprocess.run(["umount", "--lazy", str(sweep.results)], check=True)
    sweep.ok("resume")


def test_missing_module(build: Build, tmp_path: Path) -> None:
    """The launches of one build fail and say why; those of the other run."""
    modules = tmp_path / "modules.sh"
    modules.write_text(
        'module() { [ -e "$MODULES/$2" ] || { echo "no module $2" >&2; return 1; } }'
    )
    mpirun = build.cached("GATHERBENCH_MPIEXEC")
    sweep = written(
        tmp_path, "[[points]]\nranks = 2\n", build_table("mine", build.folder),
        build_table("other", build.folder, f'modules = ["openmpi"]\nmpirun = "{mpirun}"'), bench(),
    )  # fmt: skip
    os.environ["BASH_ENV"], os.environ["MODULES"] = str(modules), str(tmp_path)
    try:
        assert sweep.run("run").exit_code == 3
        status = sweep.run("status").stdout
        assert "done 1  running 0  waiting 0  failed 1" in status
        assert "allgather_other_0: exit code 1: no module openmpi" in status
        (tmp_path / "openmpi").touch()
        assert "2 of 2 launches are done" in sweep.ok("resume")
    finally:
        del os.environ["BASH_ENV"], os.environ["MODULES"]
