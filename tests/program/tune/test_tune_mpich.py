# SPDX-License-Identifier: BSD-3-Clause
"""With the selection that agreport tune writes, MPICH 4 chooses as it says.

Seen by how many messages of which size it sends over UCX: of a launch with the file, and of one in
which the algorithm is forced. No time is looked at: those that the file is made of are invented.
"""

import json
import subprocess
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from agreport.main import main

from ..support.folders import SOURCES
from ..support.launch import Build

pytestmark = pytest.mark.slow

RANKS = 4
COLUMNS = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "min_us,avg_us,max_us,status,reason"
)
# The fastest algorithm by the size from which on it is. None is MPICH's own choice there, but for
# the all-to-all's pairwise exchange, which sends what its own choice sends. The benchmark itself
# sends words of 8 bytes and short texts: these sizes' halves and quarters are neither.
GATHERS = {61: "ring", 4097: "brucks"}
FASTEST: Mapping[str, Mapping[int, str]] = {
    "allgather": GATHERS,
    "allgatherv": GATHERS,
    "alltoall": {61: "brucks", 4097: "pairwise"},
    "bcast": {
        60: "scatter_ring_allgather",
        4084: "scatter_recursive_doubling_allgather",
    },
    "reduce": {24: "reduce_scatter_gather", 4084: "binomial"},
    "allreduce": {60: "recursive_doubling", 4084: "recursive_doubling"},
}
COLLECTIVES = list(FASTEST)
REDUCTIONS = ("reduce", "allreduce")
BETWEEN, BELOW, BEYOND = 1021, 31, 8191

Sends = Counter[int]  # messages of all ranks, by bytes
Count = Callable[..., Sends]


@pytest.fixture(scope="module")
def library(build: Build, mpi: str) -> Path:
    if not mpi.startswith("MPICH Version: 4.") or "ch4:ucx" not in mpi:
        pytest.skip("the build under test is not of MPICH 4 over UCX")
    linked = subprocess.run(["ldd", build.folder / "bin" / "allgather_bench"], check=True,
                            capture_output=True, text=True).stdout  # fmt: skip
    (path,) = (line.split()[2] for line in linked.splitlines() if "libmpich." in line)
    return Path(path)


@pytest.fixture(scope="module")
def selection(mpi: str, library: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("selection")
    rows = [
        f"{collective},{name},regular,none,sequential,{RANKS},1,{size},{RANKS * size},0,"
        f"{time},{time},{time},ok,"
        for collective, by_size in FASTEST.items()
        for size, fastest in by_size.items()
        for name, time in (("native", 3), (f"native:{fastest}", 1))
    ]
    (folder / "times.csv").write_text(
        "\n".join([f"#@mpi={mpi}", COLUMNS, *rows, "#@case_end=all", ""])
    )
    found = folder / "selection.json"
    arguments = ["--mpich", str(found), "--mpich-library", str(library)]
    assert main(["tune", str(folder / "times.csv"), *arguments]) == 0
    return found


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shim") / "counted_sends.so"
    source = SOURCES / "counted_sends.c"
    options = ["-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(made)]
    subprocess.run(["cc", *options, str(source), "-ldl"], check=True)
    return made


@pytest.fixture
def sends(build: Build, shim: Path, tmp_path: Path) -> Count:
    """Returns the messages of ten calls: what a launch of 20 sends more than one of 10."""

    def count(collective: str, size: int, element: str = "char", **variables: str) -> Sends:
        of = ["--type", element] if collective in REDUCTIONS else []
        counted = []
        for calls in (20, 10):
            folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            env = {
                **{f"MPIR_CVAR_{name}": value for name, value in variables.items()},
                "MPIR_CVAR_NOLOCAL": "1",  # else ranks of a node do without UCX
                "LD_PRELOAD": str(shim),
                "COUNTED_SENDS": str(folder / "rank"),
            }
            ended = build.run(f"{collective}_bench", "--algorithms", "native", "--sizes", str(size),
                              "-i", str(calls), "-x", "0", "--cycles", "0", *of,
                              ranks=RANKS, env=env)  # fmt: skip
            assert ended.exit_code == 0, ended.stderr
            found: Sends = Counter()
            for file in folder.iterdir():
                lines = (line.split() for line in file.read_text().splitlines())
                found.update({int(bytes_): int(messages) for bytes_, messages in lines})
            counted.append(found)
        more, fewer = counted
        more.subtract(fewer)
        return Counter(
            {number: many for number, many in more.items() if many and number % 8 and number > 10}
        )

    return count


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_mpich_chooses_as_the_file_says(sends: Count, selection: Path, collective: str) -> None:
    forced = f"{collective.upper()}_INTRA_ALGORITHM"
    chosen = {"COLL_SELECTION_TUNING_JSON_FILE": str(selection)}
    sizes = dict(FASTEST[collective])
    first = min(sizes)
    if collective in ("allgather", "bcast"):  # rules by all bytes, and by one rank's
        sizes[BETWEEN] = sizes[first]
    found = {size: sends(collective, size, **chosen) for size in sizes}
    for size, fastest in sizes.items():
        assert found[size], "some messages are counted"
        assert found[size] == sends(collective, size, **{forced: fastest})
        if fastest == "ring":
            assert found[size] == {size: 10 * RANKS * (RANKS - 1)}
    assert found[first] != sends(collective, first), "it is not what the library would choose"


def test_what_was_not_measured_is_its_own_choice(sends: Count, selection: Path) -> None:
    for size in (BELOW, BEYOND):
        found = sends("allgather", size, COLL_SELECTION_TUNING_JSON_FILE=str(selection))
        assert found == sends("allgather", size)
        assert found == sends("allgather", size, ALLGATHER_INTRA_ALGORITHM="recursive_doubling")


def test_where_there_is_no_element_for_each_rank_it_is_its_own_choice(
    sends: Count, selection: Path
) -> None:
    """Three of four ranks' integers of 8 bytes: reduce_scatter_gather cannot cut them."""
    chosen = {"COLL_SELECTION_TUNING_JSON_FILE": str(selection)}
    assert 12 in sends("reduce", 24, **chosen), "it cuts 24 of a byte"
    assert 12 not in sends("reduce", 24, "long", **chosen)


@pytest.fixture(scope="module")
def own_operator(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("program") / "own_operator"
    compiler = build.cached("MPI_CXX_COMPILER")
    source = SOURCES / "own_operator.cpp"
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-o", str(made), str(source)], check=True)
    return made


def test_operators_of_the_program(build: Build, own_operator: Path, selection: Path) -> None:
    """One that does not commute is combined in the order of ranks, whatever the file says."""
    env = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(selection)}
    ended = build.run(str(own_operator), ranks=RANKS, env=env)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout == "right\n"


def test_other_collectives_are_as_they_were(selection: Path, library: Path) -> None:
    from agreport.tune.mpich_selection import read_library

    own, tuned = read_library(library), json.loads(selection.read_text())
    assert list(own) == list(tuned)
    changed = [name for name in own if own[name] != tuned[name]]
    assert set(changed) == {f"collective={name}" for name in COLLECTIVES}
    for name in changed:
        assert own[name]["comm_type=inter"] == tuned[name]["comm_type=inter"]
