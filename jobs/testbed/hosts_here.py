#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command on a cluster whose hosts are namespaces of this machine.

    jobs/testbed/hosts_here.py 8 --rate 10mbit -- build/bin/mpirun_here 8 build/bin/allgather_bench
    jobs/testbed/hosts_here.py 4,4 --trunk 10mbit --slots 2 -- bash

Each host has a name, an address, a network card and shared memory of its own; the processors and
the files are this machine's. The command runs on the first host, h0, where mpirun (Open MPI's or
MPICH's) knows of the others: `mpirun -n 8 PROGRAM` spans them. The command also finds there

    $HOSTFILE                 the hosts with their slots, switch by switch (Open MPI's form)
    $TOPOLOGY                 their switches, for --topology
    on_host h3 COMMAND...     runs a command on another host, as ssh does

Nothing outside is touched, so any number of clusters may be up at once. When the command ends, or
this program does, in whatever way, the kernel ends every process in there, and the network with
them. The hosts share the processors: to measure, make the links slow enough to be the bottleneck.
"""

import argparse
import os
import re
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NoReturn

from host_namespaces import (
    CLONE_NEWPID,
    CLONE_NEWUSER,
    LIBC,
    NAME,
    PR_SET_PDEATHSIG,
    UNABLE,
    Wanted,
    fail,
    heed,
    inside,
    unshare,
)

TOOLS = ["hostname", "ip", "mount", "nsenter", "tc", "unshare"]
MOST_HOSTS = 250
# Shells, the settings of launchers and Slurm's configuration have the folder in them.
PLAIN = re.compile(r"[A-Za-z0-9._/+-]+")


def first_process(wanted: Wanted, folder: Path) -> NoReturn:
    """Starts the process with which everything inside ends, and which ends with the process that
    made it."""
    code: object
    try:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        code = inside(wanted, folder)
    except SystemExit as end:
        code = end.code
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except Exception:
        traceback.print_exc()
        code = 1
    os._exit(code if isinstance(code, int) else 1)


def start(wanted: Wanted) -> int:
    if missing := [tool for tool in TOOLS if shutil.which(tool) is None]:
        fail(f"not installed: {', '.join(missing)} (packages iproute2, util-linux)", UNABLE)
    if not PLAIN.fullmatch(parent := tempfile.gettempdir()):
        legal = "legal: letters, digits and . _ + - / in its path, such as TMPDIR=/tmp"
        fail(f"TMPDIR: {parent!r} is not legal; {legal}", 2)
    user, group = os.geteuid(), os.getegid()
    with tempfile.TemporaryDirectory(prefix=f"{NAME}.") as folder:
        unshare(CLONE_NEWPID | (CLONE_NEWUSER if user else 0))
        if user:  # becomes the root of a user namespace
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {user} 1")
            Path("/proc/self/gid_map").write_text(f"0 {group} 1")
        child = os.fork()
        if child == 0:
            first_process(wanted, Path(folder))
        received: list[int] = []

        def end(number: int, _: object) -> None:
            received.append(number)
            os.kill(child, signal.SIGKILL)

        heed(signal.SIGTERM, end)
        heed(signal.SIGHUP, end)
        heed(signal.SIGINT, lambda *_: None)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return 128 + received[0] if received else code if code >= 0 else 128 - code


def host_numbers(text: str) -> list[int]:
    if not re.fullmatch(r"[1-9]\d*(,[1-9]\d*)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of hosts; legal: 8, or 4,4")
    numbers = [int(part) for part in text.split(",")]
    if sum(numbers) > MOST_HOSTS:
        raise argparse.ArgumentTypeError(f"'{text}' is more than {MOST_HOSTS} hosts")
    return numbers


def rate(text: str) -> str:
    if not re.fullmatch(r"[1-9]\d*[kmg]?bit", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no rate; legal: 10mbit, 500kbit, 1gbit")
    return text


def rate_of_host(text: str) -> tuple[str, str]:
    host, _, of_host = text.partition("=")
    if not re.fullmatch(r"h\d{1,3}", host):
        raise argparse.ArgumentTypeError(f"'{text}' is no rate of a host; legal: h2=10mbit")
    return host, rate(of_host)


def slots(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not between 1 and 9999")
    return int(text)


def main() -> int:
    assert __doc__
    parser = argparse.ArgumentParser(
        prog=NAME,
        usage=f"{NAME} HOSTS [--rate RATE] [--rate-of HOST=RATE] [--trunk RATE] [--slots N] "
        "-- COMMAND...",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("hosts", metavar="HOSTS", type=host_numbers,
                        help="how many; 4,4: of each switch, which stand in a chain")  # fmt: skip
    parser.add_argument(
        "--rate", type=rate, help="of every host's link, such as 10mbit (default: no limit)"
    )
    parser.add_argument(
        "--rate-of", type=rate_of_host, action="append", default=[], metavar="HOST=RATE",
        help="of one host's link, such as h2=1mbit; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--trunk", type=rate, help="of a link between switches (default: as --rate)"
    )
    parser.add_argument(
        "--slots", type=slots, default=1, metavar="N", help="ranks for each host (default: 1)"
    )
    arguments = sys.argv[1:]
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = parser.parse_args(arguments[:at])
    command = arguments[at + 1 :]
    if not command:
        parser.error("no command: it comes after --")
    if options.trunk and len(options.hosts) == 1:
        parser.error("--trunk: there is one switch; for several write HOSTS as 4,4")
    rates = dict(options.rate_of)
    wanted = Wanted(options.hosts, options.rate, rates, options.trunk or options.rate,
                    options.slots, command)  # fmt: skip
    there = [host for names in wanted.hosts_of for host in names]
    if unknown := [host for host in rates if host not in there]:
        parser.error(f"--rate-of: '{unknown[0]}' is no host here; legal: {there[0]} to {there[-1]}")
    os.environ["PATH"] = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"
    return start(wanted)


if __name__ == "__main__":
    sys.exit(main())
