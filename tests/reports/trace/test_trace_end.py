# SPDX-License-Identifier: BSD-3-Clause
"""What stands behind the end of a trace has no checksum, so it is of somebody else."""

from pathlib import Path

import pytest

from agreport.main import main

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
