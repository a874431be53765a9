# SPDX-License-Identifier: BSD-3-Clause
"""What is written into the log of a launch is what is read from it, and so is whose a folder is.
A log that tells of a good end is not enough: the result has to be there, and of the point."""

import os
import subprocess
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep import launch_log
from agsweep.launchers import kind_of
from agsweep.results_folder import Folder
from agsweep.sweep.sweep_file import load
from program.support.launch import Build
from reports.conftest import HEADER, METADATA, lines

from .sweeps import Sweep, bench, build_table, written

pytestmark = pytest.mark.slow

NAME = "n1_p2_sequential_allgather_mine_0"


def test_what_agsweep_writes(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("before all tries\n" + launch_log.began(["mpirun", "-n", "2", "a b"]))
    (last,) = launch_log.tries(log)
    assert (last.by, last.exit_code, last.seconds) == (launch_log.this_process(), None, None)
    with log.open("a") as file:
        file.write("allgather_bench: no\n" + launch_log.ended(3, "agsweep got SIGTERM"))
        file.write(launch_log.began(["true"]) + launch_log.ended(0, ""))
    first, last = launch_log.tries(log)
    assert (first.exit_code, first.why, first.said) == (
        3, "agsweep got SIGTERM", ["allgather_bench: no"],
    )  # fmt: skip
    assert first.reason == "exit code 3, agsweep got SIGTERM: allgather_bench: no"
    assert (last.exit_code, last.why, last.said, last.job) == (0, "", [], "")
    assert last.seconds is not None and last.seconds >= 0


def test_what_job_scripts_write(build: Build, tmp_path: Path) -> None:
    """A job script without its scheduler; the third time there is nothing left to do, until the
    result is moved away."""
    mpirun = [build.cached("GATHERBENCH_MPIEXEC"), "--version"]
    kind = kind_of(subprocess.run(mpirun, capture_output=True, text=True, check=True).stdout)
    sweep = written(tmp_path, f'launcher = "{kind}"', build_table("mine", build.folder),
                    "[[points]]\nranks = 2\n", bench())  # fmt: skip
    sweep.ok("submit", "--dry-run")
    script = sweep.results / "jobs" / "n1.sbatch"
    script.write_text(script.read_text().replace("build_0() {", "build_0() { ${FAIL:-:};"))
    log = sweep.file_of(f"{NAME}.log")
    for fail, exit_code, count in (("exit 7", 7, 1), ("", 0, 2), ("", 0, 2), ("", 0, 3)):
        if count == 3:
            sweep.file_of(f"{NAME}.csv.gz").rename(tmp_path / "away.csv.gz")
        environment = {**os.environ, "SLURM_JOB_ID": "4711", "FAIL": fail}
        subprocess.run(["bash", script], check=False, capture_output=True, env=environment)
        found = launch_log.tries(log)
        assert len(found) == count
        assert found[-1].exit_code == exit_code, found[-1].said
        assert found[-1].by == f"job 4711 on {os.uname().nodename}"
        assert found[-1].job == "4711"
        assert found[-1].seconds is not None
    assert "1 of 1 launches" in sweep.ok("status")


def ended_well(sweep: Sweep, name: str, us: float = 9.0, **head: str) -> Path:
    """A launch whose result file has this time, and this in its head."""
    result = sweep.file_of(f"{name}.csv")
    result.parent.mkdir(parents=True, exist_ok=True)
    result.with_suffix(".log").write_text(launch_log.began(["true"]) + launch_log.ended(0, ""))
    told = [f"#@{key}={value}" for key, value in {**METADATA, **head}.items()]
    result.write_text("\n".join([*told, HEADER, *lines("ring", [us]), "#@case_end=0", ""]))
    return result


def test_more_hosts_than_the_point_has(tmp_path: Path) -> None:
    """All commands agree that such a launch is not done, and collect takes the other one."""
    sweep = written(tmp_path, "launches = 2", build_table("mine", tmp_path),
                    "[[points]]\nranks = 2\n", bench())  # fmt: skip
    Folder(sweep.results).begin(load(sweep.file), "auto")
    ended_well(sweep, NAME, hosts="h0")
    spread = ended_well(sweep, NAME.replace("_0", "_1"), hosts="h0,h1")
    why = f"{spread}: ran on 2 hosts, h0,h1, and its point has nodes = 1; legal: "
    status = sweep.run("status")
    assert status.exit_code == 3
    assert "1 of 2 launches" in status.stdout and "done 1  running 0" in status.stdout
    assert f"failed   {spread.stem}: {why}" in status.stdout
    assert "1 of 2 launches" in sweep.ok("collect")
    assert list(sweep.manifest()["missing"]) == [spread.stem]
    assert sweep.manifest()["missing"][spread.stem].startswith(why)
    refused = sweep.run("collect", "--partial", "-o", str(tmp_path / "other"))
    assert refused.exit_code == 2 and why in refused.stderr
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize("is_said", [True, False], ids=["said", "not_yet_said"])
def test_who_has_the_folder(tmp_path: Path, is_said: bool) -> None:
    """Between taking the lock and writing into it, its owner is nameless, but there."""
    folder = Folder(tmp_path)
    with folder.locked():
        if not is_said:
            folder.lock.write_text("")
        who = launch_log.this_process() if is_said else "another agsweep"
        with pytest.raises(BadInput, match=f"in use by {who}$"), folder.locked():
            pass
    with folder.locked():
        assert folder.user() == launch_log.this_process()
