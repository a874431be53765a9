# SPDX-License-Identifier: BSD-3-Clause
"""Runs launches on this machine, one step after the other, and keeps what they say."""

import contextlib
import ctypes
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import FrameType
from typing import IO

from agformats.errors import in_words
from agformats.regular_file import require_regular
from agsweep import launch_log
from agsweep.command import Commands
from agsweep.sweep import builds
from agsweep.sweep.points import Launch, Step

GRACE_S = 30.0  # from SIGTERM to SIGKILL
POLL_S = 0.02
NOT_STARTED = 126  # as a shell says it of a program that cannot be executed
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PR_SET_PDEATHSIG = 1  # <sys/prctl.h>
LIBC = ctypes.CDLL(None, use_errno=True)


def end_with_parent() -> None:
    """Has the child end with its parent: a launcher whose agsweep was killed ends its ranks."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


@dataclass
class Running:
    launch: Launch
    process: subprocess.Popen[bytes]
    log: IO[bytes]
    killed: str = ""  # why agsweep ended it


@contextlib.contextmanager
def signals_noted() -> Iterator[list[int]]:
    """Yields a list that collects the signals that arrive, which do not end this program in the
    middle of a launch. A signal that this program was started to ignore (nohup) stays ignored, here
    and in what this program starts."""
    received: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        received.append(number)

    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    heeded = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
    for number in heeded:
        signal.signal(number, note)
    try:
        yield received
    finally:
        for number in heeded:
            signal.signal(number, before[number])


def run_step(commands: Commands, step: Step, lock: int, received: list[int]) -> None:
    """Runs a step until its launches have ended. A signal to agsweep ends them as a time limit
    does."""
    with tempfile.TemporaryDirectory(prefix="agsweep.") as folder:
        address = f"{folder}/duet"
        running: list[Running] = []
        try:
            for launch in step:  # what is started when one fails has to be ended
                if (one := start(commands, launch, address, lock)) is None:
                    stop(running, f"{launch.name} could not be started")
                    break
                running.append(one)
            wait(running, commands.sweep.budget.launch_time, received)
        finally:
            for each in running:
                finish(each)


def start(commands: Commands, launch: Launch, address: str, lock: int) -> Running | None:
    """Starts a launch; None: its launcher cannot be started, as its log says."""
    words = commands.words(launch, address)
    for suffix in (".log", ".out"):
        if (path := commands.folder.file(launch, suffix)).exists():
            require_regular(path)
    log = commands.folder.file(launch, ".log").open("a+b", buffering=0)
    # A full disk may have cut the last line off.
    log.write(b"\n" * (log.tell() > 0) + launch_log.began(words).encode(errors="surrogateescape"))
    with commands.folder.file(launch, ".out").open("ab") as out:
        try:
            process = subprocess.Popen(
                builds.within(launch.build, words),
                stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                start_new_session=True,  # Ctrl-C is for agsweep to pass on
                preexec_fn=end_with_parent,
                pass_fds=[lock],
            )  # fmt: skip
        except OSError as error:
            with log:
                log.write(f"agsweep: error: {in_words(error)}\n".encode(errors="surrogateescape"))
                log.write(launch_log.ended(NOT_STARTED, "").encode())
            return None
    return Running(launch, process, log)


def wait(running: list[Running], limit_s: int, received: list[int]) -> None:
    end = time.monotonic() + limit_s if limit_s else float("inf")
    while any(each.process.poll() is None for each in running):
        if received:
            stop(running, f"agsweep got {signal.Signals(received[0]).name}")
            return
        if time.monotonic() > end:
            stop(running, f"budget.launch_time, {limit_s} s, is over")
            return
        time.sleep(POLL_S)


def stop(running: list[Running], why: str) -> None:
    for each in running:
        if each.process.poll() is None:
            each.killed = why
            each.process.terminate()
    end = time.monotonic() + GRACE_S
    for each in running:
        with contextlib.suppress(subprocess.TimeoutExpired):
            each.process.wait(max(0.0, end - time.monotonic()))


def finish(each: Running) -> None:
    if each.process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(each.process.pid, signal.SIGKILL)
        each.process.wait()
    with each.log as log:
        log.write(b"" if ends_a_line(log.fileno()) else b"\n")
        log.write(launch_log.ended(exit_code(each.process), each.killed).encode())


def ends_a_line(file: int) -> bool:
    """Returns whether the file ends with a whole line. What a launcher says last may end within
    one."""
    return os.pread(file, 1, max(0, os.fstat(file).st_size - 1)) == b"\n"


def exit_code(process: subprocess.Popen[bytes]) -> int:
    code = process.returncode
    return code if code >= 0 else 128 - code
