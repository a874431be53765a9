# SPDX-License-Identifier: BSD-3-Clause
"""jobs/extras/msccl/: schedules of MSCCL as files that allgather_schedule reads."""

import subprocess
import sys
from pathlib import Path

import pytest

from program.support.folders import ROOT
from program.support.launch import Build

pytestmark = pytest.mark.slow

PROGRAM = ROOT / "jobs" / "extras" / "msccl" / "msccl_to_schedule.py"
OP = '<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="o" dstoff="{}" cnt="1" {}/>'
NO_DEPENDENCE = 'depid="-1" deps="-1" hasdep="0"'


def step(number: int, kind: str, block: int, source: str = "o", waits: str = NO_DEPENDENCE) -> str:
    return OP.format(number, kind, source, 0 if source == "i" else block, block, waits)


def algorithm(ranks: int, of_rank: list[str], coll: str = "allgather") -> str:
    gpus = "".join(
        f'<gpu id="{rank}" i_chunks="1" o_chunks="{ranks}" s_chunks="0">{blocks}</gpu>'
        for rank, blocks in enumerate(of_rank)
    )
    return f'<algo name="x" ngpus="{ranks}" coll="{coll}" inplace="1">{gpus}</algo>'


def ring(ranks: int) -> str:
    of_rank = []
    for rank in range(ranks):
        kinds = ["s", *["rcs"] * (ranks - 2), "r"]
        steps = "".join(
            step(number, kind, (rank - number) % ranks, "o" if number else "i")
            for number, kind in enumerate(kinds)
        )
        peers = f'send="{(rank + 1) % ranks}" recv="{(rank - 1) % ranks}"'
        of_rank.append(f'<tb id="0" {peers} chan="0">{step(9, "cpy", rank, "i")}{steps}</tb>')
    return algorithm(ranks, of_rank)


def two_blocks(waits: str) -> str:
    """Two ranks: a thread block sends to the other one, one receives, and waits."""
    return algorithm(2, [
        f'<tb id="0" send="{1 - rank}" recv="-1" chan="0">{step(0, "s", rank, "i")}</tb>'
        f'<tb id="1" send="-1" recv="{1 - rank}" chan="0">{step(0, "r", 1 - rank, "o", waits)}</tb>'
        for rank in range(2)
    ])  # fmt: skip


def convert(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    (folder / "given.xml").write_text(text)
    return subprocess.run(
        [sys.executable, PROGRAM, "given.xml"],
        cwd=folder, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def test_a_ring_of_msccl_is_the_ring(build: Build, tmp_path: Path) -> None:
    done = convert(tmp_path, ring(4))
    assert (done.returncode, done.stderr) == (0, "")
    (tmp_path / "ring.json").write_text(done.stdout)

    def shown(name: str) -> list[str]:
        ended = build.schedule("show", "--algorithm", name, "--ranks", "4", cwd=tmp_path)
        return ended.stdout.splitlines()[1:]

    assert shown("file:ring.json") == shown("ring")


def test_thread_blocks_of_msccl_run_beside_each_other(build: Build, tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(convert(tmp_path, two_blocks('depid="0" deps="0"')).stdout)
    ended = build.schedule("show", "--algorithm", "file:two.json", "--ranks", "2", cwd=tmp_path)
    assert ended.stdout == "file:two, 2 ranks\nstep 0\n  0 -> 1: 0\n  1 -> 0: 1\n"


def test_chunks_of_msccl_are_segments(build: Build, tmp_path: Path) -> None:
    """Two ranks with two chunks each, of which they send the second one first."""
    of_rank = []
    for rank in range(2):
        own, others = [2 * rank + 1, 2 * rank], [3 - 2 * rank, 2 - 2 * rank]
        sends = [OP.format(n, "s", "o", chunk, chunk, NO_DEPENDENCE) for n, chunk in enumerate(own)]
        gets = [OP.format(n, "r", "o", chunk, chunk, NO_DEPENDENCE)
                for n, chunk in enumerate(others)]  # fmt: skip
        of_rank.append(f'<tb id="0" send="{1 - rank}" recv="-1">{"".join(sends)}</tb>'
                       f'<tb id="1" send="-1" recv="{1 - rank}">{"".join(gets)}</tb>')  # fmt: skip
    text = algorithm(2, of_rank).replace('i_chunks="1"', 'i_chunks="2"')
    (tmp_path / "two.json").write_text(convert(tmp_path, text).stdout)
    ended = build.schedule("show", "--algorithm", "file:two.json", "--ranks", "2", cwd=tmp_path)
    assert ended.stdout == "file:two, 2 ranks\nstep 0\n  0 -> 1: 1 0\n  1 -> 0: 3 2\n"


RING = ring(4)
COPY = 'type="cpy" srcbuf="i" srcoff='
WRONG = {
    "no all-gather": (
        ("allgather", "allreduce"),
        "coll: 'allreduce' is not legal; legal: allgather",
    ),
    "reduction": (('type="rcs"', 'type="rrcs"'), "gpu 0, tb 0, step 2: 'rrcs' is a reduction"),
    "scratch": (('srcbuf="o"', 'srcbuf="s"'), "uses a scratch buffer; legal: i (input)"),
    "other type": (('type="r"', 'type="x"'), "the type 'x' is not legal; legal: s, r, rcs, nop"),
    "many chunks": (('cnt="1"', 'cnt="9"'), "there are no chunks"),
    "copy": ((f'{COPY}"0"', f'{COPY}"1"'), "gpu 0, tb 0, step 0: the type 'cpy' is not legal"),
    "sent too much": (('type="r"', 'type="nop"'), "step 3: nobody receives chunk 2"),
    "sent too little": (('type="s"', 'type="nop"'), "step 2: nobody sends chunk 3 from 3"),
    "fewer ranks": (('ngpus="4"', 'ngpus="5"'), "there are 4 <gpu>; legal: as many"),
    "no number": (('dstoff="0"', 'dstoff="x"'), "dstoff: 'x' is no whole number"),
    "no count": ((' cnt="1"', ""), "has no cnt="),
    "no other block": (('depid="-1"', 'depid="7"'), "waits for step -1 of tb 7, which is none"),
    "no XML": (("</algo>", ""), "not XML: "),
    "other XML": (("algo", "other"), "is <other>; legal: MSCCL's <algo>"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_schedule_is(tmp_path: Path, name: str) -> None:
    (old, new), part = WRONG[name]
    done = convert(tmp_path, RING.replace(old, new))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("msccl_to_schedule: given.xml: ") and done.stderr.count("\n") == 1
    assert part in done.stderr
