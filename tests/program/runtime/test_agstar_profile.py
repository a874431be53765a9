# SPDX-License-Identifier: BSD-3-Clause
"""AGSTAR_PROFILE: what a program leaves to the next one."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ..support.agstar import Run, assert_right, logs, preloaded, said, tried
from ..support.launch import Build

pytestmark = pytest.mark.slow

ANY_LENGTH = {"AGSTAR_LEAST": "0"}


@pytest.fixture
def run(build: Build, gathering_program: Path, tmp_path: Path) -> Run:
    return preloaded(build, gathering_program, tmp_path)


def rows(profile: Path) -> list[dict[str, str]]:
    lines = [line for line in profile.read_text().splitlines() if not line.startswith("#")]
    names, *cells = (line.split(",") for line in lines)
    return [dict(zip(names, row, strict=True)) for row in cells]


def forget_logs(folder: Path) -> None:
    for path in folder.glob("log.*"):
        path.unlink()


def test_the_next_program_knows(run: Run, tmp_path: Path) -> None:
    """It tries but what took at most 1.5 times the best, and native; the first one tried more."""
    profile = tmp_path / "profile.csv"
    known = {"AGSTAR_PROFILE": str(profile), **ANY_LENGTH}
    assert_right(run("same", "40", **known))
    first = rows(profile)
    assert {(row["collective"], row["ranks"], row["bytes"]) for row in first} == {
        ("allgather", "3", "240000")
    }
    assert {"native"} < {row["algorithm"] for row in first} <= tried(tmp_path)
    forget_logs(tmp_path)
    least = min(int(row["median_ns"]) for row in first)
    near = {row["algorithm"] for row in first if 2 * int(row["median_ns"]) <= 3 * least}
    # Without the profile it would try none but native.
    assert_right(run("same", "60", AGSTAR_FIRST="0", **known))
    assert tried(tmp_path) <= {"native", *near}
    assert len(tried(tmp_path)) > 1 or near == {"native"}
    forget_logs(tmp_path)
    # STAR-MPI knows of no profile.
    assert_right(run("same", "60", AGSTAR_POLICY="star:iterations=1:grouping=no", **known))
    assert {"linear", "bruck", "shift", "shift_mpi_barrier", "ring"} <= tried(tmp_path)


@pytest.mark.parametrize(
    ("calls", "settings"),
    [
        ("6", {}),
        ("40", {"AGSTAR": "observe"}),
        ("60", {"AGSTAR_POLICY": "star:iterations=2"}),
        ("40", {"AGSTAR_POLICY": "random:3"}),
    ],
)
def test_what_leaves_nothing(
    run: Run, tmp_path: Path, calls: str, settings: dict[str, str]
) -> None:
    """Who tried nothing does not say what is worth trying, and other policies have no medians."""
    profile = tmp_path / "profile.csv"
    assert_right(run("same", calls, AGSTAR_PROFILE=str(profile), **ANY_LENGTH, **settings))
    assert logs(tmp_path)  # there were times
    assert not profile.exists()


def test_a_profile_with_native_alone(run: Run, tmp_path: Path) -> None:
    """It is as none: the next program tries others, and adds what they took."""
    profile = tmp_path / "profile.csv"
    known = {"AGSTAR_PROFILE": str(profile), **ANY_LENGTH}
    assert_right(run("same", "40", **known))
    lines = profile.read_text().splitlines(keepends=True)
    data = lines.index(next(line for line in lines if line.startswith("collective,"))) + 1
    natives = [line for line in lines[data:] if ",native," in line]
    profile.write_text("".join([*lines[:data], *natives]))
    forget_logs(tmp_path)
    assert_right(run("same", "40", **known))
    assert tried(tmp_path) > {"native"}
    assert {row["algorithm"] for row in rows(profile)} > {"native"}


def test_a_link_and_permissions_stay(run: Run, tmp_path: Path) -> None:
    """The file is made where the link leads, and is replaced there."""
    real, link = tmp_path / "of_the_site" / "profile.csv", tmp_path / "profile.csv"
    real.parent.mkdir()
    link.symlink_to(Path("of_the_site", "profile.csv"))
    known = {"AGSTAR_PROFILE": str(link), **ANY_LENGTH}
    assert_right(run("same", "40", **known))
    assert rows(real)
    for mode, ranks in ((0o660, 2), (0o604, 4)):  # so that there is something to add
        real.chmod(mode)
        before = real.stat().st_ino
        assert_right(run("same", "40", ranks=ranks, **known))
        assert real.stat().st_ino != before  # replaced as a whole
        assert real.stat().st_mode & 0o777 == mode
        assert link.is_symlink() and not real.is_symlink()
    assert [path.name for path in real.parent.iterdir()] == ["profile.csv"]


def test_several_programs_at_a_time(build: Build, gathering_program: Path, tmp_path: Path) -> None:
    """None of them loses what another found."""
    profile = tmp_path / "profile.csv"
    folders = [tmp_path / name for name in ("a", "b", "c")]
    scenarios = ["same", "mix", "short"]

    def launch(number: int) -> None:
        folders[number].mkdir()
        ended = preloaded(build, gathering_program, folders[number])(
            scenarios[number], "60", ranks=2, AGSTAR_PROFILE=str(profile), **ANY_LENGTH
        )
        assert_right(ended)
        assert not any("stays as it is" in line for line in said(ended))

    with ThreadPoolExecutor(len(folders)) as pool:
        list(pool.map(launch, range(len(folders))))
    sizes = {int(row["bytes"]) for row in rows(profile)}
    assert 160000 in sizes and min(sizes) < 10000  # of `same`, and of `short`
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["profile.csv"]


@pytest.mark.parametrize(
    ("key", "fault"), [("mpi", "another MPI library"), ("hosts", "other hosts")]
)
def test_a_profile_of_something_else(run: Run, tmp_path: Path, key: str, fault: str) -> None:
    profile = tmp_path / "profile.csv"
    known = {"AGSTAR_PROFILE": str(profile), **ANY_LENGTH}
    assert_right(run("same", "40", **known))
    forget_logs(tmp_path)
    lines = profile.read_text().splitlines(keepends=True)
    others = [f"#@{key}=other\n" if line.startswith(f"#@{key}=") else line for line in lines]
    assert others != lines
    profile.write_text("".join(others))
    ended = run("same", "40", **known)
    assert_right(ended)
    first, last = [line for line in said(ended) if "AGSTAR_PROFILE" in line]
    assert fault in first and first.endswith("; it is not used, and stays as it is")
    assert "stays as it is" in last and fault in last
    assert profile.read_text() == "".join(others)


def test_no_profile(run: Run, tmp_path: Path) -> None:
    """It may be something else of the user's."""
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk\n")
    ended = run("same", "40", AGSTAR_PROFILE=str(notes), **ANY_LENGTH)
    assert_right(ended)
    (line,) = said(ended)
    assert line.startswith(f"agstar: {notes}:1: ") and line.endswith("; all calls are passed on")
    assert notes.read_text() == "buy milk\n"


def test_a_folder_that_is_not_there(run: Run, tmp_path: Path) -> None:
    ended = run("same", "40", AGSTAR_PROFILE=str(tmp_path / "none" / "p.csv"), **ANY_LENGTH)
    assert_right(ended)
    assert any("stays as it is: No such file or directory" in line for line in said(ended))
