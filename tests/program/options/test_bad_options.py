# SPDX-License-Identifier: BSD-3-Clause
"""Bad options: one line from rank 0 that says what is wrong, exit code 2, nothing touched."""

import re
from pathlib import Path

import pytest

from ..support.algorithms import NAMES, SETS
from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, listing, refused

pytestmark = pytest.mark.slow

TOO_LONG = "a" * 300
LEGAL = f"the {len([*SETS, *NAMES])} of allgatherv_bench --list and --help"
DISTRIBUTIONS = "all, regular, broadcast, spike, half_full, linear, geometric, file:PATH"


# Program, arguments, what the message has to hold.
Refusal = tuple[str, str, list[str]]
REFUSALS: list[Refusal] = [
    # The command line alone tells these; tests/bench/options/refusals_test.cpp has all of them.
    (GATHER, "--sizes 0", ["--sizes", "'0'", "is 0"]),
    (GATHERV, "--algorithms ringg", ["--algorithms", "'ringg'", "mean 'ring'", LEGAL]),
    (GATHER, "--note a\nb", ["--note", r"'a\nb'"]),
    # A rank finds these once it has begun.
    (GATHERV, "--distributions spkie", ["'spkie'", "mean 'spike'", DISTRIBUTIONS]),
    (GATHER, "--arrival uniforn:max=1ms", ["--arrival", "mean 'uniform'", "legal: none, "]),
    (GATHER, "--arrival delayed:rank=2,delay=1ms", ["--arrival", "a rank beyond", "legal: 0 to 1"]),
    (GATHERV, "--sizes 1048576T", ["--sizes", "1152921504606846976", "2^62"]),
    # Rank 0 finds these, which reads files and finds partners.
    (GATHER, f"--topology {TOO_LONG}", ["--topology", TOO_LONG, "cannot be read"]),
    (GATHER, "--arrival trace:nosuch", ["--arrival", "nosuch", "cannot be read"]),
    (GATHER, "--config /dev/zero", ["--config", "/dev/zero", "regular file"]),
    (GATHER, "--duet A@/nosuch/folder/s", ["--duet", "'/nosuch/folder/s'", "No such file"]),
    # Hours of one case, and iterations that the watchdog would end.
    (GATHER, "-m 2147483648", ["--message-size", "2147483648"]),
    (GATHER, "--arrival uniform:max=1e9s", ["--arrival", "'uniform:max=1e9s' takes ", "300 s"]),
    (GATHER, "--compute 2s --timeout 1s", ["--compute", "takes 2 s in", "after 1 s", "--timeout"]),
]  # fmt: skip


@pytest.mark.parametrize(("bench", "arguments", "parts"), REFUSALS)
def test_refused(
    build: Build, tmp_path: Path, bench: str, arguments: str, parts: list[str]
) -> None:
    message = refused(build.run(bench, "--output", "out.csv", *arguments.split(" "), cwd=tmp_path))
    for part in parts:
        assert part in message
    assert listing(tmp_path) == {}


def test_nothing_left_to_run(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--algorithms", "neighbor_exchange,recursive_doubling", "--sizes",
                      "1", "--output", "out.csv", ranks=3, cwd=tmp_path)  # fmt: skip
    message = refused(ended)
    assert "--algorithms" in message
    assert "neighbor_exchange needs an even number of ranks; ranks = 3" in message
    assert "recursive_doubling needs a power-of-two number of ranks; ranks = 3" in message
    assert listing(tmp_path) == {}


MEMORY = re.compile(
    r"the case (?P<case>.+) needs (?P<need>\d+) bytes .*; (?P<may>\d+) bytes .* allowed"
)


def test_more_memory_than_allowed(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--sizes", "1K,1M", "--algorithms", "ring", "--mem-limit", "100K",
                      "--output", "out.csv", cwd=tmp_path)  # fmt: skip
    match = MEMORY.search(refused(ended))
    assert match, ended.stderr
    assert "1048576 bytes" in match["case"]
    assert "--mem-limit" in ended.stderr
    assert int(match["may"]) == 100 * 1024
    # One block to send, two to receive, and little else.
    assert 3 << 20 <= int(match["need"]) < (3 << 20) + 4096
    assert listing(tmp_path) == {}


def test_more_memory_than_the_machine_has(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, "--sizes", "1,1024T", "--algorithms", "ring", "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    match = MEMORY.search(refused(ended))
    assert match, ended.stderr
    assert int(match["need"]) >= 3 * 1024 << 40
    total = re.search(r"MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text())
    assert total and 0 < int(match["may"]) <= int(total[1]) * 1024 / 2  # both ranks are here
    assert listing(tmp_path) == {}
