# SPDX-License-Identifier: BSD-3-Clause
"""What agreport tune --agstar writes of a benchmark is what libagstar.so goes by in a program.

Times are invented, so that it is known which algorithms are worth trying, whatever the machine is.
"""

from pathlib import Path

import pytest

from agreport.main import main
from agreport.tune.agstar_profile import runnable

from ..support.agstar import assert_right, logs, preload, preloaded, said, tried
from ..support.invented import invent
from ..support.launch import Build

pytestmark = pytest.mark.slow

RANKS = 2
BLOCK = 80000  # bytes, of the program's scenario `same`
NEAR = 75000  # within a factor of 2^(1/4)
FAR = 40000
# None of these three is tried where nothing is known. The best is linear, and the other two are
# within 1.5 times of it.
FAST = {"linear": 10, "spread": 14.5, "pair:via=window": 12}
US = {"native": 30, **FAST, "pair": 15.5, "ring": 16}


def make_profile(build: Build, folder: Path, size: int) -> Path:
    asked = ("--algorithms", ",".join([*US, "bruck:k=2"]), "--sizes", str(size))
    ended = build.run("allgather_bench", *asked, "-i", "3", "-x", "0", "--output", "times.csv",
                      ranks=RANKS, cwd=folder)  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    invent(folder / "times.csv", lambda row: US.get(row["algorithm"], 1))
    profile = folder / "profile.csv"
    assert main(["tune", str(folder / "times.csv"), "--agstar", str(profile)]) == 0
    return profile


@pytest.mark.parametrize("size", [BLOCK, NEAR])
def test_only_what_was_fast_is_tried(
    build: Build, gathering_program: Path, tmp_path: Path, size: int
) -> None:
    profile = make_profile(build, tmp_path, size)
    before = set(profile.read_text().splitlines())
    known = {"AGSTAR_PROFILE": str(profile), "AGSTAR_LEAST": "0"}
    ended = preloaded(build, gathering_program, tmp_path)("same", "40", ranks=RANKS, **known)
    assert_right(ended)
    assert tried(tmp_path) == {"native", *FAST}
    # It is taken for one of its own: what this run did not try stays in it.
    assert not any("AGSTAR_PROFILE" in line for line in said(ended))
    after = set(profile.read_text().splitlines())
    assert {line for line in before if ",pair," in line or ",ring," in line} <= after
    assert after - before


def test_of_other_sizes_it_says_nothing(
    build: Build, gathering_program: Path, tmp_path: Path
) -> None:
    profile = make_profile(build, tmp_path, FAR)
    known = {"AGSTAR_PROFILE": str(profile), "AGSTAR_LEAST": "0"}
    assert_right(preloaded(build, gathering_program, tmp_path)("same", "40", ranks=RANKS, **known))
    assert "ring" in tried(tmp_path)
    assert not tried(tmp_path) & {*FAST}


def test_it_names_all_that_libagstar_runs(
    build: Build, gathering_program: Path, tmp_path: Path
) -> None:
    ended = preloaded(build, gathering_program, tmp_path)(
        "mix", "700", ranks=4, AGSTAR_POLICY="random:4"
    )
    assert_right(ended)
    assert logs(tmp_path)
    assert tried(tmp_path) <= {*runnable("allgather"), *runnable("allgatherv")}


# Of each collective a good one that is not tried where nothing is known, and two that are and that
# are not worth it. An all-reduce has a name with a parameter.
OTHERS = {
    "alltoall": ("shift_light_barrier", "linear", "spread"),
    "bcast": ("k_ary", "binomial", "flat"),
    "reduce": ("two_tree", "binomial", "butterfly"),
    "allreduce": ("rabenseifner:inner=shift", "recursive_doubling", "ring"),
}


@pytest.mark.parametrize("collective", OTHERS)
def test_other_collectives(build: Build, tmp_path: Path, collective: str) -> None:
    """The program is the benchmark: its calls of native are the library's."""
    best, *slow = OTHERS[collective]
    bench, size = f"{collective}_bench", ("--sizes", "80000", "-x", "0")
    asked = ("--algorithms", ",".join(["native", best, *slow]), *size, "--output", "times.csv")
    ended = build.run(bench, *asked, "-i", "3", ranks=RANKS, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    us = {"native": 30, best: 10, slow[0]: 16, slow[1]: 17}
    invent(tmp_path / "times.csv", lambda row: us[row["algorithm"]])
    profile = tmp_path / "profile.csv"
    assert main(["tune", str(tmp_path / "times.csv"), "--agstar", str(profile)]) == 0
    env = {"LD_PRELOAD": preload(build), "AGSTAR_LOG": "log", "AGSTAR_PROFILE": str(profile),
           "AGSTAR_LEAST": "0", "AGSTAR_COLLECTIVES": collective}  # fmt: skip
    program = ("--algorithms", "native", *size, "-i", "60", "--validation")
    ended = build.run(bench, *program, ranks=RANKS, cwd=tmp_path, env=env)
    assert ended.exit_code == 0, ended.stderr
    lines = [line for line in logs(tmp_path) if f", {collective} 80000" in line]
    assert any(f" {best} x" in line for line in lines)
    assert not [line for line in lines for name in slow if f" {name} x" in line]
