# SPDX-License-Identifier: BSD-3-Clause
"""Two launches that take turns, and a relay between them that sees every turn."""

import contextlib
import os
import select
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .launch import DEADLINE_S, Build, Running, wait_until

BENCH = "allgather_bench"
NAMES = ("ann", "bob")
LAST = f"{2**63 - 1} 0"  # gives the turn away for good
COMMON = {"--algorithms": "ring,native", "--output": "out.csv", "--timeout": "60s"}


@dataclass(frozen=True)
class Players:
    """The builds of the two jobs and where their files go."""

    builds: tuple[Build, Build]
    folder: Path

    def output(self, who: int) -> Path:
        return self.folder / NAMES[who] / "out.csv"

    @contextlib.contextmanager
    def start(
        self,
        who: int,
        address: str | Path,
        *arguments: str,
        ranks: int = 2,
        env: dict[str, str] | None = None,
    ) -> Iterator[Running]:
        folder = self.output(who).parent
        folder.mkdir(exist_ok=True)
        common = [word for key in COMMON.keys() - set(arguments) for word in (key, COMMON[key])]
        with self.builds[who].start(
            BENCH, *common, "--duet", f"{NAMES[who]}@{address}", *arguments,
            folder=folder, ranks=ranks, grace=ranks > 1, env=env,
        ) as running:  # fmt: skip
            yield running

    @contextlib.contextmanager
    def both(
        self, address: str | Path, *arguments: str, ranks: int = 2
    ) -> Iterator[tuple[Running, Running]]:
        with (
            self.start(0, address, *arguments, ranks=ranks) as ann,
            self.start(1, address, *arguments, ranks=ranks) as bob,
        ):
            yield ann, bob


def processor_seconds(pids: list[int]) -> float:
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Line:
    """The partner's end of a job's socket."""

    def __init__(self, address: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(DEADLINE_S)
        # The file is there a moment before it is listened at.
        wait_until(lambda: self.socket.connect_ex(str(address)) == 0, f"a listener at {address}")
        self.unread = b""

    def read(self) -> str:
        while b"\n" not in self.unread:
            part = self.socket.recv(4096)
            assert part, "it has ended"
            self.unread += part
        line, _, self.unread = self.unread.partition(b"\n")
        return line.decode()

    def say(self, text: str) -> None:
        with contextlib.suppress(OSError):  # who has said its last may be gone
            self.socket.sendall(text.encode() + b"\n")

    def is_silent(self) -> bool:
        if self.unread:
            return False
        if not select.select([self.socket], [], [], 0)[0]:
            return True
        return self.socket.recv(1, socket.MSG_PEEK) == b""  # it has ended


def relay(
    addresses: tuple[Path, Path], before: Callable[[str], None] = lambda turn: None
) -> list[list[str]]:
    """Is the partner of both jobs, and tells each what the other says. Nobody speaks out of turn;
    who drew the smaller lot begins.
    Returns what each said after its greeting; `before` hears it before the other one does."""
    lines = [Line(address) for address in addresses]
    lots = []
    for one, other in (lines, lines[::-1]):
        while text := one.read():
            if text.startswith("new_pair="):
                lots.append(text)
            other.say(text)
        other.say("")
    said: list[list[str]] = [[], []]
    who = lots.index(min(lots))
    while said[0][-1:] != [LAST] or said[1][-1:] != [LAST]:
        turn = lines[who].read()
        said[who].append(turn)
        before(turn)
        assert all(line.is_silent() for line in lines), f"somebody spoke out of turn after {said}"
        who = 1 - who
        lines[who].say(turn)
    return said
