# SPDX-License-Identifier: BSD-3-Clause
"""agreport trace: what the table, the exported times and the figure say, by hand."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text

from agformats.errors import BadInput
from agformats.notes import note
from agreport.main import main
from agreport.trace import calls as trace_calls
from agreport.trace import figure
from agreport.trace.blocks import parse_layout
from agreport.trace.figure import autocorrelation, order_autocorrelation
from agreport.trace.imbalance import MessageTimes, imbalances, summarise_sites
from agreport.trace.ranks import AFTER_WRITE, read

from ..support.commands import Capture
from ..support.fake_trace import HEADER, LAYOUT, Call, FakeTrace
from ..support.sheets import check_files


def table(folder: Path, *options: str) -> pd.DataFrame:
    path = folder.parent / "table.csv"
    assert main(["trace", str(folder), "--csv", str(path), *options]) == 0
    return pd.read_csv(path)


def test_imbalance_of_a_call(tmp_path: Path) -> None:
    """Faraj 2006, figure 4.11: distances from the average, and last minus first."""
    folder = FakeTrace([Call([10, 0, 4, 2]), Call([50, 50, 50, 58])]).write(tmp_path / "t")
    (row,) = table(folder).itertuples()
    assert (row.operation, row.where) == ("MPI_Allgather", "solve+0x5")
    assert (row.ranks, row.calls) == (4, 2)
    # Averages 4 and 52: distances 6 4 0 2 and 2 2 2 6.
    assert row.average_us == pytest.approx((3 + 3) / 2)
    assert row.worst_us == pytest.approx((10 + 8) / 2)
    assert row.largest_us == pytest.approx(10)
    # A message of 1 byte takes 1 us.
    assert row.average_factor == pytest.approx(3)
    assert row.worst_factor == pytest.approx(9)
    assert row.balanced_percent == 0


def test_time_of_call_sites(tmp_path: Path, capsys: Capture) -> None:
    """The numbers are made by hand: every rank leaves 5 us after the last one came. The last one's
    time is the algorithm's, that of the others before it came is not."""
    calls = [
        Call([0, 0, 0, 4], exit=9),
        Call([20, 20, 20, 20], site=1, exit=25),
        Call([40, 40, 40, 80], site=1, exit=85),
    ]
    folder = FakeTrace(calls).write(tmp_path / "t")
    rows = table(folder)
    span = 80 + 5
    assert rows["where"].tolist() == ["app+0x20", "solve+0x5"]  # the longer one first
    times = [((4 * 5) + (3 * 45 + 5)) / 4, (3 * 9 + 5) / 4]
    assert rows["time_percent"].tolist() == pytest.approx([100 * time / span for time in times])
    after_last = [2 * 5, 5]
    assert rows["after_last_percent"].tolist() == pytest.approx(
        [100 * t / span for t in after_last]
    )
    in_calls, gain = 100 * sum(times) / span, 100 * sum(after_last) / span
    assert main(["trace", str(folder)]) == 0
    told = f"8.5e-05 s, of which {in_calls:.1f} % in these calls, {gain:.1f} % after the last rank"
    assert told in capsys.readouterr().out


def test_message_times(tmp_path: Path) -> None:
    calls = [
        Call([0, 0, 0, 3], bytes=501),  # half way from 1 to 2 us
        Call([100, 100, 100, 106], bytes=2001),  # on along the line
        Call([200, 200, 200, 201], bytes=7, total=4004, operation=1),  # v: the mean block
        Call([300, 300, 300, 300], operation=2, bytes=0, total=0),
    ]
    folder = FakeTrace(calls).write(tmp_path / "t")
    rows = table(folder)
    assert rows["message_us"].tolist() == pytest.approx([(1.5 + 3) / 2, 2, 1])
    assert rows["worst_factor"].tolist() == pytest.approx([(2 + 2) / 2, 0.5, 0])
    assert rows["balanced_percent"].tolist() == [0, 100, 100]
    assert table(folder, "--message-time", "500ns")["worst_factor"].tolist() == pytest.approx(
        [(6 + 12) / 2, 2, 0]
    )


def test_without_message_times_there_are_no_factors(tmp_path: Path, capsys: Capture) -> None:
    folder = FakeTrace([Call([0, 1, 2, 3])], messages=()).write(tmp_path / "t")
    rows = table(folder)
    assert rows["worst_factor"].isna().all() and rows["balanced_percent"].isna().all()
    assert "give --message-time" in capsys.readouterr().out
    assert {"imbalance (µs)", "worst case imbalance (µs)"} <= {*texts(folder)}


@pytest.mark.parametrize("block", [1, 2, 1000])
def test_clocks(tmp_path: Path, block: int) -> None:
    """Ranks' own clocks are days apart and drift by 100 ppm; the trace's lines undo it."""
    calls = [Call([i * 1e6, i * 1e6 + 3, i * 1e6 + 1, i * 1e6 + 2]) for i in range(5)]
    folder = FakeTrace(calls, offset_ns=10**14, drift=1e-4, block=block).write(tmp_path / "t")
    (group,) = trace_calls.load(folder).groups
    assert np.abs(group.delays_ns() - [0, 3000, 1000, 2000]).max() <= 2


def test_call_sites(tmp_path: Path) -> None:
    """Numbered by first calls; the same place with other ranks is another one."""
    calls = [
        Call([9, 9, 9, 9], site=2),
        Call([10, 20, 20, 20], site=1),
        Call([30, 37], communicator=1),
        Call([40, 42], communicator=2),
        Call([50, 50, 50, 54]),
    ]
    members = {1: [3, 1], 2: [0, 2]}
    rows = table(FakeTrace(calls, members=members).write(tmp_path / "t"))
    assert rows["where"].tolist() == ["b.so+0x30", "app+0x20", "solve+0x5", "solve+0x5"]
    assert rows["ranks"].tolist() == [4, 4, 2, 4]
    assert rows["communicators"].tolist() == [1, 1, 2, 1]
    assert rows["worst_us"].tolist() == pytest.approx([0, 10, 4.5, 4])


def test_a_tab_in_the_path_of_a_program(tmp_path: Path) -> None:
    folder = FakeTrace([Call([0, 0, 0, 1], site=1)], version=1).write(tmp_path / "t")
    for path in folder.iterdir():
        broken(folder, path.name, b"#@site=1\t0x20\t\t/bin/app", b"#@site=1\t0x20\t\t/b\tin/a\tpp")
    assert table(folder)["where"].tolist() == [r"a\tpp+0x20"]  # escaped, as texts in tables are


def test_selection(tmp_path: Path, capsys: Capture) -> None:
    calls = [Call([0, 0, 0, i], bytes=i) for i in range(8)]
    calls.append(Call([0, 0, 0, 90], operation=2, site=1))
    calls.append(Call([0, 0, 0, 99], flags=AFTER_WRITE))
    folder = FakeTrace(calls).write(tmp_path / "t")
    assert table(folder)["largest_us"].tolist() == [7, 90]
    assert "left out: 1 call right after a rank had to write" in capsys.readouterr().out
    assert table(folder, "--site", "1")["largest_us"].tolist() == [90]
    assert table(folder, "--size", "3")["largest_us"].tolist() == [3]
    assert table(folder, "--size", "2:4")["calls"].tolist() == [3]
    assert table(folder, "--size", "7:10000000000")["largest_us"].tolist() == [7]
    assert table(folder, "--operation", "MPI_Barrier")["largest_us"].tolist() == [90]


def test_export(tmp_path: Path) -> None:
    calls = [Call([5, 7.25, 9, 6]), Call([2000, 1000, 1999, 1000.001], bytes=8)]
    calls.append(Call([3000] * 4, operation=2, site=1))
    folder = FakeTrace(calls).write(tmp_path / "t")
    output = tmp_path / "a.txt"
    assert main(["trace", str(folder), "--export", str(output)]) == 0
    head = [line for line in output.read_text().splitlines() if line.startswith("#")]
    assert "# program: app -x" in head
    assert "# call site 0: MPI_Allgather from solve+0x5" in head
    assert np.loadtxt(output).tolist() == [[0, 2.25, 4, 1], [1000, 0, 999, 0.001]]
    assert main(["trace", str(folder), "--export", str(output), "--size", "8"]) == 0
    assert np.loadtxt(output).tolist() == [1000, 0, 999, 0.001]
    assert main(["trace", str(folder), "--export", str(output), "--site", "1"]) == 0
    assert np.loadtxt(output).tolist() == [0, 0, 0, 0]


def test_a_row_a_call(tmp_path: Path) -> None:
    folder = FakeTrace([Call([0, 1, 2, 3]), Call([9, 9, 9, 9])]).write(tmp_path / "t")
    output = tmp_path / "calls.csv"
    assert main(["trace", str(folder), "--calls", str(output)]) == 0
    assert pd.read_csv(output)["worst_us"].tolist() == [3, 0]


@pytest.mark.parametrize("end", ["exit", "abort", ""])
def test_a_cut_trace(tmp_path: Path, capsys: Capture, end: str) -> None:
    """The calls that all ranks have on record count; a file may end anywhere."""
    calls = [Call([0, 0, 0, i]) for i in range(5)]
    folder = FakeTrace(calls, end=end, version=1).write(tmp_path / "t")
    if not end:
        path = folder / "rank_2.agtrace"
        path.write_bytes(path.read_bytes()[:-60])
    rows = table(folder)
    assert rows["calls"].tolist() == [5 if end else 3]
    warned = capsys.readouterr().err
    assert ("did not reach MPI_Finalize" in warned) == bool(end)
    why = (
        "the file was cut off (the program was killed, or its disk was full), and calls after that"
    )
    assert (why in warned) != bool(end)


def test_autocorrelation() -> None:
    up_and_down = np.array([1.0, 2.0] * 50)
    found = autocorrelation(up_and_down)
    assert found[0] == pytest.approx(1)
    assert found[1] < -0.9 and found[2] > 0.9
    # Size does not count: one value far out changes nothing much.
    up_and_down[50] = 1e9
    assert autocorrelation(up_and_down)[2] > 0.8
    assert autocorrelation(np.zeros(20)).tolist() == [1] * 16
    noise = autocorrelation(np.random.default_rng(1).random(10_000))
    assert np.abs(noise[1:]).max() < 0.05


def test_autocorrelation_of_the_order() -> None:
    straight, reverse = [0, 1, 2, 3], [30, 20, 10, 0]
    same = order_autocorrelation(np.array([straight, [0, 5, 6, 7]] * 10))
    assert same == pytest.approx(np.ones(16))
    turns = order_autocorrelation(np.array([straight, reverse] * 10))
    assert turns[:3].tolist() == pytest.approx([1, -1, 1])
    assert order_autocorrelation(np.zeros((20, 3), int))[1] == 0


@pytest.mark.slow
def test_figures_of_each_kind(tmp_path: Path) -> None:
    calls = [Call([0, 0, 0, i % 7], site=i % 2, bytes=i * 100) for i in range(60)]
    check_files(tmp_path, "trace", FakeTrace(calls).write(tmp_path / "t"))


def texts(folder: Path) -> list[str]:
    trace = trace_calls.load(folder)
    times = MessageTimes(None, trace.messages)
    rows = imbalances(trace, times)
    sheet = figure.draw(trace, rows, summarise_sites(trace, rows), times)
    found = [artist for artist in sheet.figure.findobj(Text) if isinstance(artist, Text)]
    return [" ".join(text.get_text().split()) for text in found if text.get_visible()]


@pytest.mark.slow
def test_what_the_figure_says(tmp_path: Path) -> None:
    calls = [Call([0, 0, 0, i % 7], site=i % 8 % 3, bytes=100) for i in range(6000)]
    calls += [Call([0, 0, 0, 1], operation=2, site=site, bytes=0) for site in (0, 1, 2)]
    calls += [Call([0, 1], communicator=1, site=site) for site in (0, 1, 2)]
    said = texts(FakeTrace(calls, members={1: [0, 1]}).write(tmp_path / "t"))
    assert "When ranks arrive: app -x, 4 ranks" in said
    assert "all 9 call sites, 6006 calls" in said
    assert "0: MPI_Allgather from solve+0x5, 4 ranks, 2250 calls, 100 B" in said
    assert {"invocation", "imbalance factor", "worst case imbalance factor", "calls (%)"} <= {*said}
    assert {"autocorrelation", "lag (invocations)", "order of arrival"} <= {*said}
    assert "larger messages" in said and "<1" in said and "≥32" in said
    (caption,) = [text for text in said if text.startswith("Left:")]
    assert "3 more are in the table" in caption
    assert "a point is the largest of some neighbours" in caption
    assert "clocks agree within 0.25 µs" in caption
    assert "fewer than 10 calls" in said


def test_the_flag_is_that_of_the_library() -> None:
    (value,) = re.findall(r"after_write = (\d+);", HEADER.read_text())
    assert int(value) == AFTER_WRITE


def test_the_file_says_where_the_fields_of_a_record_are(tmp_path: Path) -> None:
    """They are in another order, with other widths and a field that nobody here knows."""
    original = parse_layout(LAYOUT)
    other = "flags:u1 operation:u4 more:i4 " + " ".join(
        f"{name}:i8" for name in original.names or () if name not in ("flags", "operation")
    )
    calls = [Call([3, 0, 0, 0], bytes=5), Call([9, 9, 9, 9])]
    trace = FakeTrace(calls, ranks=1, version=1)
    plain, path = trace.records(0), tmp_path / "rank_0.agtrace"
    records = np.zeros(len(plain), parse_layout(other))
    for name in original.names or ():
        records[name] = plain[name]
    head, _, body = trace.file(0).replace(LAYOUT.encode(), other.encode()).partition(b"block=2\n")
    path.write_bytes(head + b"block=2\n" + records.tobytes() + body[plain.nbytes :])
    found = read(path).records
    assert all(found[name].tolist() == plain[name].tolist() for name in original.names or ())


def test_what_no_checksum_proves_is_left_out(tmp_path: Path, capsys: Capture) -> None:
    """A file that a kill cut off within a block still has the blocks before it."""
    calls = [Call([0, 0, 0, i]) for i in range(5)]
    folder = FakeTrace(calls, end="", block=1).write(tmp_path / "t")
    path = folder / "rank_2.agtrace"
    path.write_bytes(path.read_bytes()[:-60])
    assert table(folder)["calls"].tolist() == [4]
    assert "left out: 1 call that not all ranks have on record" in capsys.readouterr().err


@pytest.mark.parametrize("version", [2, 3])
def test_an_altered_trace_is_refused_with_its_records(tmp_path: Path, version: int) -> None:
    trace = FakeTrace([Call([i, 0, 0, 0]) for i in range(6)], block=2, version=version)
    whole = trace.file(1)
    path = tmp_path / "rank_1.agtrace"
    lines = [*re.finditer(rb"#@block=2[ \d]*\n", whole)]
    places = [line.start() for line in lines]
    third = lines[1].end()  # the first of two records
    path.write_bytes(whole[: third + 3] + bytes([whole[third + 3] ^ 4]) + whole[third + 4 :])
    with pytest.raises(BadInput) as refused:
        read(path)
    said = str(refused.value)
    assert said.startswith(f"{path}: was altered: line ") and "records 3 to 4; legal: " in said
    # A block that is gone is missed where the next checksum stands.
    path.write_bytes(whole[: places[1]] + whole[places[2] :])
    with pytest.raises(BadInput, match=r"was altered: .* records 3 to 4"):
        read(path)
    # A trace without its own checksum is refused, too.
    path.write_bytes(re.sub(rb"(#@block_end=2) crc32:\w{8}", rb"\1", whole, count=1))
    with pytest.raises(BadInput, match="was altered: block_end='2' has no checksum"):
        read(path)
    path.write_bytes(whole)
    assert read(path).checked and len(read(path).records) == 6


def test_a_trace_without_checksums_is_said_to_be_unchecked(tmp_path: Path, capsys: Capture) -> None:
    note.cache_clear()
    calls = [Call([0, 1, 2, 3])]
    table(FakeTrace(calls).write(tmp_path / "new"))
    assert "checksums" not in capsys.readouterr().err
    rows = table(FakeTrace(calls, version=1).write(tmp_path / "old"))
    assert rows["calls"].tolist() == [1]
    assert "files have no checksums" in capsys.readouterr().err


def broken(folder: Path, name: str, old: bytes, new: bytes) -> None:
    path = folder / name
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, 1))


@pytest.mark.slow
def test_bad_traces(tmp_path: Path, capsys: Capture) -> None:
    """One line, with file, line and reason; exit code 2."""

    def refusal(folder: Path, *options: str) -> str:
        assert main(["trace", str(folder), *options]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        return line.removeprefix("agreport: error: ").replace(f"{tmp_path}/", "")

    def fresh(name: str, *calls: Call) -> Path:
        """Whose checksums are not what refuses it."""
        made = list(calls) or [Call([0, 1, 2, 3]), Call([9, 9, 9, 9])]
        return FakeTrace(made, version=1).write(tmp_path / name)

    assert refusal(tmp_path / "none") == "none: no such directory"
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty") == "empty: no rank_*.agtrace in it"
    folder = fresh("lost")
    (folder / "rank_1.agtrace").unlink()
    (folder / "rank_3.agtrace").unlink()
    assert refusal(folder) == "lost: 4 ranks were traced; no file of rank 1, 3"
    folder = fresh("renamed")
    (folder / "rank_3.agtrace").rename(folder / "rank_4.agtrace")
    assert refusal(folder) == "renamed/rank_4.agtrace: holds rank 3"
    folder = fresh("other")
    broken(folder, "rank_2.agtrace", b"#@ranks=4", b"#@ranks=8")
    assert refusal(folder) == "other/rank_2.agtrace: not of the same run as other/rank_0.agtrace"
    for name, old, new, said in [
        (
            "start",
            b"#@agtrace=1",
            b"hello",
            "line 1: not a rank's trace; it does not start with #@",
        ),
        ("equals", b"#@ranks=4", b"#@ranks", "line 3: ranks='' cannot be read"),
        ("number", b"#@ranks=4", b"#@ranks=x", "line 3: ranks='x' cannot be read"),
        ("site", b"#@site=0\t", b"#@site=0 ", None),
        ("block", b"#@block=2", b"#@block=-", "line 14: block='-' cannot be read"),
        ("short", b"#@block=2", b"#@block=1", "line 15: not a rank's trace; it does not start"),
        ("layout", b"exit_ns:i8", b"exit_ns:f8", None),
        ("field", b" site:u4", b"", None),
        ("early", b"#@record=", b"#@ignored=", "line 14: block='2' cannot be read"),
        ("needed", b"#@operations", b"#@ignored", "not a rank's trace; it has no operations"),
        ("version", b"#@agtrace=1", b"#@agtrace=4", "line 1: agtrace='4' cannot be read"),
        ("clock", b"#@clock_point=0 ", b"#@clock_point=1000000000000 ", "the last two clock_point"),
        ("far", b"#@clock_point=0 ", b"#@clock_point=99999999999999999999 ", "line 8: "),
    ]:
        folder = fresh(name)
        broken(folder, "rank_1.agtrace", old, new)
        line = refusal(folder)
        assert line.startswith(f"{name}/rank_1.agtrace: {said or 'line '}"), line
    folder = fresh("unequal", Call([0] * 4), Call([5] * 4))
    other = FakeTrace([Call([0] * 4), Call([5] * 4, operation=2)], version=1)
    (folder / "rank_2.agtrace").write_bytes(other.file(2))
    assert refusal(folder) == (
        "unequal/rank_2.agtrace: call 1 on communicator 0 is MPI_Barrier, which in "
        "unequal/rank_0.agtrace is MPI_Allgather"
    )
    (folder / "rank_2.agtrace").write_bytes(FakeTrace([Call([0] * 4)], version=1).file(2))
    assert refusal(folder) == (
        "unequal/rank_2.agtrace: 1 calls on communicator 0; another rank has 2, and 4 of 4 ranks "
        "have it on record"
    )
    pair = FakeTrace([Call([0, 0], communicator=1)], members={1: [0, 1]}, version=1)
    folder = pair.write(tmp_path / "few")
    broken(folder, "rank_0.agtrace", b"#@communicator=1 78 0 2", b"#@communicator=1 79 0 2")
    assert refusal(folder) == (
        "few/rank_0.agtrace: 1 calls on communicator 1; another rank has 1, and 1 of 2 ranks have "
        "it on record"
    )
    for name, call in [
        ("an unknown operation", Call([0] * 4, operation=9)),
        ("an unknown site", Call([0] * 4, site=9)),
        ("negative bytes", Call([0] * 4, bytes=-1)),
    ]:
        folder = fresh(name.replace(" ", "_"), Call([0] * 4), call)
        assert refusal(folder) == f"{folder.name}/rank_0.agtrace: record 2: {name}"
    folder = FakeTrace([Call([0, 1, 2, 3]), Call([9, 9, 9, 9])]).write(tmp_path / "good")
    assert refusal(folder, "--site", "7") == "--site: '7' is no call site here; legal: 0 to 0"
    assert refusal(folder, "--size", "9") == f"{folder.name}: no calls left after --size 9:9"
    assert "legal: MPI_Allgather" in refusal(folder, "--operation", "MPI_Algather")
    alone = FakeTrace([Call([0])], ranks=1).write(tmp_path / "alone")
    assert refusal(alone) == "alone: no collective calls of more than one rank"
    barriers = FakeTrace([Call([0] * 4, operation=2)]).write(tmp_path / "barriers")
    export = ("--export", str(tmp_path / "x"), "--csv", str(tmp_path / "x.csv"))
    none = "--export: no all-gather among the chosen calls; choose a call site with --site"
    assert refusal(barriers, *export) == none
    mixed = FakeTrace([Call([0] * 4), Call([0] * 4, operation=2)]).write(tmp_path / "mixed")
    assert refusal(mixed, *export, "--operation", "MPI_Barrier") == none
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--message-time", "5"),
        ("--message-time", "0us"),
        ("--size", "9:1"),
        ("--size", "1:9:2"),
        ("--size", "1..9"),
        ("--size", "1,9"),
        ("--size", "1:"),
        ("--size", f"1{'0' * 18}"),
        ("--site", "one"),
        ("--site", "-1"),
    ],
)
def test_bad_values(capsys: Capture, option: str, value: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["trace", "somewhere", option, value])
    assert ended.value.code == 2
    assert f"'{value}' is no" in capsys.readouterr().err
