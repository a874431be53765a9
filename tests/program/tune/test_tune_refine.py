# SPDX-License-Identifier: BSD-3-Clause
"""The commands that agreport tune --refine prints run, and tune takes what they write.

Times are invented, so that the fastest algorithm changes between two sizes whatever the machine is.
"""

import shlex
from pathlib import Path

import pytest

from agreport.main import main

from ..support.invented import invent
from ..support.launch import Build

pytestmark = pytest.mark.slow

RANKS = 2
BORDER = 1000  # bytes, from which on Bruck is the fastest
SIZES = (64, 4096)


@pytest.fixture
def names(mpi: str) -> list[str]:
    """Returns what is fastest below the border, and from there on."""
    return ["native:ring", "native:bruck" if mpi.startswith("Open MPI") else "native:brucks"]


def invent_times(path: Path, names: list[str]) -> None:
    invent(path, lambda row: 1 if row["algorithm"] == names[int(row["bytes"]) >= BORDER] else 2)


@pytest.mark.parametrize("collective", ["allgather", "allgatherv"])
def test_what_it_prints_runs(
    build: Build,
    mpi: str,
    names: list[str],
    collective: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    every = ["native", *names]
    one_a_launch = collective == "allgatherv" and mpi.startswith("Open MPI")
    launches = [[name] for name in every] if one_a_launch else [every]
    more = ["--distributions", "regular,spike"] if collective == "allgatherv" else []
    chosen = ["--distribution", "spike"] if collective == "allgatherv" else []
    for number, together in enumerate(launches):
        ended = build.run(f"{collective}_bench", "--algorithms", ",".join(together), "--sizes",
                          ",".join(map(str, SIZES)), *more, "-i", "3", "-x", "0", "--output",
                          f"first_{number}.csv", ranks=RANKS, cwd=tmp_path)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        invent_times(tmp_path / f"first_{number}.csv", names)
    capsys.readouterr()
    # By ratio, and then between that one and 4096: once, where each algorithm takes a launch.
    middles = (512,) if one_a_launch else (512, 1448)
    for middle in middles:
        files = sorted(str(path) for path in tmp_path.glob("*.csv"))
        assert main(["tune", *files, *chosen, "--refine"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) == len(launches)
        for line in lines:
            mpirun, option, ranks, program, *arguments = shlex.split(line)
            assert [mpirun, option, ranks] == ["mpirun", "-n", str(RANKS)]
            assert arguments[arguments.index("--sizes") + 1] == str(middle)
            before = set(tmp_path.glob("*.csv"))
            ended = build.run(Path(program).name, *arguments, ranks=RANKS, cwd=tmp_path)
            assert ended.exit_code == 0, ended.stderr
            (new,) = set(tmp_path.glob("*.csv")) - before
            invent_times(new, names)
    files = sorted(str(path) for path in tmp_path.glob("*.csv"))
    assert main(["tune", *files, *chosen, "--format", "csv"]) == 0
    rows = [line.split(",")[2:4] for line in capsys.readouterr().out.splitlines()[1:]]
    assert rows == [[str(size), names[size >= BORDER]] for size in (64, *middles, 4096)]
