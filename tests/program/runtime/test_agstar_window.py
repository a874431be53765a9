# SPDX-License-Identifier: BSD-3-Clause
"""libagstar.so with algorithms that copy within a node (NAME:via=window)."""

import re
import subprocess
from pathlib import Path

import pytest

from ..support.agstar import Run, assert_right, logs, preload, preloaded, said, tried
from ..support.launch import Build, Ended

pytestmark = pytest.mark.slow

LINEAR = "linear:via=window"
ALWAYS = {"AGSTAR_POLICY": f"fixed:{LINEAR}", "AGSTAR_REPORT": "report.csv"}
NONE_LEFT = re.compile(r"windows: (\d+) made, (\d+) at a time, 0 left")


@pytest.fixture
def run(build: Build, gathering_program: Path, tmp_path: Path) -> Run:
    return preloaded(build, gathering_program, tmp_path)


@pytest.fixture
def counted(build: Build, planted_window: Path) -> dict[str, str]:
    return {"LD_PRELOAD": f"{planted_window}:{preload(build)}"}


def algorithms(folder: Path) -> set[str]:
    """Returns the algorithms in use at the end."""
    names, *rows = (line.split(",") for line in (folder / "report.csv").read_text().splitlines())
    return {row[names.index("algorithm")] for row in rows}


def windows(ended: Ended) -> list[tuple[int, int]]:
    """Returns, for each rank, how many there were, and most at a time, after a look that none is
    left."""
    found = [line for line in ended.stderr.splitlines() if line.startswith("windows: ")]
    ends = [NONE_LEFT.fullmatch(line) for line in found]
    assert found and all(ends), found
    return [(int(end[1]), int(end[2])) for end in ends if end]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
def test_every_byte(run: Run, tmp_path: Path, ranks: int) -> None:
    """Blocks to 80 KB, of which a channel holds 32; in place and not, of all datatypes."""
    assert_right(run("mix", "80", ranks=ranks, **ALWAYS))
    assert algorithms(tmp_path) == ({LINEAR} if ranks > 1 else set())
    assert logs(tmp_path) == []  # refused to none


def test_wrong_bytes_in_a_slot_are_seen(run: Run, counted: dict[str, str]) -> None:
    """This shows that the bytes are looked at: what a rank takes from a slot in a later call has
    wrong ones."""
    ended = run("slots", "9", ranks=2, PLANTED_COPY="7", **ALWAYS, **counted)
    assert ended.exit_code != 0
    assert "MPI_Allgather gathered something else" in ended.stderr


def test_all_algorithms_in_turns(run: Run, tmp_path: Path) -> None:
    """The plans of all of them share one window; messages are sent in between."""
    assert_right(run("mix", "400", AGSTAR_POLICY="random:11"))
    by_window = {name for name in tried(tmp_path) if name.endswith(":via=window")}
    assert len(by_window) > 15 and len(tried(tmp_path) - by_window) > 15
    assert not any("passed on" in line for line in logs(tmp_path))


@pytest.mark.parametrize(
    ("scenario", "number", "ranks", "most"),
    [
        ("short_lived", "16", 3, 1),
        ("duplicates", "6", 2, 1),
        ("groups", "12", 4, 2),
        ("long_lived", "12", 2, 12),
        ("threads", "30", 2, 4),
        ("at_the_end", "20", 2, 1),
    ],
)
def test_a_communicators_window_goes_with_it(
    run: Run,
    tmp_path: Path,
    counted: dict[str, str],
    scenario: str,
    number: str,
    ranks: int,
    most: int,
) -> None:
    ended = run(scenario, number, ranks=ranks, **ALWAYS, **counted)
    if "no threads" in ended.stdout:
        pytest.skip("this MPI library has no MPI_THREAD_MULTIPLE")
    assert_right(ended)
    found = windows(ended)
    assert len(found) == ranks
    assert 1 <= max(at_a_time for _, at_a_time in found) <= most
    assert algorithms(tmp_path) == {LINEAR}


def test_one_window_for_all_kinds_of_calls(
    run: Run, tmp_path: Path, counted: dict[str, str]
) -> None:
    ended = run("mix", "80", ranks=2, **ALWAYS, **counted)
    assert_right(ended)
    assert windows(ended) == [(1, 1)] * 2


@pytest.mark.rest
def test_the_memory_is_bounded(run: Run, tmp_path: Path) -> None:
    """64 MiB a node are 5 windows of 16 ranks; later communicators stay with the MPI library."""
    ended = run("long_lived", "9", ranks=16, **ALWAYS)
    assert_right(ended)
    line = next(line for line in said(ended) if "share" in line)
    assert line.startswith("agstar: communicators that could not have memory")
    assert "node share: 4; " in line
    assert sum("passed on: refused" in line for line in logs(tmp_path)) == 4


PAGE = 4096
MOST_OF_A_NODE = 64 << 20


def bytes_of_part(ranks: int) -> int:
    """Returns what a rank has of a window of so many ranks of a node: a channel from each and a
    stage, in pages."""
    return (-(-(ranks * 33024 + 262144) // PAGE) + 1) * PAGE


@pytest.mark.rest
def test_the_memory_of_two_halves_is_bounded(run: Run, counted: dict[str, str]) -> None:
    """Neither half of the node knows the communicators of the other one."""
    ended = run("long_lived", "63", "2", ranks=8, **ALWAYS, **counted)
    assert_right(ended)
    of_ranks = [at_a_time * bytes_of_part(4) for _, at_a_time in windows(ended)]
    assert len(of_ranks) == 8
    assert MOST_OF_A_NODE - 8 * bytes_of_part(4) < sum(of_ranks) <= MOST_OF_A_NODE


def test_room_for_all_parts_at_once(run: Run, counted: dict[str, str]) -> None:
    """Three parts of 8 ranks make their windows at the same time. There is room for twice one of
    these, and not for all three: a rank would be killed when it writes to its part."""
    of_one = 3 * bytes_of_part(3)
    room = 2 * of_one * 16 // 15 + PAGE  # a sixteenth is not to be had
    assert room < 2 * of_one + 2 * bytes_of_part(2)
    blocks = {"PLANTED_ROOM": str(room // PAGE)}
    ended = run("long_lived", "1", "3", ranks=8, **blocks, **ALWAYS, **counted)
    assert_right(ended)
    assert windows(ended) == [(0, 0)] * 8


@pytest.mark.parametrize("fault", [{"PLANTED_RANK": "1"}, {"PLANTED_ROOM": "1"}])
@pytest.mark.parametrize("policy", ["random:5", f"fixed:{LINEAR}"])
def test_a_rank_without_memory(
    run: Run, tmp_path: Path, counted: dict[str, str], policy: str, fault: dict[str, str]
) -> None:
    """No rank takes a window then, and what goes by messages goes on."""
    ended = run("mix", "120", ranks=2, AGSTAR_POLICY=policy, **fault, **counted)
    assert_right(ended)
    assert sum("node share: 1; " in line for line in said(ended)) == 1
    of_messages = {name for name in tried(tmp_path) if "via=" not in name}
    assert bool(of_messages - {"native"}) == policy.startswith("random")
    assert not any("via=window" in name for name in tried(tmp_path))


def test_a_library_without_shared_windows(build: Build, run: Run, tmp_path: Path) -> None:
    if "open-mpi" not in subprocess.run(
        [build.cached("MPI_CXX_COMPILER"), "-showme:version"], capture_output=True, text=True
    ).stdout.lower().replace(" ", "-"):
        pytest.skip("only Open MPI can be told to have none")
    ended = run("mix", "60", AGSTAR_POLICY=f"fixed:{LINEAR}", OMPI_MCA_osc="^sm")
    assert_right(ended)
    assert sum("node share: 1; " in line for line in said(ended)) == 1


def test_a_profile_names_it(run: Run, tmp_path: Path) -> None:
    """What a program found makes the next one try it, without any of the others."""
    profile = tmp_path / "profile.csv"
    known = {"AGSTAR_PROFILE": str(profile), "AGSTAR_LEAST": "0"}
    assert_right(run("same", "60", ranks=2, **known))
    lines = profile.read_text().splitlines(keepends=True)
    assert any(f",{LINEAR}," in line for line in lines)
    kept = [line for line in lines if line[0] == "#" or line.startswith("collective,")]
    kept += [line for line in lines if f",{LINEAR}," in line]
    profile.write_text("".join(kept))
    for path in tmp_path.glob("log.*"):
        path.unlink()
    assert_right(run("same", "60", ranks=2, AGSTAR_FIRST="0", **known))
    assert tried(tmp_path) == {"native", LINEAR}


def test_a_bad_name(run: Run) -> None:
    ended = run("mix", "20", AGSTAR_POLICY="fixed:linear:via=windw")
    (line,) = said(ended)
    assert "'linear:via=windw'" in line and "did you mean 'linear:via=window'" in line
