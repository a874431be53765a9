# SPDX-License-Identifier: BSD-3-Clause
"""The inside of hosts_here.py: hosts, their network, and what a command finds there."""

import ctypes
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

NAME = "hosts_here"
UNABLE = 77  # exit code: this machine cannot have such hosts

# These numbers are of <sched.h> and <sys/prctl.h>: Python has the former since 3.12, and no prctl.
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 1 << 17, 1 << 28, 1 << 29, 1 << 30
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)

# An idle link passes `burst` bytes at once. That has to be little: with 16 KiB the first message of
# so many bytes took no time wherever ranks came late, which is no network's way. So it is a frame,
# or what passes in the time that the kernel's timers cannot divide.
FRAME_BYTES = 1600  # more than the 1514 of Ethernet
TIMER_S = 100e-6
BITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}

# The queue is long: what a collective sends at once shall wait, not be dropped.
SHAPE = "qdisc add dev {} root tbf rate {} burst {} limit 8mb"

# What a process with namespaces of its own does to be a host: it waits for its cable, then stays.
# BBR, the default of some systems, paces the bursts of a collective, which makes it several times
# as slow. Without the last setting TCP starts slowly again after every pause between collectives.
HOST = """set -e
hostname "$1"
mount -t tmpfs shm /dev/shm
echo ready
read -r _ || :
ip link set lo up
ip address add "$2/24" dev eth0
ip link set eth0 up
[ -z "$3" ] || tc $3
cd /proc/sys/net/ipv4
echo cubic >tcp_congestion_control 2>/dev/null || echo reno >tcp_congestion_control
echo 0 >tcp_slow_start_after_idle
echo up
exec sleep infinity
"""

ENTER = "nsenter --target {} --net --uts --mount sh -c"
ON_HOST = f"""#!/bin/sh
pid=$(cat "{{}}/pid.$1") || exit
shift
exec {ENTER.format('"$pid"')} 'cd "$0" && eval "$1"' "$PWD" "$*"
"""


@dataclass(frozen=True)
class Wanted:
    switches: list[int]  # how many hosts each has
    rate: str | None  # of a host's link; none: as fast as it goes
    rates: dict[str, str]  # of those whose links have another
    trunk: str | None  # of a link between switches
    slots: int
    command: list[str]

    @property
    def hosts_of(self) -> list[list[str]]:
        """The names of the hosts on each switch: h0, h1, ..., switch after switch."""
        names = iter(f"h{i}" for i in range(sum(self.switches)))
        return [[next(names) for _ in range(hosts)] for hosts in self.switches]

    def rate_of(self, host: str) -> str | None:
        return self.rates.get(host, self.rate)


def fail(message: str, exit_code: int = 1) -> NoReturn:
    print(f"{NAME}: {message}", file=sys.stderr, flush=True)
    sys.exit(exit_code)


def heed(number: int, handler: Callable[[int, FrameType | None], None]) -> None:
    """Handles a signal, unless this program was started to ignore it, as nohup has it."""
    if signal.getsignal(number) is not signal.SIG_IGN:
        signal.signal(number, handler)


def run(*command: str, lines: list[str] | None = None) -> None:
    text = "\n".join(lines or [])
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        fail(f"'{shlex.join(command)}' failed: {' '.join(done.stderr.split())}")


def unshare(flags: int) -> None:
    if LIBC.unshare(flags) != 0:
        why = os.strerror(ctypes.get_errno())
        fail(f"no namespaces here ({why}); it takes root, and a container has to allow it", UNABLE)


def address(host: str) -> str:
    return f"10.78.0.{int(host[1:]) + 1}"


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines))


def shape(device: str, rate: str) -> str:
    """Returns the words of tc that limit a link's end to a rate as tc writes it: 10mbit."""
    number = rate.removesuffix("bit")
    unit = number.lstrip("0123456789")
    bytes_per_s = int(number.removesuffix(unit)) * BITS[unit] / 8
    return SHAPE.format(device, rate, max(FRAME_BYTES, round(TIMER_S * bytes_per_s)))


class Host:
    def __init__(self, name: str, rate: str | None) -> None:
        self.name = name
        self.process = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount",
             "sh", "-c", HOST, name, name, address(name), shape("eth0", rate) if rate else ""],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            start_new_session=True,  # the terminal's Ctrl-C is for the command
        )  # fmt: skip
        self.wait_for("ready")

    def wait_for(self, word: str) -> None:
        assert self.process.stdout
        if self.process.stdout.readline().strip() != word:
            fail(f"host {self.name} does not come up")  # and said why itself

    def go_on(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.wait_for("up")


def connect(wanted: Wanted, hosts: dict[str, Host]) -> None:
    """Connects the hosts with their switches, and the switches in a chain. The switches are bridges
    in the network of this process. Links get the rates that are wanted."""
    links: list[str] = []
    shapes: list[str] = []

    def plug(port: str, switch: str, rate: str | None) -> None:
        links.append(f"link set {port} master {switch} up")
        if rate:
            shapes.append(shape(port, rate))

    for number, names in enumerate(wanted.hosts_of):
        switch, above = f"s{number}", f"s{number - 1}"
        links += [f"link add {switch} type bridge", f"link set {switch} up"]
        for name in names:
            links.append(f"link add {name} type veth peer eth0 netns {hosts[name].process.pid}")
            plug(name, switch, wanted.rate_of(name))
        if number > 0:
            links.append(f"link add {switch}-{above} type veth peer {above}-{switch}")
            plug(f"{switch}-{above}", switch, wanted.trunk)
            plug(f"{above}-{switch}", above, wanted.trunk)
    run("ip", "-batch", "-", lines=links)
    run("tc", "-batch", "-", lines=shapes)


def write_files(folder: Path, wanted: Wanted, hosts: dict[str, Host]) -> None:
    tree = []
    for number, names in enumerate(wanted.hosts_of):
        below = f" Switches=s{number + 1}" if number + 1 < len(wanted.switches) else ""
        tree.append(f"SwitchName=s{number} Nodes={','.join(names)}{below}")
    write(folder / "topology.conf", tree)
    write(folder / "hostfile", [f"{name} slots={wanted.slots}" for name in hosts])
    write(folder / "hostfile.mpich", [f"{name}:{wanted.slots}" for name in hosts])
    for host in hosts.values():
        write(folder / f"pid.{host.name}", [str(host.process.pid)])
    (folder / "bin").mkdir()
    (folder / "bin" / "on_host").write_text(ON_HOST.format(folder))
    (folder / "bin" / "on_host").chmod(0o755)


def environment(folder: Path) -> dict[str, str]:
    """Returns what makes an mpirun span the hosts, whichever MPI it is of."""
    on_host, hostfile = f"{folder}/bin/on_host", f"{folder}/hostfile"
    return {
        **os.environ,
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "HOSTFILE": hostfile,
        "TOPOLOGY": f"{folder}/topology.conf",
        # Open MPI: hosts know nothing of each other's ranks on the processors that they share, so
        # nothing is bound, and who waits gives way.
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "tcp,self,vader",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        # Its launcher up to 4.1.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": on_host,
        "OMPI_MCA_orte_default_hostfile": hostfile,
        "OMPI_MCA_orte_tmpdir_base": str(folder),
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        # Open MPI reads these from 5.0 on.
        "PRTE_ALLOW_RUN_AS_ROOT": "1",
        "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_plm": "ssh",
        "PRTE_MCA_plm_ssh_agent": on_host,
        "PRTE_MCA_prte_default_hostfile": hostfile,
        "PRTE_MCA_prte_tmpdir_base": str(folder),
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        # MPICH.
        "HYDRA_LAUNCHER": "rsh",
        "HYDRA_LAUNCHER_EXEC": on_host,
        "HYDRA_HOST_FILE": f"{folder}/hostfile.mpich",
    }


def inside(wanted: Wanted, folder: Path) -> int:
    unshare(CLONE_NEWNS | CLONE_NEWNET)
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "proc", "proc", "/proc")
    run("mount", "-t", "tmpfs", NAME, str(folder))
    names = [name for names in wanted.hosts_of for name in names]
    write(folder / "names", ["127.0.0.1 localhost", *(f"{address(name)} {name}" for name in names)])
    run("mount", "--bind", f"{folder}/names", "/etc/hosts")
    hosts = {name: Host(name, wanted.rate_of(name)) for name in names}
    connect(wanted, hosts)
    for host in hosts.values():
        host.go_on()
    write_files(folder, wanted, hosts)
    enter = shlex.split(ENTER.format(hosts["h0"].process.pid))
    words = [*enter, 'cd "$1" && shift && exec "$@"', NAME, str(Path.cwd()), *wanted.command]
    return exit_code_of(words, environment(folder))


def exit_code_of(command: list[str], environment: dict[str, str] | None = None) -> int:
    """Runs a command; returns its exit code, for a signal as a shell has it. Ctrl-C is for the
    command to decide."""
    heed(signal.SIGINT, lambda *_: None)
    code = subprocess.run(command, env=environment, check=False).returncode
    return code if code >= 0 else 128 - code
