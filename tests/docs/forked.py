# SPDX-License-Identifier: BSD-3-Clause
"""Runs the Python programs of blocks in forks of one process, which has imported what they need:
that would be most of the time of each. test_quickstart.py starts agreport as it is."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from socket import recv_fds, socket
from socketserver import BaseRequestHandler, ForkingMixIn, UnixStreamServer

MODULES = {"agreport": "agreport.main", "agsweep": "agsweep.main"}
LOST = 70  # the exit code if the fork ended without one

# What stands in the place of a program: it hands over itself and its files, and waits.
STUB = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as one:
    one.connect({place!r})
    told = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(one, [b"-"], [0, 1, 2])
    one.sendall(told)
    one.shutdown(socket.SHUT_WR)
    code = one.recv(1)
sys.exit(code[0] if code else {lost})
"""


class Fork(BaseRequestHandler):
    request: socket

    def handle(self) -> None:
        _, files, _, _ = recv_fds(self.request, 1, 3)
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        with self.request.makefile("rb") as told:
            sys.argv, folder, environment = json.load(told)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        try:
            code = import_module(MODULES[Path(sys.argv[0]).name]).main()
        except SystemExit as ended:
            code = ended.code
        sys.stdout.flush()
        self.request.sendall(bytes([int(code or 0)]))


class Server(ForkingMixIn, UnixStreamServer):
    pass


def serve(place: str) -> None:
    from agreport import commands

    for name in MODULES.values():
        import_module(name)
    for name in commands.MODULES:
        commands.report(name)
    for name in ("matplotlib.backends.backend_agg", "matplotlib.pyplot", "scipy.stats"):
        import_module(name)
    with Server(place, Fork) as server:
        print("ready", flush=True)
        server.serve_forever()


@contextlib.contextmanager
def forked(folder: Path) -> Iterator[dict[str, str]]:
    """By their names, what to write into the files of the programs."""
    place = str(folder / "forks")
    with subprocess.Popen(
        [sys.executable, __file__, place], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            text = STUB.format(python=sys.executable, place=place, lost=LOST)
            yield dict.fromkeys(MODULES, text)
        finally:
            server.terminate()


if __name__ == "__main__":
    serve(sys.argv[1])
