# SPDX-License-Identifier: BSD-3-Clause
"""Data sets of Parquet files, read where result files are."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.files import data_set, data_set_writer
from agformats.files.data_set_schema import LAUNCHES, RESULTS
from agformats.files.data_set_sums import SUMS, write_sums
from agformats.files.data_set_writer import WHOLE_FILE, Writer
from agformats.files.result_rows import read
from agreport.compare.baseline_store import save_baseline
from agreport.data.load import read_files
from agreport.data.rank_delays import load_delays
from agreport.main import main
from shared.checksums import checksummed

from ..conftest import HEADER, METADATA
from ..support import fake_arrivals
from ..support.commands import Capture, Rows, Write
from ..support.loading import load

NUMBERS = np.random.default_rng(1).lognormal(3, 0.4, 60)


def collected(folder: Path, files: Mapping[str, Path]) -> Path:
    """A data set of files, by their names in it."""
    folder.mkdir()
    with Writer(folder) as writer:
        for name, path in files.items():
            origin = {"build": name.partition("/")[0], "point": "p"}
            writer.add(*read(path, WHOLE_FILE), name, origin)
    return folder


@pytest.fixture
def launches(write: Write, rows: Rows, tmp_path: Path) -> dict[str, Path]:
    """An old one without the columns of arrival patterns; two that are apart by their MPI; with
    skipped, wrong and late rows, an unfinished case, a note, and what a reason may have."""
    odd = '"needs ""even"", # 4"'
    files = {
        "a/0.csv": write(
            "csv/a/0.csv",
            [*rows("sparbit", NUMBERS[:20]), *rows("ring", NUMBERS[20:40])],
            [*rows("sparbit", NUMBERS[5:9], size=8), *rows("ring", NUMBERS[7:9], size=8)],
            rows("bruck", status="skipped", reason=odd),
            rows("bruck", status="wrong", reason="byte 3", size=8),
            tail="\n".join(rows("bruck", [1])) + "\n",
            start="1",
            **{"note.cluster": "x, y", "suite": "gatherbench 0.1.0 (git 1)"},
        ),
        "a/1.csv": write("csv/a/1.csv", rows("ring", NUMBERS[:9]), start="2", kernel="5"),
    }
    path = tmp_path / "csv/b/0.csv"
    path.parent.mkdir()
    case = fake_arrivals.case(
        "uniform:max=1ms", {"ring": NUMBERS, "bdr": NUMBERS[:7]}, late={"ring": [3]}
    )
    plain = fake_arrivals.case("none", {"ring": NUMBERS, "bdr": NUMBERS[:7]})
    fake_arrivals.write(path, plain, case, start="3", mpi="MPICH 5", wait="busy")
    return {**files, "b/0.csv": path}


@pytest.fixture
def stored(launches: dict[str, Path], tmp_path: Path) -> Path:
    return collected(tmp_path / "dataset", launches)


def test_columns_and_types_are_the_catalogues(stored: Path, launches: dict[str, Path]) -> None:
    schema = parquet.read_schema(stored / RESULTS)
    assert schema.names == ["launch", *(column.name for column in catalogue().columns)]
    kinds = {"integer": pa.int64(), "number": pa.float64()}
    for column in catalogue().columns:
        found = schema.field(column.name).type
        if column.type == "text":
            assert pa.types.is_dictionary(found) and found.value_type == pa.string()
        else:
            assert found == kinds[column.type]
    frame = pd.read_parquet(stored / RESULTS)
    frames = [
        pd.read_csv(path, comment="#", float_precision="round_trip") for path in launches.values()
    ]
    wanted = pd.concat([frames[0][:-1], *frames[1:]], keys=range(3)).reset_index(0, names="launch")
    for name in ("launch", "total_bytes", "prepare_us", "iteration", "avg_us", "helper_us"):
        assert np.array_equal(frame[name].to_numpy(float), wanted[name].to_numpy(float), True), name


def test_launches_have_all_that_they_say(stored: Path) -> None:
    table = parquet.read_table(stored / LAUNCHES)
    assert {field.type for field in table.schema if field.name in METADATA} == {pa.string()}
    assert table["kernel"].to_pylist() == [None, "5", None]
    assert table["note.cluster"].to_pylist() == ["x, y", None, None]
    assert table["file"].to_pylist() == ["a/0.csv", "a/1.csv", "b/0.csv"]
    assert table["launch"].to_pylist() == [0, 1, 2]
    assert len(set(table["identity"].to_pylist())) == 3


@pytest.mark.slow
@pytest.mark.parametrize("rows_a_group", [1, 60, 1 << 18])
@pytest.mark.parametrize(
    "command",
    ["table", "summary", "summary --by mpi,kernel", "summary --pool mpi,kernel", "diagnostics"],
)
def test_the_same_numbers_to_the_last_digit(
    launches: dict[str, Path],
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    rows_a_group: int,
    command: str,
) -> None:
    monkeypatch.setattr(data_set_writer, "ROWS_A_GROUP", rows_a_group)
    stored = collected(tmp_path / "pqt", launches)  # of one length, for broken lines
    printed = {}
    for folder in (tmp_path / "csv", stored, stored / RESULTS):
        name, *options = command.split()
        ending = [] if name == "diagnostics" else ["--format", "csv"]
        code = main([name, str(folder), *options, *ending])
        said = capsys.readouterr()
        printed[folder] = code, said.out, said.err
    plain, *others = printed.values()
    assert plain[0] == 0 and plain[1]
    wanted = [plain[0], *(text.replace(str(tmp_path / "csv"), str(stored)) for text in plain[1:])]
    assert [[*other] for other in others] == [wanted, wanted]


def test_metadata_and_rows_are_the_same(stored: Path, tmp_path: Path) -> None:
    plain, found = load([str(tmp_path / "csv")]), load([str(stored)])
    assert [each.metadata for each in found.launches] == [each.metadata for each in plain.launches]
    orders = [[[*each.metadata] for each in some.launches[:1]] for some in (found, plain)]
    assert orders[0] == orders[1]
    assert [each.cut_rows for each in found.launches] == [1, 0, 0]
    assert found.catalogue == plain.catalogue
    pd.testing.assert_frame_equal(found.rows, plain.rows[found.rows.columns], check_exact=True)
    assert found.rows["setting"].nunique() == 2


def test_a_build_a_launch_and_a_glob_of_a_data_set(stored: Path) -> None:
    for name, numbers in {
        "a": ["a/0.csv", "a/1.csv"],
        "b": ["b/0.csv"],
        "a/1.csv": ["a/1.csv"],
        "*/0.csv": ["a/0.csv", "b/0.csv"],
    }.items():
        paths = [each.path for each in read_files([str(stored / name)]).launches]
        assert paths == [stored / number for number in numbers]
    with pytest.raises(BadInput, match=r"c/\*\.csv: no such file"):
        read_files([str(stored / "c" / "*.csv")])


@pytest.mark.slow
def test_mixed_with_files(
    stored: Path, launches: dict[str, Path], write: Write, rows: Rows, capsys: Capture
) -> None:
    other = write("other.csv", rows("ring", [7]), start="4")
    found = read_files([str(stored / RESULTS), str(other)])
    assert [each.metadata["start"] for each in found.launches] == ["1", "2", "3", "4"]
    again = launches["b/0.csv"]
    with pytest.raises(BadInput, match=f"{again}: the same launch as {stored}/b/0.csv; give one"):
        read_files([str(stored), str(again)])
    assert main(["summary", str(stored), str(again)]) == 3
    assert f"left out: {again}: the same launch as" in capsys.readouterr().err


def test_a_file_in_the_place_of_a_launch(stored: Path, launches: dict[str, Path]) -> None:
    (stored / "a").mkdir()
    (stored / "a/1.csv").write_bytes(launches["a/1.csv"].read_bytes())
    with pytest.raises(BadInput, match=r"a/1\.csv: is a file, and in results\.parquet"):
        load([str(stored)])


def test_per_rank_files_beside_launches(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (stored / "b").mkdir()
    delays = fake_arrivals.delay_rows("uniform:max=1ms", [(0.0, 1.0), (5.0, 7.0)], 2)
    late = fake_arrivals.delay_rows("uniform:max=1ms", [(0.0, 90.0), (5.0, 90.0)], 3)
    columns = fake_arrivals.RANK_COLUMNS
    path = fake_arrivals.write(stored / "b/0.ranks.csv", [*delays, *late], columns=columns)
    path.write_text(checksummed(path.read_text().replace(",2,1,1024,2048,", ",4,1,1024,4096,")))
    for name in (stored, stored / "b", stored / "b/0.csv", path):
        assert load_delays([str(name)]).rows["error_us"].tolist() == [1, 2], "without the late ones"
    monkeypatch.chdir(stored / "b")
    for named in (".", "0.csv", "*.csv", path.name, "../b", "../b/0.csv"):
        assert load_delays([named]).rows["error_us"].tolist() == [1, 2], named


@pytest.mark.parametrize(
    ("folder", "name"),
    [("", "."), ("", "a"), ("", "a/*.csv"), ("a", "."), ("a", "../a"), ("a", "*.csv"), ("a", "..")],
)
def test_relative_names(
    stored: Path, monkeypatch: pytest.MonkeyPatch, folder: str, name: str
) -> None:
    """The current folder may be the data set, or a folder in it; each launch is found once."""
    whole = name == ".." or (not folder and name == ".")
    (stored / "a").mkdir()
    monkeypatch.chdir(stored / folder)
    found = load([name, "0.csv"] if folder else [name])
    assert len(found.launches) == (3 if whole else 2)
    wanted = [stored / "a/0.csv", stored / "a/1.csv", *([stored / "b/0.csv"] if whole else [])]
    assert [each.path.resolve() for each in found.launches] == wanted


def test_what_is_altered_in_the_current_folder(
    stored: Path, monkeypatch: pytest.MonkeyPatch, write: Write, rows: Rows
) -> None:
    """A file beside launches that was altered is refused by a relative name as well."""
    own = write("own/0.csv", rows("ring", [7]), start="4")
    monkeypatch.chdir(own.parent)
    assert load(["."]).rows["avg_us"].tolist() == [7]
    (stored / "a").mkdir()
    (stored / "a/0.ranks.csv").write_text("as it was\n")
    write_sums(stored)
    (stored / "a/0.ranks.csv").write_text("altered\n")
    monkeypatch.chdir(stored / "a")
    with pytest.raises(BadInput, match=r"0\.ranks\.csv: was altered"):
        load_delays(["0.ranks.csv"])


def test_a_baseline_of_a_data_set(stored: Path, write: Write, rows: Rows, tmp_path: Path) -> None:
    other = write("other.csv", rows("ring", [7]), start="4")
    kept = save_baseline(tmp_path / "baselines", "v1", [str(stored / "b"), str(other)])
    found = read_files([str(kept)])
    wanted = read_files([str(stored / "b"), str(other)])
    pd.testing.assert_frame_equal(found.rows, wanted.rows[found.rows.columns], check_exact=True)
    whole = pd.read_parquet(kept / RESULTS)
    assert whole["total_bytes"].tolist() == [4096] * len(whole)
    assert pd.read_parquet(kept / LAUNCHES)["build"].tolist() == ["b"]


def changed(stored: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    (stored / SUMS).unlink(missing_ok=True)  # as who knows what they do
    change(pd.read_parquet(stored / RESULTS)).to_parquet(stored / RESULTS, index=False)


def set_cell(name: str, value: object) -> Callable[[pd.DataFrame], pd.DataFrame]:
    def change(frame: pd.DataFrame) -> pd.DataFrame:
        column = frame[name].astype(object)
        column.iloc[1] = value
        return frame.assign(**{name: column.infer_objects()})

    return change


def cut(path: Path, keep: float) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])


def flip(path: Path) -> None:
    """Flips a byte at the end of a column."""
    data = bytearray(path.read_bytes())
    file = parquet.ParquetFile(path)
    column = file.metadata.row_group(0).column(file.schema_arrow.names.index("min_us"))
    end = column.dictionary_page_offset + column.total_compressed_size
    data[end - 4 : end] = bytes(255 - byte for byte in data[end - 4 : end])
    path.write_bytes(data)


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut off": (lambda at: cut(at / RESULTS, 0.6), "results.parquet: not to be read as Parquet: "),
    "no bytes": (lambda at: cut(at / RESULTS, 0), "results.parquet: not to be read as Parquet: "),
    "a text": (
        lambda at: (at / RESULTS).write_text("no Parquet\n"),
        "results.parquet: not to be read as Parquet: ",
    ),
    "other bits": (lambda at: flip(at / RESULTS), "results.parquet: not to be read as Parquet: "),
    "launches cut off": (
        lambda at: cut(at / LAUNCHES, 0.6),
        "launches.parquet: not to be read as Parquet: ",
    ),
    "no launches": (
        lambda at: (at / LAUNCHES).unlink(),
        "results.parquet: launches.parquet is not beside it",
    ),
    "foreign": (
        lambda at: pd.DataFrame({"a": [1]}).to_parquet(at / RESULTS),
        "results.parquet: not of a data set; missing columns: collective, ",
    ),
    "foreign launches": (
        lambda at: pd.DataFrame({"launch": [0]}).to_parquet(at / LAUNCHES),
        "launches.parquet: not of a data set; missing columns: file, ",
    ),
    "a column of a newer version": (
        lambda at: changed(at, lambda rows: rows.assign(warmth=1)),
        "results.parquet: not of a data set; foreign columns: warmth",
    ),
    "another unit": (
        lambda at: changed(at, lambda rows: rows.rename(columns={"avg_us": "avg_ms"})),
        "results.parquet: not of a data set; 'avg_ms' is not in the unit of 'avg_us'",
    ),
    "a text for a number": (
        lambda at: changed(at, lambda rows: rows.assign(bytes="1K")),
        "results.parquet: bytes is of type ",
    ),
    "an empty cell": (
        lambda at: changed(at, set_cell("algorithm", None)),
        "results.parquet: algorithm is empty in some row",
    ),
    "an unknown launch": (
        lambda at: changed(at, lambda rows: rows.assign(launch=rows["launch"] + 1)),
        "results.parquet: launches.parquet lacks launch 3",
    ),
    "shuffled rows": (
        lambda at: changed(at, lambda rows: pd.concat([rows[5:], rows[:5]])),
        "results.parquet: the rows of launch 0 are apart",
    ),
    "no rows": (lambda at: changed(at, lambda rows: rows[:0]), "results.parquet: it has no rows"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_one_line_for_a_broken_or_foreign_file(
    stored: Path, write: Write, rows: Rows, capsys: Capture, name: str
) -> None:
    """Good files beside it do not hide it."""
    good = write("other.csv", rows("ring", [7]), start="4")
    spoil, said = FAULTS[name]
    (stored / SUMS).unlink()
    spoil(stored)
    assert main(["summary", str(good), str(stored)]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"agreport: error: {stored}/{said}")
    assert len(printed.err.splitlines()) == 1


def test_what_is_no_data_set_by_its_name(stored: Path, tmp_path: Path, capsys: Capture) -> None:
    other = tmp_path / "mine.parquet"
    other.write_bytes((stored / RESULTS).read_bytes())
    for path in (other, stored / LAUNCHES):
        assert main(["summary", str(path)]) == 2
        assert f"{path}: of a data set, results.parquet or its folder" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (set_cell("status", "fine"), "row 2: status 'fine' is not one of ok, late, "),
        (set_cell("avg_us", -1.0), "row 2: a row with status ok has no time, or a negative one"),
        (set_cell("iteration", 0), "row 2: iteration 0 of allgather, sequential, regular, none, 4,"
         " 1, sparbit stands in row 1 already"),
    ],
)  # fmt: skip
def test_a_bad_row_is_of_its_launch(
    stored: Path, capsys: Capture, change: Callable[[pd.DataFrame], pd.DataFrame], said: str
) -> None:
    """The others are reported all the same, as with files."""
    changed(stored, change)
    assert main(["summary", str(stored)]) == 3
    assert f"left out: {stored}/a/0.csv: {said}" in capsys.readouterr().err


@pytest.mark.parametrize("name", [RESULTS, LAUNCHES])
def test_an_altered_data_set_is_refused(stored: Path, name: str) -> None:
    """Even where Parquet has no checksum, such as of names."""
    data = bytearray((stored / name).read_bytes())
    data[-9] ^= 1
    (stored / name).write_bytes(data)
    with pytest.raises(BadInput, match=rf"{name}: was altered: it has not the checksum in SHA256"):
        load([str(stored)])


def test_a_newer_suite(write: Write, rows: Rows, tmp_path: Path) -> None:
    path = write("x.csv", rows("ring", [7]), start="4")
    stored = collected(tmp_path / "dataset", {"a/0.csv": path})
    table = parquet.read_table(stored / LAUNCHES)
    place = table.column_names.index("suite")
    table = table.set_column(place, "suite", pa.array(["gatherbench 9.0.0"]))
    parquet.write_table(table, stored / LAUNCHES)
    (stored / SUMS).unlink()
    with pytest.raises(BadInput, match=r"'gatherbench 9\.0\.0', newer than this agreport"):
        load([str(stored)])


def test_a_key_that_the_data_set_needs_itself(write: Write, rows: Rows, tmp_path: Path) -> None:
    path = write("x.csv", rows("ring", [7]), build="mine")
    with pytest.raises(BadInput, match=r"x\.csv: '#@build=' is a key that the data set needs"):
        collected(tmp_path / "dataset", {"a/0.csv": path})


def test_what_wrote_another_program(stored: Path) -> None:
    """Texts as they are instead of dictionaries, smaller numbers, another compression."""
    table = parquet.read_table(stored / RESULTS)
    plain = pa.table({name: table[name].cast(pa.large_string())
                      if pa.types.is_dictionary(table[name].type) else table[name]
                      for name in table.column_names})  # fmt: skip
    place = plain.schema.get_field_index("ranks")
    plain = plain.set_column(place, "ranks", plain["ranks"].cast(pa.int16()))
    before = load([str(stored)]).rows
    (stored / SUMS).unlink()
    parquet.write_table(plain, stored / RESULTS, compression="snappy", use_dictionary=False)
    pd.testing.assert_frame_equal(load([str(stored)]).rows, before, check_exact=True)


def test_data_sets_are_not_kept_open_by_name(stored: Path, write: Write, rows: Rows) -> None:
    """Another data set in the same place is read, not the one that was there."""
    assert len(load([str(stored)]).launches) == 3
    for name in (RESULTS, LAUNCHES):
        (stored / name).unlink()
    stored.rename(stored.with_name("empty"))
    collected(stored, {"a/0.csv": write("x.csv", rows("ring", [7]), start="4")})
    assert load([str(stored)]).rows["avg_us"].tolist() == [7]
    assert data_set.launch_at(stored / "a/0.csv") and not data_set.launch_at(stored / "a/1.csv")


def test_the_header_of_the_tests_is_old() -> None:
    """The fixture then has launches that lack columns."""
    assert {column.name for column in catalogue().columns} > {*HEADER.split(",")}
