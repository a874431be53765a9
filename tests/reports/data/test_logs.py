# SPDX-License-Identifier: BSD-3-Clause
"""Reports of other programs' logs, beside launches of this suite."""

import json
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

import agreport
from agreport.commands import reports
from agreport.figure.words import launches
from agreport.main import main

from ..support.commands import Capture, Rows, Write
from ..support.loading import load

LOGS = Path(__file__).parents[2] / "formats" / "peers" / "logs"
OSU, IMB = LOGS / "osu-5.8-prompt.txt", LOGS / "imb-2021.11-mpi1.txt"
UNTOLD = LOGS / "osu-7.5.2.txt"  # on how many ranks
TAKEN = {"times", "summary", "scaling", "speedup", "predict", "selection", "heatmap", "loss"}


def summarised(capsys: Capture, *arguments: str) -> pd.DataFrame:
    assert main(["summary", *arguments, "--format", "csv"]) == 0
    return pd.read_csv(StringIO(capsys.readouterr().out))


def log(folder: Path, name: str, *times: float, head: str = "#@ranks=4\n") -> Path:
    path = folder / name
    rows = "".join(f"{1 << place}    {time:.2f}\n" for place, time in enumerate(times))
    title = "# OSU MPI Allgather Latency Test v7.4\n# Size       Avg Latency(us)\n"
    path.write_text(head + title + rows)
    return path


def refused(capsys: Capture, *arguments: str) -> str:
    assert main([*arguments]) == 2
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.startswith("agreport: error: ")
    return told


def test_a_time_without_iterations(capsys: Capture) -> None:
    """The report has nothing that only iterations could tell."""
    table = summarised(capsys, str(OSU))
    assert table["mean_us"].tolist() == [256153.75, 256419.24, 255733.85]
    assert table["iterations"].tolist() == [0, 0, 0]
    assert table[["stddev_us", "p99_us", "min_us", "median_low_us"]].isna().all(axis=None)
    assert set(table["ranks"]) == {64}


def test_what_no_log_says_is_said(capsys: Capture) -> None:
    assert main(["summary", str(OSU)]) == 0
    told = capsys.readouterr().err
    assert "note: 1 log of other programs (OSU 5.8): a time is a mean over iterations" in told
    assert "the MPI library (mpi)" in told and told.count("\n") == 1


def test_programs_are_apart_whatever_is_pooled(
    write: Write, rows: Rows, capsys: Capture, tmp_path: Path
) -> None:
    place = "allgather,{},regular,none,as launched"  # the same case
    ours = write("a.csv", rows("native", [10], place=place))
    osu = log(tmp_path, "osu.txt", 1)
    table = summarised(capsys, str(ours), str(osu), "--pool", "log,machine,mpi")
    assert dict(zip(table["setting"], table["median_us"], strict=False)) == {
        "OSU 7.4": 1,
        "gatherbench": 10,
    }
    assert "--pool: 'program' is not" in refused(
        capsys, "summary", str(ours), str(osu), "--pool", "program"
    )


def test_logs_of_one_program_are_apart_until_they_are_pooled(
    capsys: Capture, tmp_path: Path
) -> None:
    """Nobody knows that both are of one library and machine."""
    files = [str(log(tmp_path, "old.txt", 1)), str(log(tmp_path, "new.txt", 3))]
    assert summarised(capsys, *files)["setting"].tolist() == ["new.txt", "old.txt"]
    table = summarised(capsys, *files, "--pool", "log")
    assert table["median_us"].tolist() == [2]
    assert table["median_low_us"].notna().all()  # of two launches


def test_captions_say_what_logs_are(write: Write, rows: Rows, tmp_path: Path) -> None:
    ours, osu = write("a.csv", rows("native", [10])), log(tmp_path, "osu.txt", 1)
    assert launches(load([str(ours)])) == "1 launch"
    of_log = "1 launch of OSU 7.4, which have means alone"
    assert launches(load([str(osu)])) == of_log
    assert launches(load([str(ours), str(osu)])) == f"1 launch and {of_log}"


def test_what_stands_twice_is_of_two_launches(tmp_path: Path) -> None:
    path = log(tmp_path, "twice.txt", 1, 2)
    path.write_text(path.read_text() + log(tmp_path, "more.txt", 3, 4, head="").read_text())
    found = agreport.load([path])
    assert found[["launch", "bytes", "avg_us"]].to_numpy().tolist() == [
        [0, 1, 1],
        [0, 2, 2],
        [1, 1, 3],
        [1, 2, 4],
    ]


def test_ranks_that_a_log_does_not_say(capsys: Capture, tmp_path: Path) -> None:
    told = refused(capsys, "summary", str(UNTOLD))
    assert "does not say on how many ranks OSU 7.5.2 ran; legal: --ranks NUMBER" in told
    assert set(summarised(capsys, str(UNTOLD), "--ranks", "16")["ranks"]) == {16}
    assert "does not say" in refused(capsys, "summary", str(UNTOLD), "--ranks", "2:16")
    assert "legal: 64" in refused(capsys, "summary", str(OSU), "--ranks", "16")
    assert set(agreport.load([UNTOLD], ranks=8)["ranks"]) == {8}
    bad = log(tmp_path, "bad.txt", 1, head="#@ranks=many\n")
    assert "#@ranks='many' is no number of ranks" in refused(capsys, "summary", str(bad))


def test_what_a_log_says_otherwise_is_not_added(capsys: Capture, tmp_path: Path) -> None:
    """Neither of the two is dropped without a word."""
    command = "$ mpirun -np 4 ./osu_allgather\n"
    for head, legal in (
        ("#@ranks=64\n", "4"),
        ("#@ranks=4\n#@collective=alltoall\n", "allgather"),
    ):
        path = log(tmp_path, "a.txt", 1, head=command + head)
        key, _, value = head.splitlines()[-1].removeprefix("#@").partition("=")
        assert refused(capsys, "summary", str(path)) == (
            f"agreport: error: {path}: '#@{key}={value}' is of no table in it, as they say their "
            f"{key}: {legal}; legal: one of these, or no such line"
        )
    twice = log(tmp_path, "b.txt", 1, head="#@ranks=4\n#@ranks=8\n")
    assert "#@ranks='4; 8' is no number of ranks" in refused(capsys, "summary", str(twice))
    same = log(tmp_path, "c.txt", 1, head=f"{command}#@ranks=4\n#@ranks=4\n")
    assert set(summarised(capsys, str(same))["ranks"]) == {4}


def test_what_a_user_adds_is_metadata(tmp_path: Path) -> None:
    path = log(
        tmp_path, "a.txt", 1, head="#@ranks=4\n#@nodes=2\n#@mpi=Open MPI v3.1.0\n#@note.who=me\n"
    )
    assert agreport.load([path])[["ranks", "nodes"]].to_numpy().tolist() == [[4, 2]]
    table = agreport.launches([path])
    assert table[["mpi", "note.who"]].to_numpy().tolist() == [["Open MPI v3.1.0", "me"]]


def test_a_collective_that_a_log_does_not_say(capsys: Capture, tmp_path: Path) -> None:
    document = json.loads((LOGS / "nccl.json").read_text())
    del document["args"]
    path = tmp_path / "nccl.json"
    path.write_text(json.dumps(document))
    told = refused(capsys, "summary", str(path))
    assert "does not say which collective it is of; legal: --collective allgather or" in told
    assert "legal: --collective" in refused(capsys, "summary", str(path), "--collective", "bcast")
    table = summarised(capsys, str(path), "--collective", "allgather")
    assert set(table["collective"]) == {"allgather"}


def test_a_line_that_is_no_row_is_told(capsys: Capture, tmp_path: Path) -> None:
    path = log(tmp_path, "a.txt", 1, 2)
    path.write_text(path.read_text().replace("2    2.00", "2    2.00 [node7] warning"))
    assert main(["summary", str(path)]) == 3
    told = capsys.readouterr().err
    assert "a.txt: a line of its tables, left out for being no row: line 5: '2    2.00 [no" in told


def test_of_many_such_lines_some_are_told(capsys: Capture, tmp_path: Path) -> None:
    path = log(tmp_path, "a.txt", *range(1, 10))
    path.write_text(path.read_text().replace(".00\n", ".00 oh\n", 8))
    assert main(["summary", str(path)]) == 3
    told = capsys.readouterr().err
    assert "8 lines of its tables" in told and "; and 3 more" in told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# OSU MPI Latency Test v7.4\n# Size  Latency (us)\n1  0.2\n", "OSU MPI Latency Test"),
        ("# Benchmarking Scatter\n#bytes #repetitions t_avg[usec]\n", "Scatter (line 1)"),
        ('{"version":3,"results":[{"out_of_place":', "cannot be read; legal: the whole JSON"),
    ],
)
def test_what_the_suite_has_not(capsys: Capture, tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.txt"
    path.write_text(text)
    assert said in refused(capsys, "summary", str(path), "--ranks", "2")


def test_least_and_largest_times_where_a_log_has_them(capsys: Capture) -> None:
    table = summarised(capsys, str(IMB), "--metric", "max")
    assert table["mean_us"].tolist() == [0.03, 2.11, 2.82, 3.56, 0.03, 0.19, 0.19, 0.19]
    told = refused(capsys, "summary", str(OSU), "--metric", "max")
    assert told.endswith("osu-5.8-prompt.txt has no max_us; legal: avg")


def test_reports_that_need_iterations_say_so(capsys: Capture, tmp_path: Path) -> None:
    told = refused(capsys, "variation", str(OSU), "-o", str(tmp_path / "a.svg"))
    assert "whose log has no iterations, and 'agreport variation' is of these" in told
    assert not (tmp_path / "a.svg").exists()


@pytest.mark.slow
def test_which_reports_take_logs() -> None:
    assert {report.name for report in reports() if report.logs} == TAKEN | {"compare"}


@pytest.mark.slow
def test_figures_have_logs_beside_our_own(
    write: Write, rows: Rows, capsys: Capture, tmp_path: Path
) -> None:
    ours = [*rows("native", [10, 11]), *rows("ring", [5, 6])]
    files = [str(write("a.csv", ours)), str(log(tmp_path, "osu.txt", 7))]
    out = tmp_path / "out.csv"
    drawn = ["--csv", str(out), "-o", str(tmp_path / "out.svg")]
    assert main(["scaling", *files, *drawn]) == 0
    table = pd.read_csv(out)
    assert table.loc[table["setting"] == "OSU 7.4", "value"].dropna().tolist() == [7]
    assert main(["loss", *files, *drawn]) == 0
    table = pd.read_csv(out).set_index("setting")
    assert table.loc["gatherbench", "loss"] == pytest.approx(10.5 / 5.5)
    assert pd.isna(table.loc["OSU 7.4", "loss"])
    assert main(["times", *files]) == 0
    assert "OSU 7.4, allgather" in capsys.readouterr().out


def test_logs_of_two_programs_are_not_compared(capsys: Capture) -> None:
    told = refused(capsys, "compare", "--baseline", str(OSU), "--new", str(IMB))
    assert " of IMB 2021.11 and " in told
    assert told.endswith(" of OSU 5.8 are not compared; legal: logs of one program")


@pytest.mark.slow
def test_logs_of_one_program_are_compared(capsys: Capture, tmp_path: Path) -> None:
    sides = {
        side: [str(log(tmp_path, f"{side}{n}.txt", time + n / 100, 9)) for n in range(6)]
        for side, time in (("base", 1.0), ("new", 2.0))
    }
    given = ["compare", "--baseline", *sides["base"], "--new", *sides["new"]]
    assert main(given) == 1
    told = capsys.readouterr().out
    assert "verdict: REGRESSION" in told and "iterations: " not in told


def test_logs_are_kept_as_a_baseline(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = [str(log(tmp_path, f"{n}.txt", 1, head="")) for n in range(2)]
    assert main(["compare", "--save-baseline", "old", "--baseline", *files, "--ranks", "4"]) == 0
    new = str(log(tmp_path, "new.txt", 1))
    assert main(["compare", "--baseline", "old", "--new", new, "--ranks", "4"]) == 2
    told = capsys.readouterr()
    assert "Compared by 2 launches of base, 1 launch of new" in told.out
