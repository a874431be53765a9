# SPDX-License-Identifier: BSD-3-Clause
"""What is written into the log of a launch is what is read from it, and so is whose a folder is."""

import os
import subprocess
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep import launch_log
from agsweep.launchers import kind_of
from agsweep.results_folder import Folder
from program.support.launch import Build

from .sweeps import bench, build_table, written

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
    """A job script without its scheduler; the third time there is nothing left to do."""
    mpirun = [build.cached("GATHERBENCH_MPIEXEC"), "--version"]
    kind = kind_of(subprocess.run(mpirun, capture_output=True, text=True, check=True).stdout)
    sweep = written(tmp_path, f'launcher = "{kind}"', build_table("mine", build.folder),
                    "[[points]]\nranks = 2\n", bench())  # fmt: skip
    sweep.ok("submit", "--dry-run")
    script = sweep.results / "jobs" / "n1.sbatch"
    script.write_text(script.read_text().replace("build_0() {", "build_0() { ${FAIL:-:};"))
    log = sweep.file_of(f"{NAME}.log")
    for fail, exit_code, count in (("exit 7", 7, 1), ("", 0, 2), ("", 0, 2)):
        environment = {**os.environ, "SLURM_JOB_ID": "4711", "FAIL": fail}
        subprocess.run(["bash", script], check=False, capture_output=True, env=environment)
        found = launch_log.tries(log)
        assert len(found) == count
        assert found[-1].exit_code == exit_code, found[-1].said
        assert found[-1].by == f"job 4711 on {os.uname().nodename}"
        assert found[-1].job == "4711"
        assert found[-1].seconds is not None
    assert "1 of 1 launches" in sweep.ok("status")


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
