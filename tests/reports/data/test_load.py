# SPDX-License-Identifier: BSD-3-Clause
"""Reading result files: comments, cut-off files, several launches."""

import gzip
from pathlib import Path

import pytest

from agreport.stats.times import times_of

from ..support import fake_arrivals
from ..support.commands import Rows, Write
from ..support.loading import load


def test_rows_and_metadata(example: Path) -> None:
    results = load([str(example)])
    assert results.rows["status"].value_counts().to_dict() == {"ok": 23, "skipped": 5, "wrong": 2}
    assert results.launches[0].metadata["mpi"] == "Open MPI <4.1.4> & friends"
    assert results.launches[0].cut_rows == 0


def test_a_hash_in_a_reason_is_no_comment(example: Path) -> None:
    wrong = load([str(example)]).with_status("wrong")
    assert list(wrong["reason"]) == ["rank 2, block 1: # is <b>", "byte 3"]


def test_comments_between_rows(write: Write, rows: Rows) -> None:
    first, second = rows("ring", [1, 2])
    path = write("a.csv", [first, "# a note", "#", second])
    assert load([str(path)]).rows["avg_us"].tolist() == [1, 2]


def test_repeated_keys_are_joined(write: Write, rows: Rows) -> None:
    tail = "#@resumed=monday\n#@resumed=tuesday = late\n"
    path = write("a.csv", rows("ring", [1]), tail=tail)
    assert load([str(path)]).launches[0].metadata["resumed"] == "monday; tuesday = late"


@pytest.mark.parametrize("torn", ["", "allgather,spar", 'allgather,ring,"reg', "#@case_en"])
def test_cut_off_rows_are_dropped_with_a_warning(
    write: Write, rows: Rows, capsys: pytest.CaptureFixture[str], torn: str
) -> None:
    unfinished = "\n".join(rows("bruck", [7, 8]))
    path = write("a.csv", rows("ring", [1]), tail=f"{unfinished}\n{torn}")
    results = load([str(path)])
    assert results.rows["algorithm"].tolist() == ["ring"]
    assert results.launches[0].cut_rows == 2 + torn.startswith("allgather")
    assert str(path) in capsys.readouterr().err


def test_rows_cut_off_before_a_resume_are_dropped(write: Write, rows: Rows) -> None:
    unfinished, again = "\n".join(rows("ring", [7])), "\n".join(rows("ring", [3]))
    tail = f"{unfinished}\nallgather,ri\n#@resumed=now\n{again}\n#@case_end=1\n"
    results = load([str(write("a.csv", rows("bruck", [1]), tail=tail))])
    assert results.rows["avg_us"].tolist() == [1, 3]
    assert results.launches[0].cut_rows == 2


def test_a_last_case_end_without_newline_ends_its_case(write: Write, rows: Rows) -> None:
    tail = "\n".join(rows("bruck", [7])) + "\n#@case_end=1"
    results = load([str(write("a.csv", rows("ring", [1]), tail=tail))])
    assert results.rows["avg_us"].tolist() == [1, 7]


def test_launches_are_pooled_case_by_case(write: Write, rows: Rows) -> None:
    files = [
        write("one.csv", rows("ring", [6]), rows("bruck", [1])),
        write("two.csv", rows("ring", [10, 11]), rows("sparbit", [2], ranks=8)),
    ]
    results = load([str(path) for path in files])
    times = times_of(results, "avg", "mean").us
    assert times["ring"].dropna().tolist() == [9]
    assert times_of(results, "avg", "median").us["ring"].dropna().tolist() == [8.25]
    assert times["bruck"].dropna().tolist() == [1]
    assert times.index.get_level_values("ranks").tolist() == [4, 8]


def test_compressed_files_are_read_as_the_others(write: Write, rows: Rows, tmp_path: Path) -> None:
    plain = write("d/one.csv", rows("ring", [1]), rows("ring", [2], size=2))
    packed = tmp_path / "d/two.csv.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    (tmp_path / "d/two.ranks.csv.gz").write_bytes(gzip.compress(b"rank,us\n0,1\n"))
    assert sorted(load([str(packed)]).rows["avg_us"]) == [1, 2]
    assert sorted(load([str(tmp_path / "d")]).rows["avg_us"]) == [1, 1, 2, 2]


def test_directories_globs_and_repeated_names(write: Write, rows: Rows, tmp_path: Path) -> None:
    write("d/one.csv", rows("ring", [1]))
    write("d/deep/two.csv", rows("ring", [2]))
    (tmp_path / "d/one.ranks.csv").write_text("rank,us\n0,1\n")
    (tmp_path / "d/notes.txt").write_text("not a result")
    for names in (["d"], ["d", "d/one.csv"], ["d/*.csv", "d/deep"], ["d/**/*.csv"]):
        results = load([str(tmp_path / name) for name in names])
        assert sorted(results.rows["avg_us"]) == [1, 2], names


def test_catalogue_is_the_registry_then_the_unknown_names(write: Write, rows: Rows) -> None:
    files = [
        write("one.csv", rows("zeta", [1]), registry="sparbit,ring"),
        write("two.csv", rows("alpha", [1]), rows("ring", [1]), registry="ring,bruck"),
    ]
    results = load([str(path) for path in files])
    assert results.catalogue == ["sparbit", "ring", "bruck", "alpha", "zeta"]


def test_older_and_newer_files_together(write: Write, rows: Rows, tmp_path: Path) -> None:
    """Older ones lack the columns of arrival patterns."""
    newer = tmp_path / "newer.csv"
    fake_arrivals.write(newer, fake_arrivals.case("uniform:max=1ms", {"ring": [5]}, asked=900))
    results = load([str(write("older.csv", rows("ring", [1]))), str(newer)])
    assert results.rows["avg_us"].tolist() == [1, 5]
    assert results.rows["asked_imbalance_us"].dropna().tolist() == [900]
    assert results.rows["run_us"].tolist() == [4, 5]
    assert results.rows["pattern"].tolist() == ["none", "uniform"]


def test_late_iterations_have_no_time_and_a_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They may have times or none."""
    path = tmp_path / "a.csv"
    kept = fake_arrivals.case("none", {"ring": [5, 600, 7]}, late={"ring": [1]})
    empty = "allgather,ring,regular,none,sequential,4,1,1024,4096,3,,,,,,,,,,,,,late,no start"
    fake_arrivals.write(path, [*kept, empty])
    results = load([str(path)])
    assert results.timed()["avg_us"].tolist() == [5, 7]
    assert len(results.with_status("late")) == 2
    assert "2 iterations were late and do not count" in capsys.readouterr().err


def test_a_wrong_result_takes_the_time_of_every_launch(write: Write, rows: Rows) -> None:
    good = write("good.csv", rows("ring", [1]), rows("ring", [2], size=2))
    bad = write("bad.csv", rows("ring", status="wrong", reason="byte 0"))
    results = load([str(good), str(bad)])
    assert results.timed()["avg_us"].tolist() == [2]
