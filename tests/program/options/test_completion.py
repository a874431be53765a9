# SPDX-License-Identifier: BSD-3-Clause
"""Tests what bash is told of a command line that is not finished."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from agformats.catalogue import catalogue

from ..support.launch import Build

pytestmark = pytest.mark.slow

SCRIPTS = Path(sys.executable).parent
DISTRIBUTIONS = [each.name for each in catalogue().distributions]
# readline calls it so: with the line, and the words that it makes of it.
ASK = """
source "$1"
COMP_LINE=$2 COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$2"
[[ $2 != *' ' ]] || COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
function=$(complete -p "$3" | sed -E 's/.* -F ([^ ]+) .*/\\1/')
"$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def replies(script: Path, line: str, program: str, folder: Path) -> list[str]:
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", ASK, "bash", script, line, program], env=environment,
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.stderr == ""
    return done.stdout.split()


@cache
def printed(program: str) -> str:
    command = [str(SCRIPTS / program), "--print-completion", "bash"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("allgather_bench --siz", ["--sizes", "--size-order"]),
        ("allgather_bench --algorithms spar", ["sparbit"]),
        ("allgather_bench --sizes 1K --algorithms ring,loch", ["ring,loch2021"]),
        ("allgather_bench --algorithms bruck:k=4,spar", ["4,sparbit"]),  # behind the last = or :
        ("allgather_bench --algorithms=spar", ["sparbit"]),
        ("alltoall_bench --algorithms b", ["bruck"]),
        ("alltoall_bench --algorithms spar", [""]),  # an all-gather
        ("allgather_schedule prove --algorithms spar", ["sparbit"]),
        ("allgather_bench --algorithms bruck,ring@sw", ["bruck,ring@switch"]),
        ("allgatherv_bench --distributions ", ["all", *DISTRIBUTIONS]),
        ("allgather_bench --arrival no", ["none", "normal"]),
        ("allgather_bench --wait ", ["busy", "sleep", "work"]),
        ("allgather_bench --sync w", ["window"]),
        ("allgather_bench --order ", ["interleaved", "sequential"]),
        ("allgather_bench --groups ", ["node"]),
        ("allgather_bench --buffer-offset ", ["random"]),
        ("allgatherv_bench --displacements ", ["dense", "permuted"]),
        ("allgatherv_bench --datatype ", ["byte", "int", "float", "double"]),
        ("reduce_bench --prediction wr", ["wrong:shuffled", "wrong:reversed"]),
        ("allgather_bench --output ", [""]),  # a file's name
        ("mpirun_here 4 allgather_bench --precis", ["--precision"]),
        ("allgather_schedule sh", ["show"]),
        ("allgather_schedule show --algorithm recursive_d", ["recursive_doubling"]),
        ("allgather_schedule show --format j", ["json"]),
        ("allgather_schedule prove --job", ["--jobs"]),
    ],
)
def test_programs(build: Build, line: str, expected: list[str]) -> None:
    script = build.folder / "completions" / "gatherbench.bash"
    found = replies(script, line, line.split()[0], build.folder / "bin")
    assert found == [each for each in expected if each]


@pytest.mark.parametrize(
    ("program", "line", "expected"),
    [
        ("agsweep", "agsweep re", ["resume"]),
        ("agsweep", "agsweep collect --par", ["--partial"]),
        ("agreport", "agreport heat", ["heatmap"]),
        ("agreport", "agreport selection --near", ["--near-ties"]),
    ],
)
def test_python_programs(program: str, line: str, expected: list[str], tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(printed(program))
    assert replies(script, line, program, SCRIPTS) == expected


def test_files_are_files(tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text("")
    script = tmp_path / "script"
    script.write_text(printed("agsweep"))
    line = f"agsweep plan {tmp_path}/som"
    assert replies(script, line, "agsweep", SCRIPTS) == [f"{tmp_path}/some.toml"]
