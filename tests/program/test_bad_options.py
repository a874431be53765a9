# SPDX-License-Identifier: BSD-3-Clause
"""Bad options: one line from rank 0 that says what is wrong, exit code 2, nothing touched."""

import re
from concurrent.futures import Future
from functools import partial
from pathlib import Path

import pytest

from .support.algorithms import NAMES, SETS
from .support.launch import Build, Ended
from .support.refusals import GATHER, GATHERV, Launched, all_at_once, listing, refused

pytestmark = pytest.mark.slow

TOO_LONG = "a" * 300
LEGAL = ", ".join([*SETS, *NAMES])
DISTRIBUTIONS = "all, regular, broadcast, spike, half_full, linear, geometric, file:PATH"


# Program, arguments, what the message has to hold.
Refusal = tuple[str, str, list[str]]
REFUSALS: list[Refusal] = [
    # Sizes: 0, negative, reversed, no numbers, twice, overflow.
    (GATHER, "--sizes 0", ["--sizes", "'0'", "is 0"]),
    (GATHER, "--sizes 1K,0", ["--sizes", "'0'", "is 0"]),
    (GATHER, "--sizes -1", ["--sizes", "'-1'", "negative"]),
    (GATHER, "--sizes abc", ["--sizes", "'abc'", "is not a size"]),
    (GATHER, "--sizes 1.5", ["--sizes", "'1.5'", "is not a size"]),
    (GATHER, "--sizes 1K,", ["--sizes", "''", "is not a size"]),
    (GATHER, "--sizes 1K,1K", ["--sizes", "'1K'", "twice"]),
    (GATHER, "--sizes 1K,1024", ["--sizes", "'1024'", "twice"]),
    (GATHER, "--sizes 99999999999999999999", ["--sizes", "'99999999999999999999'", "2^63"]),
    (GATHER, "--sizes 16E", ["--sizes", "'16E'", "is not a size"]),
    (GATHER, "--sizes 9999999T", ["--sizes", "'9999999T'", "2^63"]),
    (GATHERV, "--sizes 1048576T", ["1152921504606846976", "2^62"]),
    (GATHER, "-m 4:2", ["--message-size", "'4:2'", "reversed"]),
    (GATHER, "-m 0:2", ["--message-size", "'0'", "is 0"]),
    (GATHER, "-m 1:2:3", ["--message-size", "'1:2:3'", "[MIN:]MAX"]),
    (GATHER, "-m 2M:", ["--message-size", "'2M:'", "reversed"]),
    (GATHER, "-m 1:x", ["--message-size", "'x'", "is not a size"]),
    (GATHER, "-m 8 --sizes 8", ["--message-size", "--sizes"]),
    # Numbers.
    (GATHER, "-i 0", ["--iterations", "'0'", "1"]),
    (GATHER, "-i -5", ["--iterations", "'-5'", "1"]),
    (GATHER, "-i 1e3", ["--iterations", "'1e3'", "whole number"]),
    (GATHER, "-i 99999999999999999999", ["--iterations", "'99999999999999999999'"]),
    (GATHER, "-x -1", ["--warmup", "'-1'", "0"]),
    (GATHER, "-z 0", ["--tail-lat", "'0'", "0 and 100"]),
    (GATHER, "-z 50,100", ["--tail-lat", "'100'", "0 and 100"]),
    (GATHER, "-z 50,x", ["--tail-lat", "'x'", "number"]),
    (GATHER, "-z -inf", ["--tail-lat", "'-inf'", "number"]),
    (GATHER, "-z 10,20,30,40,50,60", ["--tail-lat", "'10,20,30,40,50,60'", "5"]),
    (GATHER, "--precision 0", ["--precision", "'0'"]),
    (GATHER, "--precision 150%", ["--precision", "'150%'", "100%"]),
    (GATHER, "--precision nan", ["--precision", "'nan'", "number"]),
    (GATHER, "--max-time 0", ["--max-time", "'0'"]),
    (GATHER, "--max-time -1s", ["--max-time", "'-1s'", "negative"]),
    (GATHER, "--max-time 3parsec", ["--max-time", "'3parsec'", "ms, s, m, h"]),
    (GATHER, "--timeout 0s", ["--timeout", "'0s'"]),
    (GATHER, "--seed -1", ["--seed", "'-1'"]),
    (GATHER, "--mem-limit 0", ["--mem-limit", "'0'"]),
    (GATHER, "--ranks-per-node 0", ["--ranks-per-node", "'0'", "between 1 and"]),
    (GATHER, "--ranks-per-node -2", ["--ranks-per-node", "'-2'", "between 1 and"]),
    (GATHERV, "--ranks-per-node two", ["--ranks-per-node", "'two'", "whole number"]),
    # Names: the legal ones, and the nearest.
    (GATHER, "--algorithms ringg", ["--algorithms", "'ringg'", "mean 'ring'", LEGAL]),
    (GATHERV, "--algorithms sparbut", ["'sparbut'", "mean 'sparbit'", LEGAL]),
    (GATHER, "--algorithms ring,xyzzyxyzzy", ["--algorithms", "'xyzzyxyzzy'", LEGAL]),
    (GATHER, "--algorithms ,", ["--algorithms", "''", LEGAL]),
    (GATHER, "--algorithms ring:k=2", ["--algorithms", "'ring:k=2'", "ring takes none"]),
    (GATHER, "--algorithms native:", ["--algorithms", "'native:'"]),
    (GATHER, "--algorithms native:nosuch", ["--algorithms", "nosuch'", "legal: "]),
    (GATHERV, "--distributions spkie", ["'spkie'", "mean 'spike'", DISTRIBUTIONS]),
    (GATHERV, "--distributions regular,", ["--distributions", "''", DISTRIBUTIONS]),
    (GATHER, "--order interleave", ["--order", "mean 'interleaved'", "legal: interleaved, "]),
    (GATHER, "--size-order shufled", ["--size-order", "mean 'shuffled'", "legal: given, "]),
    (GATHER, "--mapping cylic", ["--mapping", "mean 'cyclic'", "sequential, cyclic"]),
    (
        GATHER,
        "--noncontiguous pack",
        ["--noncontiguous", "'pack'", "mean 'packed'", "pipelined, packed, datatype"],
    ),
    (GATHER, "--buffers frsh", ["--buffers", "mean 'fresh'", "same, fresh, rotate:BYTES, cold"]),
    (GATHER, "--buffers rotate", ["--buffers", "'rotate'", "how many bytes", "rotate:BYTES"]),
    (GATHERV, "--buffers same:1K", ["--buffers", "'same:1K'", "no bytes"]),
    (GATHER, "--buffers cold:-1", ["--buffers", "'-1'", "negative"]),
    (GATHER, "--buffers rotate:8T", ["memory", "TiB) a rank", "allowed"]),
    (GATHER, "--record rank", ["--record", "'rank'", "mean 'ranks'"]),
    (GATHER, "--sizess 1", ["--sizess", "mean '--sizes'", "--sizes, --algorithms"]),
    (GATHER, "--algoritms=ring", ["--algoritms", "mean '--algorithms'"]),
    (GATHER, "--distributions spike", ["distributions", "no option"]),  # is allgatherv's alone
    (GATHER, "-q", ["-q", "no option"]),
    (GATHER, "ring", ["ring", "no option"]),
    # Arrival patterns; test_printed_inputs.py has all their errors.
    (GATHER, "--arrival uniforn:max=1ms", ["--arrival", "mean 'uniform'", "legal: none, "]),
    (GATHER, "--arrival uniform:max=-1ms", ["--arrival", "'-1", "negative"]),
    (GATHER, "--arrival uniform:max=1", ["--arrival", "us, ms, s"]),
    (GATHER, "--arrival delayed:rank=2,delay=1ms", ["--arrival", "a rank beyond", "legal: 0 to 1"]),
    (GATHER, "--arrival trace:nosuch", ["--arrival", "nosuch", "read"]),
    (GATHER, "--compute -1ms", ["--compute", "'-1ms'", "negative"]),
    (GATHER, "--wait slep", ["--wait", "mean 'sleep'", "legal: busy, sleep, work"]),
    (GATHER, "--delay slep", ["--wait", "mean 'sleep'", "legal: busy, sleep, work"]),
    (GATHER, "--algorithms bdr --prediction perfet", ["--prediction", "mean 'perfect'", "edge"]),
    (GATHERV, "--algorithms bdr --prediction noise", ["--prediction", "noise:SIGMA"]),
    (GATHER, "--algorithms bdr --prediction noise:3", ["--prediction", "'3'", "no unit"]),
    (GATHER, "--algorithms ring --prediction sma", ["--prediction", "'sma'", "has no effect"]),
    (
        GATHER,
        "--sync barier",
        ["--sync", "mean 'barrier'", "legal: barrier, double-barrier, dissemination, window"],
    ),
    # Duets; tests/bench has all their errors.
    (GATHER, "--duet A", ["--duet", "'A'", "NAME@HOST:PORT"]),
    (GATHER, "--duet A@/nosuch/folder/s", ["--duet", "'/nosuch/folder/s'", "No such file"]),
    (GATHER, "--duet A@/dev/null", ["--duet", "'/dev/null'", "no socket"]),
    (GATHER, "--duet A@/tmp/s --max-time 1s", ["--duet", "--max-time", "--iterations"]),
    (GATHER, "--note launch", ["--note", "'launch'", "KEY=VALUE"]),
    (GATHER, "--note a=1 --note a=2", ["--note", "'a'", "twice"]),
    # Options that lack something.
    (GATHER, "--sizes", ["--sizes", "missing"]),
    (GATHER, "--topology", ["--topology", "missing"]),
    (GATHER, "--topology ", ["--topology", "''", "no file name"]),
    (GATHER, "--config nosuch.ini", ["--config", "nosuch.ini", "read"]),
    # What ends a line is quoted; a name that no file can have is one that cannot be read.
    (GATHER, "--sizes a\nb", ["--sizes", r"'a\nb'", "is not a size"]),
    (GATHER, "--sizess\r=1", ["--sizess"]),
    (GATHER, "--note a\nb", ["--note", r"'a\nb'"]),
    (GATHER, f"--topology {TOO_LONG}", ["--topology", TOO_LONG, "cannot be read"]),
    (GATHER, f"--arrival trace:{TOO_LONG}", ["--arrival", TOO_LONG, "cannot be read"]),
    (GATHERV, f"--distributions file:{TOO_LONG}", ["--distributions", TOO_LONG, "read"]),
    (GATHERV, "-m 1:9223372036854775807", ["--message-size", "2^62"]),
    # Hours of one case, or more memory than there is.
    (GATHER, "-m 2147483648", ["--message-size", "2147483648"]),
    # An iteration that the watchdog would end.
    (GATHER, "--arrival uniform:max=1e9s", ["--arrival", "'uniform:max=1e9s'", "--timeout"]),
    (
        GATHER,
        "--arrival gamma:shape=1e6,scale=1e9us",
        ["--arrival", "'gamma:shape=1e6,scale=1e9us' takes ", " s in an iteration", "300 s"],
    ),
    (GATHER, "--compute 2147483648", ["--compute", "takes 2.14748e+09 s in an iteration"]),
    (GATHER, "--compute 2s --timeout 1s", ["--compute", "after 1 s", "--timeout"]),
]  # fmt: skip


@pytest.fixture(scope="module")
def launched(build: Build, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Future[Launched]]:
    def launch(bench: str, arguments: str, folder: Path) -> Ended:
        return build.run(bench, "--output", "out.csv", *arguments.split(" "), cwd=folder)

    return all_at_once(
        tmp_path_factory,
        {arguments: partial(launch, bench, arguments) for bench, arguments, _ in REFUSALS},
    )


@pytest.mark.parametrize(("arguments", "parts"), [refusal[1:] for refusal in REFUSALS])
def test_refused(launched: dict[str, Future[Launched]], arguments: str, parts: list[str]) -> None:
    result = launched[arguments].result()
    message = refused(result.ended)
    for part in parts:
        assert part in message
    assert listing(result.folder) == {}


def test_unknown_key_in_an_options_file(build: Build, tmp_path: Path) -> None:
    """A misspelt key is told as a misspelt option is."""
    (tmp_path / "options.ini").write_text("sizes=1\niteratons=5\n")
    message = refused(build.run(GATHER, "--config", "options.ini", cwd=tmp_path))
    assert "options.ini" in message
    assert "iteratons" in message
    assert "did you mean 'iterations'" in message


def test_bad_value_in_an_options_file(build: Build, tmp_path: Path) -> None:
    (tmp_path / "options.ini").write_text("sizes=abc\n")
    assert "'abc' is not a size" in refused(
        build.run(GATHER, "--config", "options.ini", cwd=tmp_path)
    )


def test_resume_and_record_need_a_file(build: Build) -> None:
    assert "--resume: needs --output" in refused(build.run(GATHER, "--resume"))
    assert "--record: needs --output" in refused(build.run(GATHER, "--record", "ranks"))


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


@pytest.mark.parametrize("bench", [GATHER, GATHERV])
def test_more_memory_than_allowed(build: Build, tmp_path: Path, bench: str) -> None:
    ended = build.run(bench, "--sizes", "1K,1M", "--algorithms", "ring", "--mem-limit", "100K",
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
    ended = build.run(GATHER, "--sizes", "1,4096T", "--algorithms", "ring", "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    match = MEMORY.search(refused(ended))
    assert match, ended.stderr
    assert int(match["need"]) >= 3 * 4096 << 40
    total = re.search(r"MemTotal: +(\d+) kB", Path("/proc/meminfo").read_text())
    assert total and 0 < int(match["may"]) <= int(total[1]) * 1024 / 2  # both ranks are here
    assert listing(tmp_path) == {}
