# SPDX-License-Identifier: BSD-3-Clause
"""Traces of a sample: a call that was drawn stands for as many as AGTRACE_SAMPLE says."""

from pathlib import Path

import pandas as pd
import pytest

from agreport.main import main
from agreport.trace.ranks import DRAWN

from ..support.commands import Capture
from ..support.fake_trace import HEADER, Call, FakeTrace


def sampled() -> FakeTrace:
    """The first call takes 9 us, each of the others 1 us; the last rank is 3 us and 1 us late."""
    first = Call([0, 0, 0, 3], exit=9, number=0)
    drawn = [
        Call([at, at, at, at + 1], exit=at + 1, drawn=True, number=number)
        for at, number in ((100, 4), (200, 15))
    ]
    return FakeTrace([first, *drawn], sample=10)


def table(folder: Path, *options: str) -> pd.DataFrame:
    path = folder.parent / "table.csv"
    path.unlink(missing_ok=True)
    assert main(["trace", str(folder), *options, "--csv", str(path)]) == 0
    return pd.read_csv(path)


def test_counts_means_and_shares_are_of_all_calls(tmp_path: Path, capsys: Capture) -> None:
    (row,) = table(sampled().write(tmp_path / "t")).itertuples()
    assert row.calls == 1 + 10 + 10
    assert row.worst_us == pytest.approx((3 + 20 * 1) / 21)
    # This is a rank's mean: 3 * 9 + 6 us in the first call, 3 us in each of the others; of 201 us.
    assert row.time_percent == pytest.approx(100 * (33 + 20 * 3) / (4 * 201))
    assert row.largest_us == 3
    said = capsys.readouterr().out
    assert "of 10 calls that are alike one is on record (AGTRACE_SAMPLE)" in said
    assert "estimates, of about 21 calls" in said


def test_programs_side_by_side(tmp_path: Path) -> None:
    sampled().write(tmp_path / "one")
    whole = FakeTrace([Call([0, 0, 0, 1])]).write(tmp_path / "two")
    rows = table(tmp_path / "one", str(whole)).set_index("program")
    assert rows["calls"].to_dict() == {"one": 21, "two": 1}
    assert rows["worst_us"].to_dict() == pytest.approx({"one": 23 / 21, "two": 1})


def test_without_a_sample_no_call_may_be_missing(tmp_path: Path, capsys: Capture) -> None:
    trace = sampled()
    trace.sample = 1
    assert main(["trace", str(trace.write(tmp_path / "t"))]) == 2
    assert "calls are missing on communicator 0" in capsys.readouterr().err


def test_ranks_with_other_calls_are_refused(tmp_path: Path, capsys: Capture) -> None:
    folder = sampled().write(tmp_path / "t")
    other = sampled()
    other.calls[1].number = 5
    (folder / "rank_2.agtrace").write_bytes(other.file(2))
    assert main(["trace", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(
        "rank_2.agtrace: calls on record on communicator 0 are others than in "
        f"{folder / 'rank_0.agtrace'}"
    )


@pytest.mark.parametrize("text", ["0", "-1", "x"])
def test_a_sample_is_a_number(tmp_path: Path, capsys: Capture, text: str) -> None:
    folder = FakeTrace([Call([0])], ranks=1, version=1).write(tmp_path / "t")
    path = folder / "rank_0.agtrace"
    path.write_bytes(
        path.read_bytes().replace(b"#@ranks=1", b"#@ranks=1\n#@sample=%b" % text.encode())
    )
    assert main(["trace", str(folder)]) == 2
    assert f"line 4: sample='{text}' cannot be read" in capsys.readouterr().err


def test_an_export_says_that_it_is_a_sample(tmp_path: Path) -> None:
    folder = sampled().write(tmp_path / "t")
    path = tmp_path / "arrivals.txt"
    table(folder, "--export", str(path))
    lines = path.read_text().splitlines()
    assert "# of 10 calls that are alike one is on record" in lines
    assert len([line for line in lines if not line.startswith("#")]) == 3


def test_the_flag_is_that_of_the_library() -> None:
    assert f"drawn = {DRAWN};" in HEADER.read_text()
