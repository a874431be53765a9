# SPDX-License-Identifier: BSD-3-Clause
"""file:PATH, a schedule that somebody made: proven, run, and refused."""

from pathlib import Path

import pytest

from ..support.launch import Build
from ..support.refusals import GATHER, GATHERV, listing, refused
from ..support.results import read_results

pytestmark = pytest.mark.slow

QUICK = ("--sizes", "1,100", "-i", "2", "-x", "0", "-c", "--output", "out.csv")


def save(build: Build, file: Path, algorithm: str, ranks: int) -> str:
    ended = build.schedule("show", "--algorithm", algorithm, "--ranks", str(ranks),
                           "--format", "json")  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    file.write_text(ended.stdout)
    return ended.stdout


def test_what_was_shown_runs(build: Build, tmp_path: Path) -> None:
    """Where blocks are moved in place, in scratch, with barriers, with a broadcast at the end."""
    names = ["sparbit", "bruck", "shift_mpi_barrier", "gather_bcast", "linear_gather_bcast"]
    for name in names:
        save(build, tmp_path / f"{name}.json", name, 3)
    (tmp_path / "other").mkdir()
    save(build, tmp_path / "other" / "two.json", "ring", 2)
    files = [*(f"file:{name}.json" for name in names), "file:bruck.json:noncontiguous=packed"]
    arguments = ("--algorithms", ",".join([*files, "file:other/two.json", "ring"]),
                 "--distributions", "regular,spike", "--ranks-per-node", "2",
                 "--mapping", "sequential,cyclic")  # fmt: skip
    ended = build.run(GATHERV, *QUICK, *arguments, ranks=3, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    labels = [*(f"file:{name}" for name in names), "file:bruck:noncontiguous=packed", "ring"]
    for label in labels:
        assert {row["status"] for row in results.of(label)} == {"ok"}, label
        assert len(results.of(label)) == 2 * 2 * 2 * 2
    assert {(row["status"], row["reason"]) for row in results.of("file:two")} == {
        ("skipped", "has the schedule of 2 ranks in its file; ranks = 3")
    }
    described = results.metadata["schedule_file_1"]
    assert described.startswith("file:sparbit: 3 ranks, checksum ")
    # The same again in other words, and then something else under the name.
    resume = (GATHERV, *QUICK, *arguments, "--resume")
    save(build, tmp_path / "sparbit.json", "sparbit", 3)
    text = (tmp_path / "sparbit.json").read_text()
    (tmp_path / "sparbit.json").write_text(text.replace(" ", "\n "))
    ended = build.run(*resume, ranks=3, cwd=tmp_path)
    assert ended.exit_code == 0 and "nothing is left to run" in ended.stdout, ended.stderr
    save(build, tmp_path / "sparbit.json", "ring", 3)
    message = refused(build.run(*resume, ranks=3, cwd=tmp_path))
    assert "schedule_file_1" in message and described in message


def test_a_wrong_schedule_is_refused(build: Build, tmp_path: Path) -> None:
    text = save(build, tmp_path / "good.json", "ring", 2)
    (tmp_path / "bad.json").write_text(text.replace("[[1,1]]", "[[0,1]]"))
    wrong = "file:bad.json: is no allgather: rank 0 in step 0 sends and receives block 0"
    before = listing(tmp_path)
    for bench in (GATHER, GATHERV):
        arguments = ("--algorithms", "ring,file:bad.json", *QUICK)
        assert wrong in refused(build.run(bench, *arguments, cwd=tmp_path))
    cases = [("show", []), ("cost", ["--model", "hockney:alpha=1,beta=1"]), ("rings", [])]
    for command, more in cases:
        ended = build.schedule(command, "--algorithm" + "s" * (command != "show"), "file:bad.json",
                               "--ranks", "2", *more, cwd=tmp_path)  # fmt: skip
        assert wrong in refused(ended)
    ended = build.schedule("prove", "--algorithms", "file:bad.json,file:good.json", "--ranks",
                           "2", cwd=tmp_path)  # fmt: skip
    assert ended.exit_code == 1 and "FAULT: file:bad at p = 2: rank 0 in step 0" in ended.stderr
    assert ended.stdout.splitlines()[-1].split()[:3] == ["file:good", "1", "0"]
    assert listing(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("missing.json", None, ["'missing.json' cannot be read"]),
        ("a.json", "{", ["file:a.json: is no JSON at byte"]),
        ("a.json", '{"ranks": 2, "schedules": [[]]}', ["has 1 for 2 ranks"]),
        ("no name.json", "{}", ["'file:no name.json' names no file"]),
    ],
)
def test_bad_files(
    build: Build, tmp_path: Path, name: str, text: str | None, parts: list[str]
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    message = refused(
        build.schedule("prove", "--ranks", "2", "--algorithms", f"file:{name}", cwd=tmp_path)
    )
    assert [part for part in ["--algorithms", *parts] if part not in message] == []
