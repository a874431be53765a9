# SPDX-License-Identifier: BSD-3-Clause
"""Starts programs of the build under test, and finds the processes of a launch."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

# A launch that takes longer hangs; none of them should come near to it, however slow the machine.
DEADLINE_S = 600.0
# Open MPI 4.1's mpirun may lock itself up when a rank ends with an error (open-mpi/ompi 3380): it
# has told of it, and never takes note that its ranks are gone. After this time it is killed, and
# what it told counts as its exit code.
UNREAPED_S = 30.0
TOLD_CODE = re.compile(r"(?:Exit code: +|with errorcode )(\d+)")
POLL_S = 0.01

# Open MPI takes this here unasked, but only after PSM2 has waited for a network card for 0.2 s.
NO_CARD = {"OMPI_MCA_pml": "ob1"}


# When a rank ends with an error, Open MPI gives the others a second to go, twice; in these tests
# that would be most of the time.
def give_time(seconds: int) -> dict[str, str]:
    libraries = ("OMPI", "PRTE")
    limits = {f"{each}_MCA_odls_base_sigkill_timeout": f"{seconds}" for each in libraries}
    return {**NO_CARD, **limits}


IMPATIENT = give_time(0)
PATIENT = give_time(3)  # a second is not enough on a machine that does much else


RANK_VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")  # one of the launcher's each


def in_folder_of_rank(parent: Path, ranks: int) -> list[str]:
    """Makes the folders of_0, of_1, ... and returns the words that begin a command whose ranks
    each run in their own."""
    for number in range(ranks):
        (parent / f"of_{number}").mkdir()
    rank = "".join(f"${{{name}-" for name in RANK_VARIABLES) + "}" * len(RANK_VARIABLES)
    return ["/bin/sh", "-c", f'cd "{parent}/of_{rank}" && exec "$@"', "sh"]


def wait_until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < end, f"waited in vain for: {what}"
        time.sleep(POLL_S)


@dataclass(frozen=True)
class Ended:
    """Holds what a launch left behind. Launchers add lines of their own to standard error."""

    program: str
    exit_code: int
    stdout: str
    stderr: str

    @property
    def messages(self) -> list[str]:
        """The program's own lines on standard error, without its name."""
        start = f"{self.program}: "
        # Open MPI 5 ends its boxes with a NUL, so the next line may begin with one.
        lines = self.stderr.replace("\0", "").splitlines()
        return [line[len(start) :] for line in lines if line.startswith(start)]


def parent_of(pid: int) -> int | None:
    with contextlib.suppress(OSError):
        # The name in parentheses may hold anything; what follows it is the state and the parent.
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return None


def is_running(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (parent := parent_of(int(entry.name))) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found = list(children.get(pid, []))
    for child in found:  # grows while it is walked
        found += children.get(child, [])
    return found


Told = TypeVar("Told")


def waited(launcher: subprocess.Popen[Any], wait: Callable[[float], Told]) -> Told:
    """Returns what `wait` does, which gives up after the seconds that it is given. A launcher that
    does not reap its ranks, and one that takes too long, is killed."""
    begun = reaped = time.monotonic()
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            return wait(1)
        now = time.monotonic()
        below = descendants(launcher.pid)
        if not below or any(map(is_running, below)):
            reaped = now
        if now - reaped > UNREAPED_S:
            launcher.kill()
        if now - begun > DEADLINE_S:
            launcher.kill()
            raise subprocess.TimeoutExpired(launcher.args, DEADLINE_S)


def exit_code(launcher: subprocess.Popen[Any], stderr: str) -> int:
    """Returns the launcher's; of one that was killed, the one that it told of before, if any."""
    told = TOLD_CODE.search(stderr)
    was_killed = launcher.returncode == -signal.SIGKILL
    return int(told[1]) if was_killed and told else int(launcher.returncode)


def rank_of(pid: int) -> int:
    """The rank that the launcher gave to a process."""
    entries = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace").split("\0")
    environment = dict(entry.partition("=")[::2] for entry in entries)
    for name in RANK_VARIABLES:
        if name in environment:
            return int(environment[name])
    raise AssertionError(f"process {pid} has no rank in its environment")


@dataclass
class Running:
    """A launch under way. Only processes below its own launcher are ever touched."""

    program: Path
    process: subprocess.Popen[bytes]
    stdout: Path
    stderr: Path
    known: list[int] = field(default_factory=list)

    def ranks(self) -> dict[int, int]:
        """Process number of each rank that runs the program now."""
        found = {}
        for pid in descendants(self.process.pid):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/exe").resolve() == self.program.resolve():
                    found[rank_of(pid)] = pid
        self.known = sorted({*self.known, *found.values()})
        return found

    def wait(self) -> Ended:
        waited(self.process, self.process.wait)
        stdout, stderr = self.stdout.read_text(), self.stderr.read_text()
        return Ended(self.program.name, exit_code(self.process, stderr), stdout, stderr)

    def clean_up(self) -> None:
        if self.process.poll() is None:
            self.ranks()
            self.process.kill()
            self.process.wait()
        for pid in self.known:
            # The number may belong to another process by now.
            with contextlib.suppress(OSError):
                if Path(f"/proc/{pid}/exe").resolve() == self.program.resolve():
                    os.kill(pid, signal.SIGKILL)


def ended(program: str, command: list[str], cwd: Path | None, env: Mapping[str, str]) -> Ended:
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, **env},
    ) as process:
        stdout, stderr = waited(process, lambda seconds: process.communicate(timeout=seconds))
        return Ended(program, exit_code(process, stderr), stdout, stderr)


@dataclass(frozen=True)
class Build:
    """A build folder: its programs and its MPI."""

    folder: Path

    def program(self, name: str) -> Path:
        return self.folder / "bin" / name

    def cached(self, variable: str) -> str:
        """A variable of the CMake cache."""
        for line in (self.folder / "CMakeCache.txt").read_text().splitlines():
            name, _, value = line.partition("=")
            if name.partition(":")[0] == variable:
                return value
        raise AssertionError(f"{self.folder} has no {variable}")

    @property
    def is_of_abi(self) -> bool:
        """Returns whether it is built for MPI's standard ABI, so that it runs with any library that
        has it."""
        return self.cached("MPI_CXX_COMPILER").endswith("_abi")

    def command(
        self, program: str, arguments: tuple[str, ...], ranks: int, env: Mapping[str, str]
    ) -> list[str]:
        given = [f"{name}={value}" for name, value in env.items()]
        prefix = ["env", *given] if given else []
        launcher = str(self.program("mpirun_here"))
        return [launcher, str(ranks), *prefix, str(self.program(program)), *arguments]

    def run(
        self,
        program: str,
        *arguments: str,
        ranks: int = 2,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Ended:
        """Launches and waits. `env` is for the ranks alone, not for the launcher."""
        command = self.command(program, arguments, ranks, env or {})
        return ended(program, command, cwd, IMPATIENT)

    @cached_property
    def family(self) -> str:
        """Returns the family of the MPI library, by the names of its own algorithms."""
        listed = self.run("allgather_bench", "--list").stdout
        marks = {"native:two_proc": "openmpi", "native:gatherv_bcast": "intel"}
        return next((family for mark, family in marks.items() if mark in listed), "mpich")

    def alone(self, program: str, *arguments: str, cwd: Path | None = None) -> Ended:
        """Runs one rank without a launcher, which takes most of the time of a short run."""
        return ended(program, [str(self.program(program)), *arguments], cwd, NO_CARD)

    def schedule(self, *arguments: str, cwd: Path | None = None) -> Ended:
        return self.alone("allgather_schedule", *arguments, cwd=cwd)

    @contextlib.contextmanager
    def start(
        self,
        program: str,
        *arguments: str,
        folder: Path,
        ranks: int = 2,
        grace: bool = False,
        env: Mapping[str, str] | None = None,
    ) -> Iterator[Running]:
        """A launch to be disturbed; what is left of it at the end is killed. Without `grace` the
        launcher may kill the other ranks before they say what ends them. `env` is for the ranks."""
        stdout, stderr = folder / "stdout.txt", folder / "stderr.txt"
        with stdout.open("wb") as out, stderr.open("wb") as err:
            process = subprocess.Popen(
                self.command(program, arguments, ranks, env or {}),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=folder,
                env={**os.environ, **(PATIENT if grace else IMPATIENT)},
            )
        running = Running(self.program(program), process, stdout, stderr)
        try:
            yield running
        finally:
            running.clean_up()
