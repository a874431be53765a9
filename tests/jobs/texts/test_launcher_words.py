# SPDX-License-Identifier: BSD-3-Clause
"""The reason of a failure that is found in what launchers say."""

from pathlib import Path

import pytest

from agsweep import launch_log
from agsweep.launchers.words import first_line

RULE = "-" * 74
EQUALS = "=" * 83
SLOTS = f"""{RULE}
There are not enough slots available in the system to satisfy the 2
slots that were requested by the application:

  build/bin/allgather_bench

Either request fewer slots for your application, or make more slots
available for use.

In all the above cases, if you want Open MPI to default to the number
of hardware threads instead of the number of processor cores, use the
--use-hwthread-cpus option.  Alternatively, you can use the
--oversubscribe option to ignore the number of available slots when deciding the
number of processes to launch.
{RULE}
"""
PRRTE_SLOTS = SLOTS.replace("fewer slots", "fewer procs")
OPENIB = f"""{RULE}
WARNING: There was an error initializing an OpenFabrics device.

  Local host:   h0
{RULE}
"""
UNREACHABLE = f"""{RULE}
ORTE was unable to reliably start one or more daemons.
This usually is caused by:

* not finding the required libraries and/or binaries on
  one or more nodes. Please check your PATH and LD_LIBRARY_PATH

*  compilation of the orted with dynamic libraries when static are required
  (e.g., on Cray). Please check your configure cmd line and consider using
  one of the contrib/platform definitions for your system type.

* an inability to create a connection back to mpirun due to a
  lack of common network interfaces and/or no route found between
  them. Please check network connectivity (including firewalls
  and network routing requirements).
{RULE}
"""
EFFECT = f"""{RULE}
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
{RULE}
"""
DETECTED = f"""{RULE}
prterun detected that one or more processes exited with non-zero status,
thus causing the job to be terminated. The first process to do so was:

   Process name: [prterun-h0-1@1,0]
   Exit code:    127
{RULE}
"""
KILLED = f"""{RULE}
mpirun noticed that process rank 1 with PID 0 on node h0 exited on signal 11 (Segmentation fault).
{RULE}
"""
UCX = "[1690.1] [h0:123:0] ucp_context.c:1774 UCX  WARN  UCP version is not the one wanted\n"
AGGREGATED = """[h0:1] 1 more process has sent help message help-mpi-btl-openib.txt / no device
[h0:1] Set MCA parameter "orte_base_help_aggregate" to 0 to see all help / error messages
"""
MPICH = f"""
{EQUALS}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 4711 RUNNING AT h0
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
{EQUALS}
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
"""
FATAL = "Abort(1090447) on node 0 (rank 0 in comm 0): Fatal error in internal_Init: Other MPI error"
LIBRARY = "/b/bin/allgather_bench: error while loading shared libraries: libmpi.so.40: cannot open"
SIMGRID = """[0.000000] [smpi/WARNING] You did not set the power of the host running the simulation.
[node-0:0:(1) 0.5] /src/smpi.cpp:9: [smpi/INFO] rank 0 failed before
[0.500000] [ker_engine/CRITICAL] Oops! Deadlock detected, some activities are still around
"""
BINDING = "srun: cluster configuration lacks support for cpu binding\n"
SRUN = f"""{BINDING.strip()}
srun: error: Unable to create step for job 3: More processors requested than permitted
"""
LIMIT = f"""{BINDING.strip()}
slurmstepd: error: *** STEP 3.0 ON h0 CANCELLED AT 2026-11-27 DUE TO TIME LIMIT ***
srun: Job step aborted: Waiting up to 4 seconds for job step to finish.
srun: error: h0: task 0: Terminated
"""
WITHOUT_SLOTS = (
    "There are not enough slots available in the system to satisfy the 2 slots that were requested "
    "by the application:"
)


def reason(folder: Path, said: str, exit_code: int | None) -> str:
    log = folder / "x.log"
    end = "" if exit_code is None else launch_log.ended(exit_code, "")
    log.write_text(launch_log.began(["mpirun"]) + said + end)
    (last,) = launch_log.tries(log)
    return last.reason


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (SLOTS, WITHOUT_SLOTS),
        (PRRTE_SLOTS, WITHOUT_SLOTS),
        (OPENIB + SLOTS + AGGREGATED, WITHOUT_SLOTS),
        (SLOTS.partition("In all")[0], WITHOUT_SLOTS),  # cut off
        (UNREACHABLE, "ORTE was unable to reliably start one or more daemons. This usually is "
                      "caused by:"),
        (LIBRARY + "\n" + EFFECT, LIBRARY),
        (DETECTED, "prterun detected that one or more processes exited with non-zero status, thus "
                   "causing the job to be terminated. The first process to do so was:"),
        (EFFECT + KILLED, "mpirun noticed that process rank 1 with PID 0 on node h0 exited on "
                          "signal 11 (Segmentation fault)."),
        (MPICH, "BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES, PID 4711 RUNNING AT h0, "
                "EXIT CODE: 9, Killed (signal 9)"),
        (FATAL + "\n" + MPICH, FATAL),
        (SRUN, "srun: error: Unable to create step for job 3: More processors requested than "
               "permitted"),
        (LIMIT, "slurmstepd: error: *** STEP 3.0 ON h0 CANCELLED AT 2026-11-27 DUE TO TIME LIMIT "
                "***"),
        (SIMGRID, "[0.500000] [ker_engine/CRITICAL] Oops! Deadlock detected, some activities are "
                  "still around"),
        ("bash: line 1: mpiexec: command not found\n", "bash: line 1: mpiexec: command not found"),
        ("no module openmpi\n", "no module openmpi"),
        (f"{SLOTS}allgather_bench: rank 1: no memory\n", "allgather_bench: rank 1: no memory"),
    ],
)  # fmt: skip
def test_the_cause(tmp_path: Path, said: str, expected: str) -> None:
    assert reason(tmp_path, said, 1) == f"exit code 1: {expected}"


@pytest.mark.parametrize(
    "said", [BINDING, OPENIB, UCX, AGGREGATED, "hello\n", "[3/10] ring, 1 KiB\n"]
)
def test_what_is_harmless_is_no_reason(tmp_path: Path, said: str) -> None:
    """Nobody noted the end of this launch."""
    why = reason(tmp_path, said, None)
    assert why == f"no exit code was noted: see {tmp_path / 'x.log'}"


@pytest.mark.parametrize("said", [BINDING, OPENIB, UCX, AGGREGATED, "[3/10] ring, 1 KiB\n"])
def test_nor_where_there_is_an_exit_code(tmp_path: Path, said: str) -> None:
    assert reason(tmp_path, said, 1) == f"exit code 1: see {tmp_path / 'x.log'}"


def test_a_launcher_that_answers_with_a_box() -> None:
    """Such as one that refuses to be asked its version by root."""
    assert first_line(PRRTE_SLOTS) == (
        "There are not enough slots available in the system to satisfy the 2"
    )
    assert first_line("flux 0.1\nbuilt\n") == "flux 0.1"
    assert first_line("\n") == "nothing"


def test_nothing_was_said(tmp_path: Path) -> None:
    assert reason(tmp_path, "\n", None) == "no exit code was noted: it said nothing"
