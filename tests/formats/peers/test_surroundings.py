# SPDX-License-Identifier: BSD-3-Clause
"""Tables are found whatever stands around them: mails, launchers' tags, warnings, commands."""

import pytest

from agformats.errors import Illegal
from agformats.peers.commands import ranks_told
from agformats.peers.formats import read_log

from .support import LOGS, OSU, log_of, rows


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_as_windows_writes_it(encoding: str, end: str) -> None:
    text = (LOGS / "imb-2021.11-mpi1.txt").read_text()
    found = log_of(text.replace("\n", end).encode(encoding)).found
    assert rows(found.tables[0])[-1] == (32, 3.33, 3.11, 3.56)


def test_warnings_between_rows() -> None:
    """They are no rows; a row that they are in is none either, and is told."""
    found = log_of(
        OSU + "1    1.60\n[node01:12345] 1 more process has sent help message help-mpi-btl.txt\n"
        "2    1.62\n4    [node01:12345] WARNING\n8    1.55\n"
    ).found
    assert [row[0] for row in rows(found.tables[0])] == [1, 2, 8]
    assert found.damaged == ["line 6: '4    [node01:12345] WARNING'"]


@pytest.mark.parametrize(
    ("tail", "sizes", "cut"),
    [
        ("8    1.55\n", [1, 8], False),
        ("8    1.55", [1, 8], False),  # two decimals are all
        ("8    1.5", [1], True),
        ("8    1", [1], True),
    ],
)
def test_a_log_that_was_cut(tail: str, sizes: list[int], cut: bool) -> None:
    """Half a number is a number, and must not be taken for the whole one."""
    found = log_of(OSU + "1    1.60\n" + tail).found
    assert [row[0] for row in rows(found.tables[0])] == sizes
    assert found.cut == cut
    assert not found.damaged


def test_a_table_that_lost_its_marks() -> None:
    """A # is a heading in Markdown."""
    text = "OSU MPI Broadcast Latency Test v5.9\n  Size       Avg Latency(us)\n1      7.61\n"
    assert rows(log_of(text).found.tables[0]) == [(1, 7.61, None, None)]


def test_lines_that_end_as_archives_show_it() -> None:
    text = (LOGS / "imb-2021.11-mpi1.txt").read_text()
    assert log_of(text.replace("\n", "^M\n<br>\n")).found.tables[0].ranks == 2


@pytest.mark.parametrize(
    "before",
    [
        "> ",
        ">> > ",
        "[1,0]<stdout>:",
        "[prterun-host-4711@1,0]<stdout>: ",
        "Thu Nov 26 20:10:20 2026<stdout>:",
        "[0] ",
        "0: ",
        "[pod/launcher-x/mpi] ",
        "launcher-1  | ",
        "2026-01-31T12:00:00.123456789Z ",
        "2026-01-31T12:00:00.123456Z 00O ",  # GitLab
        "2026-01-31T12:00:00.123456Z 01E+",
        "[2026-01-31T12:00:00.123Z] ",  # Jenkins
        "12:00:00  ",  # its plugin timestamper
        "[12:00:00] ",
        "Jan 31 12:00:00 ",  # ts of moreutils
        "\x1b_bk;t=1769860800000\x07",  # Buildkite
        "\x1b[0m",
        "\t",
    ],
)
def test_what_stands_before_each_line(before: str) -> None:
    text = "".join(before + line for line in (LOGS / "imb-2021.11-mpi1.txt").open())
    table = log_of(text).found.tables[0]
    assert (table.ranks, rows(table)[-1]) == (2, (32, 3.33, 3.11, 3.56))


@pytest.mark.parametrize(
    ("log", "title"),
    [
        ("osu-7.5.2.txt", "OSU micro-benchmarks"),
        ("imb-2021.11-mpi1.txt", "Intel MPI Benchmarks"),
        ("nccl-2.18.5.txt", "nccl-tests"),
    ],
)
def test_a_table_behind_what_is_not_known(log: str, title: str) -> None:
    text = "".join(f"<runner 7> {line}" for line in (LOGS / log).open())
    with pytest.raises(Illegal, match=f"as {title} printed them; line .* behind '<runner 7> +'$"):
        read_log(text.encode())


def test_a_sentence_about_a_table() -> None:
    assert read_log(b"We ran the OSU MPI Allgather Latency Test v7.4\n# Size Latency\n") is None


def test_programs_of_one_job() -> None:
    both = (LOGS / "osu-5.8-prompt.txt").read_bytes() + (LOGS / "imb-2021.11-mpi1.txt").read_bytes()
    found = log_of(both)
    assert found.names == ["OSU micro-benchmarks", "Intel MPI Benchmarks"]
    programs = [table.program for table in found.found.tables]
    assert programs == ["OSU 5.8", "IMB 2021.11", "IMB 2021.11"]
    assert not found.found.damaged


@pytest.mark.parametrize(
    ("command", "ranks"),
    [
        ("$ mpirun -np 64 ./osu_allgather -f", 64),
        ("srun -N 2 -n64 --ntasks-per-node=32 osu_allgather", 64),
        ("mpiexec --ntasks=8 osu_allgather", 8),
        ("[a][me@login .edf]$ srun --mpi=pmix -N2 --ntasks-per-node=4 ./osu_allgather", 8),
        ("srun -N2 ./osu_allgather", 0),
        ("mpirun -n 4 ./osu_allgather : -n 3 ./osu_allgather", 7),
        ("mpirun -np 64 \\\n  -x A=B \\\n  ./osu_allgather", 64),
        ("mpirun -np 64 ./osu_allgatherv", 0),  # another program
        ("mpirun -np 8 ./osu_allgather\nmpirun -np 64 ./osu_allgather", 0),  # which of them?
        ("./osu_allgather -n 64", 0),  # by no launcher
        ("mpirun ./osu_allgather", 0),
    ],
)
def test_ranks_by_a_command(command: str, ranks: int) -> None:
    assert ranks_told(command.splitlines(), "osu_allgather") == ranks
    assert log_of(f"{command}\n{OSU}1    1.60\n").found.tables[0].ranks == ranks
