# SPDX-License-Identifier: BSD-3-Clause
"""Marks `quick` what has none of our marks, for `make check`.

`make durations` sets GATHERBENCH_SLOW_S: then a quick test that takes longer fails. Nothing else
sets it, since a time depends on the machine and on what else runs there.

Where they may, the tests have a /dev/shm of their own (as root). There MPI libraries have the
memory that ranks share, and leave it if the launch is killed, as many tests do. It goes with the
last process of the tests.

Under nohup or in the background of a script, pytest is started to ignore signals. It still does so,
but what the tests start does not: they send such signals to it.
"""

import ctypes
import os
import signal
from collections.abc import Generator

import pytest

LIMIT_S = float(os.environ.get("GATHERBENCH_SLOW_S", "inf"))
CLONE_NEWNS = 1 << 17  # <sched.h>
MS_REC, MS_PRIVATE = 1 << 14, 1 << 18  # <sys/mount.h>


def pytest_configure() -> None:
    for number in (signal.SIGHUP, signal.SIGINT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    libc = ctypes.CDLL(None)
    if (
        libc.unshare(CLONE_NEWNS) == 0
        and libc.mount(b"", b"/", None, MS_REC | MS_PRIVATE, None) == 0
    ):
        libc.mount(b"shm", b"/dev/shm", b"tmpfs", 0, None)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    lines: list[str] = config.getini("markers")
    # pytest's own have parentheses before the colon, or are of no use to a test.
    ours = {line.partition(":")[0] for line in lines} - {"tryfirst", "trylast"}
    for item in items:
        if not ours & {marker.name for marker in item.iter_markers()}:
            item.add_marker("quick")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.passed and call.duration > LIMIT_S and item.get_closest_marker("quick"):
        report.outcome = "failed"
        report.longrepr = (
            f"its {call.when} took {call.duration:.1f} s, and quick is up to {LIMIT_S:g} s: "
            "mark it slow, or make it cheaper"
        )
    return report
