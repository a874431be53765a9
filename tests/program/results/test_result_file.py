# SPDX-License-Identifier: BSD-3-Clause
"""The result file: what it holds, and that the printed table follows from it."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agreport.compare.comparability import MUST_AGREE
from agreport.main import main

from ..support.launch import Build
from ..support.results import (
    COLUMNS,
    RANK_COLUMNS,
    TIMES,
    Results,
    Table,
    read_results,
    read_tables,
)

pytestmark = pytest.mark.slow

ITERATIONS = 40
SIZES = [1, 100, 16384]
ALGORITHMS = ["ring", "bruck", "native"]


@dataclass(frozen=True)
class Run:
    path: Path
    results: Results
    frame: pd.DataFrame
    tables: list[Table]
    command: str


@pytest.fixture(scope="module", params=["allgather_bench", "allgatherv_bench"])
def run(
    request: pytest.FixtureRequest, build: Build, tmp_path_factory: pytest.TempPathFactory
) -> Run:
    path = tmp_path_factory.mktemp("run") / "run.csv"
    sizes = ",".join(map(str, SIZES))
    arguments = ["--sizes", sizes, "--algorithms", ",".join(ALGORITHMS), "--output", str(path),
                 "-i", str(ITERATIONS), "-x", "2", "-f", "-z", "10,50,97.5", "--seed", "7",
                 "--record", "ranks"]  # fmt: skip
    ended = build.run(request.param, *arguments)
    assert ended.exit_code == 0, ended.stderr
    frame = pd.read_csv(path, comment="#")
    return Run(
        path,
        read_results(path),
        frame,
        read_tables(ended.stdout),
        f"{request.param} {' '.join(arguments)}",
    )


def test_pandas_reads_the_documented_columns(run: Run) -> None:
    assert list(run.frame.columns) == COLUMNS
    assert len(run.frame) == len(SIZES) * len(ALGORITHMS) * ITERATIONS == len(run.results.rows)
    for column in ["ranks", "nodes", "bytes", "total_bytes", *TIMES]:
        assert pd.api.types.is_numeric_dtype(run.frame[column]), column
    assert set(run.frame["status"]) == {"ok"}
    assert run.frame["reason"].isna().all()


def test_every_iteration_is_there(run: Run) -> None:
    groups = run.frame.groupby(["bytes", "algorithm"], sort=False)["iteration"].apply(list)
    expected = [(size, algorithm) for size in SIZES for algorithm in ALGORITHMS]
    assert groups.index.tolist() == expected
    assert groups.tolist() == [list(range(ITERATIONS))] * len(expected)


def test_what_identifies_a_row(run: Run) -> None:
    collective = "allgatherv" if "allgatherv_bench" in run.command else "allgather"
    assert set(run.frame["collective"]) == {collective}
    assert set(run.frame["distribution"]) == {"regular"}
    assert set(run.frame["arrival"]) == {"none"}
    assert set(run.frame["mapping"]) == {"as launched"}
    assert (run.frame[["ranks", "nodes"]] == [2, 1]).all(axis=None)
    assert (run.frame["total_bytes"] == 2 * run.frame["bytes"]).all()


def test_times_are_in_order(run: Run) -> None:
    f = run.frame
    assert (f["min_us"] > 0).all()
    assert (f["min_us"] <= f["avg_us"]).all()
    assert (f["avg_us"] <= f["max_us"]).all()
    assert (f["run_us"] >= f["max_us"]).all()
    assert (f["imbalance_us"] >= 0).all()
    # The mean is half of the sum with two ranks; three decimals are kept.
    assert np.allclose(2 * f["avg_us"], f["min_us"] + f["max_us"], atol=0.003)
    # The last to come may leave first, but none leaves before it came.
    assert (f["run_us"] <= f["imbalance_us"] + f["max_us"] + 0.002).all()


def test_preparation_is_one_time_a_case_and_algorithm(run: Run) -> None:
    groups = run.frame.groupby(["bytes", "algorithm"])["prepare_us"]
    assert (groups.nunique(dropna=False) == 1).all()
    assert (groups.first() > 0).all()


def test_the_table_is_the_files_means_and_percentiles(run: Run) -> None:
    # Two decimals printed, three kept.
    close = 0.005 + 0.0005 + 1e-9
    assert [table.algorithm for table in run.tables] == ALGORITHMS
    for table in run.tables:
        for size, row in zip(SIZES, table.rows, strict=True):
            cells = row.split()
            f = run.frame.query(f"algorithm == '{table.algorithm}' and bytes == {size}")
            expected = [f["avg_us"].mean(), f["min_us"].mean(), f["max_us"].mean()]
            expected += [np.percentile(f["avg_us"], percent) for percent in (10, 50, 97.5)]
            printed = [float(cell) for cell in cells[1:4] + cells[5:]]
            assert int(cells[0]) == size
            assert int(cells[4]) == ITERATIONS
            assert np.abs(np.array(printed) - np.array(expected)).max() <= close


def test_the_file_describes_itself(run: Run) -> None:
    metadata = run.results.metadata
    assert metadata["suite"].startswith("gatherbench ") and "(git " in metadata["suite"]
    assert any(name in metadata["mpi"] for name in ("Open MPI", "MPICH", "Intel"))
    assert metadata["command"].endswith(run.command)
    assert metadata["ranks"] == "2"
    assert metadata["nodes"] == "1"
    assert metadata["seed"] == "7"
    assert metadata["sizes"] == ",".join(map(str, SIZES))
    assert metadata["algorithms"] == ",".join(ALGORITHMS)
    assert metadata["thread_level"] in ("single", "funneled", "serialized", "multiple")
    assert metadata["oversubscribed"] in ("yes", "no")
    assert pd.Timestamp(metadata["start"]).tzinfo is not None
    for key in ("sync", "clock", "compiler", "binding", "hosts", "order", "iterations", "warmup"):
        assert metadata[key], key
    assert set(ALGORITHMS) < set(metadata["registry"].split(","))
    memory = os.sysconf("SC_PAGESIZE") * os.sysconf("SC_PHYS_PAGES")
    assert int(metadata["machine.memory"]) == memory
    models = set(re.findall(r"^model name\s*: (.*\S)", Path("/proc/cpuinfo").read_text(), re.M))
    assert set(metadata.get("machine.cpu", "").split(", ")) >= models
    if "Open MPI" in metadata["mpi"]:
        assert re.fullmatch(r"\w+( over \w+(, \w+)*)?", metadata["transport"])
        assert "basic" in metadata["collective_components"].split(", ")


def test_the_file_has_nothing_that_only_one_job_has(run: Run) -> None:
    for key in ("OMPI_MCA_orte_precondition_transports", "OMPI_MCA_orte_hnp_uri"):
        assert f"env.{key}" not in run.results.metadata
    assert not [key for key, value in run.results.metadata.items() if "tcp://" in value]


def test_end_marks_name_the_cases(run: Run) -> None:
    assert len(run.results.cases) == len(SIZES)
    collective = run.results.rows[0]["collective"]
    assert run.results.cases[0] == f"{collective},regular,none,as launched,2,1"


def test_ranks_file_holds_what_the_first_file_sums_up(run: Run) -> None:
    path = run.path.with_name("run.ranks.csv")
    assert read_results(path, RANK_COLUMNS).cases == run.results.cases
    ranks = pd.read_csv(path, comment="#")
    assert list(ranks.columns) == RANK_COLUMNS
    keys = ["algorithm", "bytes", "iteration"]
    grouped = ranks.groupby(keys)
    assert (grouped["rank"].apply(sorted).map(tuple) == (0, 1)).all()
    of_ranks = grouped["elapsed_us"].agg(["min", "mean", "max"])
    of_first = run.frame.set_index(keys).sort_index()
    assert len(of_ranks) == len(of_first)
    columns = of_first[["min_us", "avg_us", "max_us"]]
    # Each time is rounded to three decimals on its own.
    assert np.allclose(of_ranks.to_numpy(), columns.loc[of_ranks.index].to_numpy(), atol=0.0011)


def test_what_compare_looks_at_is_there(run: Run) -> None:
    """A key that no file has would never differ. These say something special, if it is so."""
    special = {"duet", "distribution_file", "group_file", "arrival_trace", "schedule_file",
               "topology_tree", "computed", "root", "op", "type", "gamma",
               "charge_schedule", "displacements", "device", "device_of_rank"}  # fmt: skip
    assert set(MUST_AGREE) - special <= set(run.results.metadata)


@pytest.mark.parametrize(("options", "said"), [([], "no"), (["--validation"], "yes")])
def test_validation_of_each_iteration_is_told(
    build: Build, tmp_path: Path, options: list[str], said: str
) -> None:
    ended = build.run("allgather_bench", "--sizes", "1", "--algorithms", "ring", "-i", "1",
                      "--output", "a.csv", *options, cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    assert read_results(tmp_path / "a.csv").metadata["validation"] == said


def test_a_note_that_ends_as_a_checksum_is_none(build: Build, tmp_path: Path) -> None:
    """The file can be read, and gone on with."""
    arguments = ("--sizes", "1", "--algorithms", "ring", "-i", "1", "--output", "a.csv",
                 "--resume", "--note", "data=set crc32:1a2b3c4d")  # fmt: skip
    for resumed in range(2):
        ended = build.run("allgather_bench", *arguments, cwd=tmp_path)
        assert ended.exit_code == 0, ended.stderr
        results = read_results(tmp_path / "a.csv")
        assert results.resumed == resumed
        assert results.metadata["note.data"] == "set crc32: 1a2b3c4d"
    assert main(["diagnostics", str(tmp_path / "a.csv")]) == 0
