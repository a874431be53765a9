# SPDX-License-Identifier: BSD-3-Clause
"""Limits for code that may hang or take all memory: then it is ended, and so is the test. Whole
commands of agreport or agsweep run in a process of their own."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from shared.rooms import ROOT

LIMIT_S = 300  # of all commands; they take some seconds
MOST_MEMORY = 4 << 30  # of addresses, of which libraries take more than half
SCRIPT = """
import contextlib, importlib, io, json, resource, sys
main = importlib.import_module(sys.argv[1]).main
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]), int(sys.argv[2])))
for words in json.loads(sys.argv[3]):
    with contextlib.redirect_stderr(io.StringIO()) as err, contextlib.redirect_stdout(io.StringIO()):
        try:
            code = main(words)
        except SystemExit as leaving:
            code = leaving.code
    print(json.dumps([code, err.getvalue()]))
"""  # noqa: E501


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Raises an AssertionError in what takes longer."""

    def end(*_: object) -> None:
        raise AssertionError(f"no answer in {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def said(module: str, commands: Sequence[Sequence[str]], folder: Path) -> list[tuple[int, str]]:
    """Returns each command's exit code and what stands on standard error."""
    path = os.pathsep.join(str(ROOT / room) for room in ("formats", "jobs", "reports"))
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, module, str(MOST_MEMORY), json.dumps(commands)],
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(commands)
    return [(code, err) for code, err in found]


def make_pipe(path: Path) -> Path:
    """Nobody writes to it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


def make_socket(path: Path) -> Path:
    """The name of an address has a hundred letters at most."""
    with socket.socket(socket.AF_UNIX) as made:
        before = Path.cwd()
        os.chdir(path.parent)
        try:
            made.bind(path.name)
        finally:
            os.chdir(before)
    return path
