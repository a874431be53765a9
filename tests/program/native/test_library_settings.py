# SPDX-License-Identifier: BSD-3-Clause
"""Launches in which the library's own call is another algorithm: never one sample, never compared
or resumed without a word."""

from pathlib import Path

import pytest

from agreport.main import main

from ..support.launch import Build
from ..support.results import read_results

pytestmark = pytest.mark.slow

VARIABLE = "coll_tuned_allgather_algorithm"
RULES = "coll_tuned_dynamic_rules_filename"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def settings(build: Build) -> dict[str, str]:
    """Returns a setting in the environment that each library knows, and no other one does."""
    return {
        "mpich": {"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM": "ring"},
        "intel": {"I_MPI_ADJUST_ALLGATHER": "3"},
        "openmpi": {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", f"OMPI_MCA_{VARIABLE}": "4"},
    }[build.family]


def launch(
    build: Build, folder: Path, name: str, env: dict[str, str], *more: str
) -> tuple[Path, int, str]:
    ended = build.run("allgather_bench", "--algorithms", "native", "--sizes", "1K", "-i", "3",
                      "-x", "1", "--output", name, *more, cwd=folder, env=env)  # fmt: skip
    return folder / name, ended.exit_code, ended.stderr


def test_they_are_kept_apart(
    build: Build, tmp_path: Path, settings: dict[str, str], capsys: Capture
) -> None:
    plain, *_ = launch(build, tmp_path, "plain.csv", {})
    set_so, *_ = launch(build, tmp_path, "set.csv", settings)
    again, *_ = launch(build, tmp_path, "again.csv", settings)
    said = {read_results(path).metadata["library_settings"] for path in (set_so, again)}
    assert len(said) == 1
    assert said.isdisjoint({read_results(plain).metadata["library_settings"]})
    files = [str(path) for path in (plain, set_so, again)]
    assert main(["summary", *files, "--format", "csv"]) == 0
    captured = capsys.readouterr()
    assert "launches differ in library_settings, so they are kept apart" in captured.err
    assert main(["summary", *files, "--by", "library_settings"]) == 0
    assert main(["compare", "--baseline", files[0], "--new", *files[1:]]) == 2
    assert "library_settings differs, and must not" in capsys.readouterr().err


def test_a_launch_is_not_resumed_with_others(
    build: Build, tmp_path: Path, settings: dict[str, str]
) -> None:
    path, *_ = launch(build, tmp_path, "out.csv", {})
    before = path.read_bytes()
    _, code, said = launch(build, tmp_path, "out.csv", settings, "--resume")
    assert code == 2
    assert "library_settings" in said
    assert path.read_bytes() == before


def test_rules_are_what_their_file_says(build: Build, tmp_path: Path) -> None:
    if build.family != "openmpi":
        pytest.skip("of Open MPI")
    rules = tmp_path / "rules.conf"
    env = {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", f"OMPI_MCA_{RULES}": str(rules)}
    said = []
    for name, text in (("one.csv", "0\n"), ("two.csv", "0 # none\n")):
        rules.write_text(text)
        path, *_ = launch(build, tmp_path, name, env)
        said.append(read_results(path).metadata["library_settings"])
    assert all(f"{RULES}={rules}(" in each for each in said)
    assert said[0] != said[1]


def test_a_parameter_file_counts_and_what_we_set_ourselves_does_not(
    build: Build, tmp_path: Path
) -> None:
    if build.family != "openmpi":
        pytest.skip("of Open MPI")
    parameters = tmp_path / ".openmpi" / "mca-params.conf"
    parameters.parent.mkdir()
    parameters.write_text("coll_tuned_priority = 31\n")
    path, *_ = launch(build, tmp_path, "file.csv", {"HOME": str(tmp_path)})
    assert "OMPI_MCA_coll_tuned_priority=31" in read_results(path).metadata["library_settings"]
    ended = build.run("allgather_bench", "--algorithms", "native:ring", "--sizes", "8", "-i", "1",
                      "--output", "own.csv", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 0
    assert "coll_tuned" not in read_results(tmp_path / "own.csv").metadata["library_settings"]
