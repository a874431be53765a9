# SPDX-License-Identifier: BSD-3-Clause
"""How a trace ends: where the program ended it, or anywhere.

What stands behind its end has no checksum, so it is of somebody else.
"""

from pathlib import Path

import pytest

from agreport.main import main
from agreport.trace import calls

from ..support.commands import Capture
from ..support.fake_trace import Call, FakeTrace


@pytest.mark.parametrize("more", [b"#@x=1\n", b"x", b"#@end=finalize 1\n"])
def test_a_trace_ends_with_its_end(tmp_path: Path, capsys: Capture, more: bytes) -> None:
    folder = FakeTrace([Call([0, 0, 0, 1])]).write(tmp_path / "t")
    path = folder / "rank_2.agtrace"
    number = path.read_bytes().count(b"#@")
    with path.open("ab") as file:
        file.write(more)
    assert main(["trace", str(folder)]) == 2
    assert capsys.readouterr().err.startswith(
        f"agreport: error: {path}: was altered: there is more behind its end in line {number}; "
    )


def test_without_checksums_nobody_knows(tmp_path: Path) -> None:
    folder = FakeTrace([Call([0, 0, 0, 1])], version=1).write(tmp_path / "t")
    with (folder / "rank_2.agtrace").open("ab") as file:
        file.write(b"#@x=1\n")
    assert main(["trace", str(folder)]) == 0


def test_the_clock_error_of_a_program_that_did_not_end(tmp_path: Path) -> None:
    """It is that of the last line, which is written with the last records."""
    folder = FakeTrace([Call([0, 0, 0, 1])], end="", version=1).write(tmp_path / "t")
    with (folder / "rank_2.agtrace").open("ab") as file:
        file.write(b"#@clock_error_ns=7300\n")
    assert calls.load(folder).clock_error_ns == 7300


def test_each_reason_why_files_are_cut_is_told(tmp_path: Path, capsys: Capture) -> None:
    made = [Call([0, 0, 0, 1])]
    folder = FakeTrace(made, end="limit").write(tmp_path / "t")
    for rank in (2, 3):
        (folder / f"rank_{rank}.agtrace").write_bytes(FakeTrace(made, end="").file(rank))
    assert main(["trace", str(folder)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        f"agreport: warning: {folder}/rank_0.agtrace: the trace ends where AGTRACE_LIMIT was "
        f"reached; {folder}/rank_2.agtrace: the file was cut off (the program was killed, or its "
        "disk was full), and calls after that are not known; left out: 0 calls that not all ranks "
        "have on record"
    ]
