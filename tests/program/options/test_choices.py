# SPDX-License-Identifier: BSD-3-Clause
"""Options that choose what is run and how often."""

from pathlib import Path

import pytest

from ..support.algorithms import LOCH2021, LOCH2021_OF_ALLGATHERV
from ..support.launch import Build, Ended
from ..support.results import TIMES, Results, read_results, read_tables

pytestmark = pytest.mark.slow

QUICK = ("-i", "3", "-x", "0", "--output", "out.csv")


def run(
    build: Build, folder: Path, *arguments: str, bench: str = "allgather_bench", ranks: int = 2
) -> tuple[Ended, Results]:
    ended = build.run(bench, *arguments, *QUICK, cwd=folder, ranks=ranks)
    assert ended.exit_code == 0, ended.stderr
    return ended, read_results(folder / "out.csv")


def test_what_cannot_run_is_a_row_with_the_reason(build: Build, tmp_path: Path) -> None:
    algorithms = ",".join([*LOCH2021, "native"])
    ended, results = run(build, tmp_path, "--sizes", "1,8", "--algorithms", algorithms, "--table",
                         "osu", ranks=3, bench="allgatherv_bench")  # fmt: skip
    reasons = {
        "neighbor_exchange": "needs an even number of ranks; ranks = 3",
        "recursive_doubling": "needs a power-of-two number of ranks; ranks = 3",
    }
    for name, reason in reasons.items():
        rows = results.of(name)
        assert [row["bytes"] for row in rows] == ["1", "8"]
        for row in rows:
            assert (row["status"], row["reason"]) == ("skipped", reason)
            assert not any(row[column] for column in TIMES)
        (table,) = [t for t in read_tables(ended.stdout) if t.algorithm == name]
        assert table.rows == []
        assert any(reason in note for note in table.notes)
    ran = {row["algorithm"] for row in results.rows if row["status"] == "ok"}
    assert ran == {*LOCH2021, "native"} - set(reasons)
    assert set(results.counts().values()) == {3}


def test_the_set_of_loch2021_for_allgatherv(build: Build, tmp_path: Path) -> None:
    """Loch 2021, 2.4.3: Open MPI's Allgatherv has no recursive doubling."""
    _, results = run(build, tmp_path, "--sizes", "1", bench="allgatherv_bench")
    found = list(dict.fromkeys(row["algorithm"] for row in results.rows))
    assert found == [*LOCH2021_OF_ALLGATHERV, "native"]


@pytest.mark.parametrize(
    ("order", "asked", "found"),
    [
        ("interleaved:10", (), [*LOCH2021, "native"]),
        ("sequential", ("--algorithms", "loch2021"), LOCH2021),
    ],
)
def test_the_set_of_loch2021_in_each_order(
    build: Build, tmp_path: Path, order: str, asked: tuple[str, ...], found: list[str]
) -> None:
    ended, results = run(build, tmp_path, "--sizes", "1,2", "--order", order, *asked)
    assert ended.messages == []
    assert list(dict.fromkeys(row["algorithm"] for row in results.rows)) == found
    assert results.metadata["order"] == order
    assert len(results.counts()) == 2 * len(found)
    assert set(results.counts().values()) == {3}


FORMS = [
    *(
        f"{name}:noncontiguous={kind}"
        for name in ("bruck", "bruck_in_place", "sparbit")
        for kind in ("pipelined", "packed", "datatype")
    ),
    "sparbit:batch=2",
    "bruck_in_place:k=3:batch=1",
    "sparbit:batch=3:noncontiguous=datatype",
]


@pytest.mark.parametrize(
    ("bench", "in_place", "kind"),
    [
        ("allgather_bench", False, "packed"),
        ("allgather_bench", True, "datatype"),
        ("allgatherv_bench", False, "datatype"),
        ("allgatherv_bench", True, "packed"),
    ],
)
def test_ways_to_move_blocks(
    build: Build, tmp_path: Path, bench: str, in_place: bool, kind: str
) -> None:
    """5 ranks: sparbit and Bruck in place have messages of blocks that do not lie together. Loch's
    open question (2021, 4.3) in one launch: each form is an algorithm of its own."""
    flags = ["--in-place"] if in_place else []
    asked = [*FORMS, "sparbit"]  # which is of the kind that all are asked for
    _, results = run(build, tmp_path, "--sizes", "9,4K", "-c", "--noncontiguous", kind, *flags,
                     "--algorithms", ",".join(asked), bench=bench, ranks=5)  # fmt: skip
    assert {row["status"] for row in results.rows} == {"ok"}
    first = [row["algorithm"] for row in results.rows if row["iteration"] == "0"]
    assert list(dict.fromkeys(first)) == asked
    assert len(results.rows) == 2 * len(asked) * 3
    assert results.metadata["noncontiguous"] == kind
    assert results.metadata["in_place"] == ("yes" if in_place else "no")


def test_sizes_are_osus_or_a_list(build: Build, tmp_path: Path) -> None:
    for number, (arguments, sizes) in enumerate(
        [
            (("--message-size", "256K:"), [262144, 524288, 1048576]),
            (("--sizes", "1K,64,1M,3"), [1024, 64, 1048576, 3]),
        ]
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, results = run(build, folder, *arguments, "--algorithms", "ring")
        assert [int(case.rpartition(",")[2]) for case in results.cases] == sizes


@pytest.mark.parametrize(
    ("bench", "arguments", "sizes"),
    [
        ("reduce_bench", ("-m", "32"), "8,16,32"),
        ("allgather_bench", ("-m", "16", "-T", "mpi_int"), "4,8,16"),
    ],
)
def test_sizes_without_a_smallest_begin_at_whole_elements(
    build: Build, tmp_path: Path, bench: str, arguments: tuple[str, ...], sizes: str
) -> None:
    _, results = run(build, tmp_path, *arguments, "--algorithms", "native", bench=bench)
    assert results.metadata["sizes"] == sizes


def test_the_launcher_was_asked_for_a_mapping(build: Build, tmp_path: Path) -> None:
    """The mapping that was asked for names the case; how the ranks lie is a fact of the launch."""
    _, results = run(build, tmp_path, "--sizes", "1", "--algorithms", "ring",
                     "--launched-mapping", "cyclic")  # fmt: skip
    assert {row["mapping"] for row in results.rows} == {"cyclic"}
    assert results.metadata["launched_mapping"] == "cyclic"
    assert results.metadata["placement"] == "sequential", "on one node"


def test_two_mappings_are_one_on_one_node(build: Build, tmp_path: Path) -> None:
    ended, results = run(build, tmp_path, "--sizes", "1,2", "--algorithms", "ring", "--mapping",
                         "sequential,cyclic")  # fmt: skip
    assert [case.split(",")[3] for case in results.cases] == ["sequential", "sequential"]
    (table,) = read_tables(ended.stdout)
    assert any("cyclic" in note and "sequential" in note for note in table.notes)


@pytest.mark.parametrize(
    ("sizes", "more", "seed"), [("16,32", (), "99"), ('"16,32"', ("--seed", "5"), "5")]
)
def test_options_from_a_file(
    build: Build, tmp_path: Path, sizes: str, more: tuple[str, ...], seed: str
) -> None:
    """The command line goes before the file."""
    (tmp_path / "options.ini").write_text(
        f"# what to measure\nsizes={sizes}\nalgorithms=ring\nseed = 99\nfull=true\n"
    )
    ended, results = run(build, tmp_path, "--config", "options.ini", *more)
    assert [case.rpartition(",")[2] for case in results.cases] == ["16", "32"]
    assert results.metadata["seed"] == seed
    (table,) = read_tables(ended.stdout)
    assert "Min Latency(us)" in table.header


def test_launches_differ_in_the_seed_unless_it_is_given(build: Build, tmp_path: Path) -> None:
    seeds = []
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        _, results = run(build, folder, "--sizes", "1", "--algorithms", "ring")
        seeds.append(int(results.metadata["seed"]))
    assert len(set(seeds)) > 1  # two equal ones: once in 2^32


def test_resume_goes_on_with_the_seed_that_was_drawn(build: Build, tmp_path: Path) -> None:
    arguments = ("--sizes", "1,2,4,8", "--size-order", "shuffled", "--algorithms", "ring")
    _, whole = run(build, tmp_path, *arguments)
    file = tmp_path / "out.csv"
    text = file.read_text()
    file.write_text(text[: text.index("\n", text.index("#@case_end=")) + 1])
    _, resumed = run(build, tmp_path, *arguments, "--resume")
    assert resumed.metadata["seed"] == whole.metadata["seed"]
    assert resumed.cases == whole.cases  # and so the order


def test_sizes_in_shuffled_order(build: Build, tmp_path: Path) -> None:
    """Each size once for each distribution, in an order that the seed tells."""
    found = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        _, results = run(build, folder, "--sizes", "1,2,4,8,16,32", "--algorithms", "ring",
                         "--distributions", "regular,spike", "--size-order", "shuffled",
                         "--seed", seed, bench="allgatherv_bench")  # fmt: skip
        assert results.metadata["size_order"] == "shuffled"
        sizes = [int(case.rpartition(",")[2]) for case in results.cases]
        kinds = [case.split(",")[1] for case in results.cases]
        assert kinds == ["regular"] * 6 + ["spike"] * 6
        for part in (sizes[:6], sizes[6:]):
            assert sorted(part) == [1, 2, 4, 8, 16, 32]
        found.append(sizes)
    assert found[0] != found[1]


@pytest.mark.parametrize("order", ["interleaved", "sequential"])
def test_max_time_ends_a_case(build: Build, tmp_path: Path, order: str) -> None:
    ended = build.run("allgather_bench", "--sizes", "64K", "--algorithms", "ring,bruck,native",
                      "-i", "1000000", "--max-time", "300ms", "--order", order, "--output",
                      "out.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0
    counts = read_results(tmp_path / "out.csv").counts()
    assert len(counts) == 3
    assert all(1 <= count < 1_000_000 for count in counts.values())
    if order == "interleaved":  # else each has its own share of the time, not of the rounds
        assert len(set(counts.values())) == 1


def test_precision_ends_a_case(build: Build, tmp_path: Path) -> None:
    """Half of the median is a bound that any machine meets; --max-time is for the one that does
    not, and the count then still is below that asked for."""
    ended = build.run("allgather_bench", "--sizes", "16K", "--algorithms", "ring,bruck", "-i",
                      "100000000", "--precision", "50%", "--max-time", "20s", "--output", "out.csv",
                      cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0
    counts = read_results(tmp_path / "out.csv").counts()
    assert len(counts) == 2
    assert len(set(counts.values())) == 1
    assert all(10 <= count < 100_000_000 for count in counts.values())


def test_no_progress_when_not_wanted(build: Build) -> None:
    """Nor where standard error is no terminal, of a run that is over within a minute: see
    test_osu_table.py."""
    ended = build.run("allgather_bench", "--sizes", "1,2", "--algorithms", "ring", "-i", "2",
                      "--no-progress")  # fmt: skip
    assert ended.exit_code == 0
    assert not any(line.startswith("[") for line in ended.stderr.splitlines())


def test_progress_when_asked_for(build: Build) -> None:
    ended = build.run("allgather_bench", "--sizes", "1,2", "--algorithms", "ring", "-i", "2",
                      "--progress")  # fmt: skip
    assert ended.exit_code == 0
    lines = [line for line in ended.stderr.splitlines() if line.startswith("[")]
    assert [line.partition("]")[0] for line in lines] == ["[0/2", "[1/2"]
    assert read_tables(ended.stdout)[0].rows
