#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command on a cluster of this machine (jobs/testbed/hosts_here.py) that has Slurm.

    jobs/testbed/slurm_here.py 4 -- sh -c 'sinfo; srun -N 4 hostname'

The packages slurm-wlm and munge are needed. Their daemons run on the hosts h0, h1, ... with a
configuration of their own, found by $SLURM_CONF; nothing of this machine's is read or written. When
the command ends, all is gone.
"""

import argparse
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from host_namespaces import UNABLE, exit_code_of, fail

NAME = "slurm_here"
PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "srun"]
DEADLINE_S = 60.0
INSIDE = "--inside"  # this runs inside of a cluster that is up
# Variables of the user's shell, which say how to ask the cluster of this machine.
OF_ANOTHER = ("SLURM_", "SBATCH_", "SALLOC_", "SQUEUE_", "SINFO_", "SCONTROL_")

# The daemons share files, so what each host has for itself has %n in its name.
CONFIGURATION = """
ClusterName=here
SlurmctldHost=h0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=2,bf_interval=2
KillWait=2
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
TmpFS={folder}/tmp.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
NodeName={hosts} CPUs={processors} Boards=1 SocketsPerBoard=1 CoresPerSocket={processors} \
ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes={hosts} Default=YES MaxTime=INFINITE State=UP
"""


def start(hosts: int, processors: int, command: list[str]) -> int:
    """Starts the daemons, then runs the command; returns its exit code. This runs on h0. The
    program ends with an error if the hosts are not up within DEADLINE_S seconds."""
    for name in [each for each in os.environ if each.startswith(OF_ANOTHER)]:
        del os.environ[name]
    folder = Path(tempfile.mkdtemp(dir=Path(os.environ["HOSTFILE"]).parent))  # gone with the hosts
    names = [f"h{number}" for number in range(hosts)]
    for name in ("state", *(f"{what}.{host}" for what in ("spool", "tmp") for host in names)):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(128))
    configuration = folder / "slurm.conf"
    configuration.write_text(
        CONFIGURATION.format(folder=folder, hosts=",".join(names), processors=processors)
    )
    (folder / "cgroup.conf").write_text("CgroupPlugin=autodetect\n")
    os.environ["SLURM_CONF"] = str(configuration)
    daemon("munged", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
           f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log",
           f"--seed-file={folder}/munged.seed")  # fmt: skip
    daemon("slurmctld", "-f", str(configuration))
    for host in names:
        daemon("on_host", host, "env", f"SLURM_CONF={configuration}", "slurmd", "-N", host)
    end = time.monotonic() + DEADLINE_S
    while idle() < hosts:
        if time.monotonic() > end:
            logs = [path.read_text()[-1000:] for path in sorted(folder.glob("slurm*.log"))]
            fail(f"{idle()} of {hosts} hosts came up\n" + "\n".join(logs))
        time.sleep(0.1)
    return exit_code_of(["sh", "-c", 'exec "$@"', NAME, *command])  # sh says if there is no such


def daemon(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"{command[0]}: {' '.join(done.stderr.split())}")


def idle() -> int:
    done = subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], capture_output=True, text=True,
                          check=False)  # fmt: skip
    return int(done.stdout.strip() or 0)


def up_to(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"[1-9]\d{0,3}", text) or int(text) > most:
            raise argparse.ArgumentTypeError(f"'{text}' is not legal; legal: 1 to {most}")
        return int(text)

    return read


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(
        prog=NAME,
        usage=f"{NAME} HOSTS [--processors N] -- COMMAND...",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("hosts", metavar="HOSTS", type=up_to(64), help="how many")
    parser.add_argument("--processors", metavar="N", type=up_to(256), default=2,
                        help="of each host, as Slurm is told (default: 2)")  # fmt: skip
    parser.add_argument(INSIDE, action="store_true", help=argparse.SUPPRESS)
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    command = arguments[at + 1 :]
    if not command:
        parser.error("no command: it comes after --")
    if options.inside:
        try:
            return start(options.hosts, options.processors, command)
        except KeyboardInterrupt:  # before the command began
            return 128 + signal.SIGINT
    os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    if missing := [name for name in PROGRAMS if shutil.which(name) is None]:
        fail(f"not installed: {', '.join(missing)} (packages slurm-wlm, munge)", UNABLE)
    here = Path(__file__)
    hosts_here = [sys.executable, str(here.with_name("hosts_here.py")), str(options.hosts), "--"]
    again = [sys.executable, str(here), str(options.hosts), f"--processors={options.processors}"]
    os.execv(sys.executable, [*hosts_here, *again, INSIDE, "--", *command])


if __name__ == "__main__":
    sys.exit(main())
