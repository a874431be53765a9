# SPDX-License-Identifier: BSD-3-Clause
"""Tests what is read of the logs that other programs have printed; logs/README.md says where they
are from."""

import json

import pytest

from agformats.errors import Illegal
from agformats.peers.formats import FORMATS, NAMES, read_log

from .support import LOGS, OSU, Row, head, log_of, rows

NATIVE, NON_BLOCKING = "native", "native_nonblocking"


@pytest.mark.parametrize(
    ("name", "heads", "first", "last"),
    [
        (
            "osu-7.4-full.txt",
            [("OSU 7.4", "allgather", NATIVE, 0)],
            (1, 0.19, 0.16, 0.22),
            (4, 0.17, 0.16, 0.17),
        ),
        (
            "osu-7.4-iallgather.txt",  # Pure Comm., not Overall
            [("OSU 7.4", "allgather", NON_BLOCKING, 0)],
            (1, 0.29, 0.29, 0.29),
            (2, 0.47, 0.46, 0.48),
        ),
        (
            "osu-7.5.2.txt",
            [("OSU 7.5.2", "allgather", NATIVE, 0)],
            (1, 10.18, None, None),
            (4, 10.19, None, None),
        ),
        (
            "osu-5.8-prompt.txt",  # the ranks by the command
            [("OSU 5.8", "allgather", NATIVE, 64)],
            (1, 256153.75, None, None),
            (4, 255733.85, None, None),
        ),
        (
            "osu-5.3-mail.txt",
            [("OSU 5.3", "bcast", NATIVE, 0)],
            (1, 33.23, None, None),
            (2, 34.36, None, None),
        ),
        (
            "imb-2021.11-mpi1.txt",
            [("IMB 2021.11", "allgather", NATIVE, 2), ("IMB 2021.11", "allreduce", NATIVE, 2)],
            (0, 0.03, 0.03, 0.03),
            (32, 0.19, 0.19, 0.19),
        ),
        (
            "imb-2021.11-nbc.txt",
            [
                ("IMB 2021.11 (one rank's time)", "allgather", NON_BLOCKING, 2),
                ("IMB 2021.11", "allgather", NON_BLOCKING, 2),
            ],
            (0, 0.03, None, None),
            (2, 0.4, 0.4, 0.41),
        ),
        (
            "imb-3.1-mail.txt",
            [("IMB 3.1", "allgatherv", NATIVE, 8)],
            (0, 0.22, 0.15, 0.28),
            (2, 166.78, 166.73, 166.89),
        ),
        (
            "nccl-2.18.5.txt",  # size is of all blocks
            2 * [("nccl-tests 2.18.5", "allgather", NATIVE, 2)],
            (1 << 33, 374425, None, None),
            (1 << 33, 373792, None, None),
        ),
        (
            "nccl-tagged.txt",  # the collective by redop and root, the ranks by the devices
            2 * [("nccl-tests (no version)", "reduce", NATIVE, 2)],
            (8, 87.96, None, None),
            (16, 77.15, None, None),
        ),
        (
            "nccl-old.txt",
            2 * [("nccl-tests (no version)", "bcast", NATIVE, 2)],
            (40046416, 1268.1, None, None),
            (40046416, 1279.3, None, None),
        ),
        (
            "nccl.json",  # two processes of two devices
            2 * [("nccl-tests (JSON 3)", "alltoall", NATIVE, 4)],
            (0, 5.1, None, None),
            (1024, 9.25, None, None),
        ),
    ],
)
def test_logs(name: str, heads: list[tuple[str, str, str, int]], first: Row, last: Row) -> None:
    found = log_of((LOGS / name).read_bytes()).found
    assert [head(table) for table in found.tables] == heads
    assert rows(found.tables[0])[0] == first
    assert rows(found.tables[-1])[-1] == last
    assert not found.damaged and not found.cut


def test_every_format_has_logs() -> None:
    read = {name for log in LOGS.iterdir() for name in (found_in(log.read_bytes()))}
    assert read == set(NAMES) and len(FORMATS) == len(NAMES)


def found_in(data: bytes) -> list[str]:
    found = read_log(data)
    return found.names if found else []


def test_both_kinds_of_buffers_of_nccl_tests() -> None:
    tables = log_of((LOGS / "nccl-2.18.5.txt").read_bytes()).found.tables
    assert [table.facts["in_place"] for table in tables] == ["no", "yes"]
    assert tables[0].facts["hosts"] == "left,right" and tables[0].nodes == 2


def test_what_is_wrong_there_is_wrong_here() -> None:
    tables = log_of((LOGS / "nccl-tagged.txt").read_bytes()).found.tables
    assert [time.status for time in tables[1].times] == ["ok", "wrong"]
    text = (LOGS / "osu-7.4-full.txt").read_text().replace("Pass", "Fail", 1)
    assert [each.status for each in log_of(text).found.tables[0].times] == ["wrong", "ok", "ok"]


def test_sizes_without_a_time_are_skipped_with_the_reason() -> None:
    text = (LOGS / "imb-2021.11-mpi1.txt").read_text()
    late = "           32 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over\n"
    row = next(line for line in text.splitlines(keepends=True) if line.split()[:1] == ["32"])
    time = log_of(text.replace(row, late, 1)).found.tables[0].times[-1]
    assert (time.bytes, time.status) == (32, "skipped") and time.reason.startswith("time-out.")


def test_what_the_suite_has_not_is_named() -> None:
    found = log_of((LOGS / "imb-2021.11-mpi1.txt").read_bytes()).found
    names = [other.partition(" ")[0] for other in found.others]
    assert names == ["PingPong", "Barrier", "Sendrecv", "Gather"]
    found = log_of((LOGS / "osu-7.4-ddt.txt").read_bytes()).found
    assert not found.tables and "derived datatypes" in found.others[0]


@pytest.mark.parametrize(
    ("title", "program"),
    [
        ("OSU MPI-CUDA Allgather Latency Test v7.0", "OSU 7.0 (CUDA)"),
        ("OSU MPI-CUDA MANAGED Allgather Latency Test v5.9", "OSU 5.9 (CUDA MANAGED)"),
        ("OSU NCCL Allgather Latency Test v7.4", "OSU NCCL 7.4"),
        ("OSU MPI Allgather Latency Test", "OSU (no version)"),
    ],
)
def test_programs_of_osu(title: str, program: str) -> None:
    text = OSU.replace("OSU MPI Allgather Latency Test v7.4", title)
    assert log_of(f"{text}1    1.60\n").found.tables[0].program == program


def test_columns_of_each_iteration_and_timestamps_of_nccl_tests() -> None:
    names = "size count type redop root" + 2 * " time algbw busbw #wrong i_min i_max i_p99 i_cv%"
    row = "64 8 float none -1" + " 5.5 1 1 0 5 6 6 1.2" + " 4.5 1 1 N/A 4 5 5 1.2"
    text = f"./all_gather_perf\n# {names} timestamp\n{row} 2026-01-31 12:00:00\n"
    tables = log_of(text).found.tables
    assert [(head(table)[3], rows(table)[0][:2]) for table in tables] == [
        (2, (32, 5.5)),
        (2, (32, 4.5)),
    ]


def test_an_allreduce() -> None:
    """nccl-tests without the command: by redop, no root, and a size that is the vector's."""
    text = OSU.replace("Allgather", "Allreduce")
    assert head(log_of(f"{text}8    1.60\n").found.tables[0])[1] == "allreduce"
    names = "size count type redop root" + 2 * " time algbw busbw #wrong"
    row = "64 16 float sum -1" + 2 * " 5.5 1 1 0"
    for command in ("./all_reduce_perf\n", ""):
        found = log_of(f"# nThread 1 nGpus 2\n{command}# {names}\n{row}\n").found
        assert [(head(table)[1], rows(table)[0][:2]) for table in found.tables] == 2 * [
            ("allreduce", (64, 5.5))
        ]


def test_tables_of_several_datatypes() -> None:
    """The title is there once."""
    more = "# Datatype: MPI_INT.\n# Size       Avg Latency(us)\n4    2.50\n"
    tables = log_of((LOGS / "osu-7.5.2.txt").read_text() + more).found.tables
    assert [table.facts["datatype"] for table in tables] == ["MPI_CHAR", "MPI_INT"]
    assert rows(tables[1]) == [(4, 2.5, None, None)]


def test_what_does_not_say_its_collective() -> None:
    """An all-gather and an all-to-all look alike."""
    document = json.loads((LOGS / "nccl.json").read_text())
    del document["args"]
    (table, _) = log_of(json.dumps(document)).found.tables
    assert table.collective == "" and list(table.maybe) == ["allgather", "alltoall"]


def test_a_json_is_read_as_it_is() -> None:
    """It is no mail; and a user may have added a line."""
    text = (LOGS / "nccl.json").read_text().replace("HOME=", "A=&quot;B=<p> HOME=")
    found = log_of(f"#@mpi=NCCL 2\n{text}")
    assert found.told == {"mpi": "NCCL 2"} and len(found.found.tables) == 2


def test_half_a_json() -> None:
    with pytest.raises(Illegal, match="the whole JSON"):
        read_log((LOGS / "nccl.json").read_bytes()[:-100])


@pytest.mark.parametrize(
    "text", ["", "hello\n", "{}", "# OSU-style\n1 2\n", "Benchmarking done\n", "a,b\n1,2\n"]
)
def test_what_is_none(text: str) -> None:
    assert read_log(text.encode()) is None


@pytest.mark.parametrize("name", ["size", "count", "type", "time"])
def test_a_head_that_somebody_has_edited(name: str) -> None:
    """A column is another word with a comma behind it, and the lines below are no table."""
    head = "#  size  count  type  time  algbw  busbw".replace(name, f"{name},", 1)
    found = read_log(f"./all_gather_perf\n{head}\n64 16 float 5.0 0.1 0.1\n".encode())
    assert found is None or not any(table.times for table in found.found.tables)
