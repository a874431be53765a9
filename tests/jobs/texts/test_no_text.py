# SPDX-License-Identifier: BSD-3-Clause
"""Names and values that are no text: folders whose names are no UTF-8, records with other bytes,
and control characters in a sweep file."""

import os
import subprocess
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.launchers import kind_of
from agsweep.results_folder import BEGUN_WITH
from agsweep.sweep.sweep_file import load
from program.support.launch import Build
from shared.bad_values import listing

from ..sweeps import Sweep, bench, build_table, two_ranks, written

pytestmark = pytest.mark.slow

LATIN = os.fsdecode(b"M\xfcnchen")  # in Latin-1


@pytest.fixture
def latin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that one is in. The paths of agsweep's own options have to be UTF-8."""
    folder = tmp_path / LATIN
    try:
        folder.mkdir()
    except OSError as error:
        pytest.skip(f"no such name here: {error}")
    monkeypatch.chdir(folder)
    return folder


def here(sweep: Sweep) -> Sweep:
    """Changes to the folder: names are relative to it."""
    return Sweep(Path(sweep.file.name), Path("results"))


def test_a_folder_whose_name_is_no_text(build: Build, latin: Path) -> None:
    sweep = here(two_ranks(latin, build))
    assert "1 of 1 launches are done" in sweep.ok("run")
    assert "done 1" in sweep.ok("status")
    sweep.ok("collect")
    assert sweep.manifest()["missing"] == {}
    log = sweep.file_of("n1_p2_sequential_allgather_mine_0.log").read_bytes()
    assert os.fsencode(latin) in log, "the command as it was"


def test_a_job_script_in_such_a_folder(build: Build, latin: Path) -> None:
    mpirun = [build.cached("GATHERBENCH_MPIEXEC"), "--version"]
    kind = kind_of(subprocess.run(mpirun, capture_output=True, text=True, check=True).stdout)
    sweep = here(written(latin, f'launcher = "{kind}"', build_table("mine", build.folder),
                         "[[points]]\nranks = 2\n", bench()))  # fmt: skip
    sweep.ok("submit", "--dry-run")
    script = sweep.results / "jobs" / "n1.sbatch"
    assert os.fsencode(latin) in script.read_bytes()
    done = subprocess.run(["bash", script], env={**os.environ, "SLURM_JOB_ID": "1"}, check=False)
    assert done.returncode == 0
    assert "done 1" in sweep.ok("status")


@pytest.mark.parametrize("file", [BEGUN_WITH, "jobs/submitted.jsonl", "sweep.toml"])
def test_a_record_that_is_no_text(build: Build, tmp_path: Path, file: str) -> None:
    """Each command either passes it over, or names it in a line."""
    sweep = two_ranks(tmp_path, build)
    sweep.ok("submit", "--dry-run")
    (sweep.results / file).write_bytes(b"\xff\xfe\n")
    for command in ("plan", "status", "resume", "collect"):
        ended = sweep.run(command)
        assert ended.exit_code in (0, 2, 3)
        lines = ended.stderr.splitlines()
        assert ended.exit_code != 2 or len(lines) == 1, lines


def test_a_log_that_is_no_text(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build)
    sweep.ok("submit", "--dry-run")
    log = sweep.file_of("n1_p2_sequential_allgather_mine_0.log")
    log.write_bytes(b"#@try=x process 1 on h\nbash: M\xfcnchen: not found\n#@end=x exit_code=1\n")
    assert "exit code 1: bash: M\N{REPLACEMENT CHARACTER}nchen: not found" in (
        sweep.run("status").stdout
    )


@pytest.mark.parametrize("letter", ["\\u0000", "\\r", "\\u001b", "\\u007f", "\\n"])
@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("[[builds]]", 'environment.X = "a{}b"'), ("[[builds]]", 'folder = "a{}b"'),
        ("[[builds]]", 'modules = ["a{}b"]'), ("[bench.options]", 'sizes = "1{}"'),
        ("[bench.options]", 'sizes = ["1{}"]'), ("[resources]", 'extra = ["a{}b"]'),
        ("[resources]", 'partition = "a{}b"'),
        ("[[builds]]", 'launcher = "a{}b -n {{ranks}} {{program}}"'),
    ],
)  # fmt: skip
def test_control_characters(tmp_path: Path, letter: str, table: str, key: str) -> None:
    text = (build_table("mine", tmp_path / "x").replace("folder", "#") + "[[points]]\nranks = 2\n"
            + bench("") + "[resources]\n")  # fmt: skip
    sweep = written(tmp_path, text.replace(table, f"{table}\n{key.format(letter)}", 1))
    with pytest.raises(BadInput, match="is not legal; legal: "):
        load(sweep.file)


@pytest.mark.parametrize("name", ["A-B", '"A.B"', "1", '"\u00c9"'])
def test_variables_that_bash_does_not_export(tmp_path: Path, name: str) -> None:
    tables = "[[points]]\nranks = 2\n", bench()
    sweep = written(tmp_path, build_table("a", tmp_path, f"environment.{name} = 1"), *tables)
    with pytest.raises(BadInput, match=r"builds\[0\]\.environment: .* is not legal; legal: "):
        load(sweep.file)
    load(written(tmp_path, build_table("a", tmp_path, "environment._A1 = 1"), *tables).file)


def test_nothing_is_left_by_what_is_refused(build: Build, tmp_path: Path) -> None:
    sweep = two_ranks(tmp_path, build, 'sizes = "1\\u0000"\n')
    before = listing(tmp_path)
    assert sweep.run("run").exit_code == 2
    assert listing(tmp_path) == before
