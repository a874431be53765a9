# SPDX-License-Identifier: BSD-3-Clause
"""adaptive:policy=... of the collectives that do not gather: each has candidates of its own, and
whatever is taken in a call, its bytes are checked there."""

from pathlib import Path

import pytest

from ..support.algorithms import (
    ALLREDUCES,
    ALLTOALLS,
    BCASTS,
    REDUCTIONS,
    is_power_of_two,
    prime_factors,
)
from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import Results, read_results
from ..support.switch_trees import CHAIN

pytestmark = pytest.mark.slow

SIZES = ("256", "260")  # whole integers; some all-to-alls of STAR-MPI are for at most 256 bytes
STAR = "adaptive:policy=star:iterations=3:grouping=no"
RANDOM = "adaptive:policy=random:3"
AGSTAR = "adaptive:policy=agstar"
ALGORITHMS = {
    "alltoall": ALLTOALLS,
    "bcast": BCASTS,
    "reduce": REDUCTIONS,
    "allreduce": ALLREDUCES,
}
AT_ROOT = {"bcast": ("--root", "1"), "reduce": ("--root", "1")}

# Faraj 2006, 4.3.1.1, and for broadcasts and reductions 4.1.1.1, by the names that they have here.
# RING is a ring over the switches where they are known.
RING = "topology_ring"
SMALL_ALLTOALLS = {"recursive_doubling", "mesh2d", "mesh3d", "bruck"}
PHASES = {"topology_phases_sender", "topology_phases_receiver"}
WAYS = ("", "_light_barrier", "_mpi_barrier")
SHIFTS = [f"shift{way}" for way in WAYS]
INNER = ["linear", "mesh2d", "mesh3d", "recursive_doubling", "bruck_in_place"]
REPOSITORY = {
    "alltoall": {
        "linear",
        *SMALL_ALLTOALLS,
        *(f"{name}{way}" for name in ("shift", "pair") for way in WAYS),
        *PHASES,
    },
    "allreduce": {
        *(f"allgather_reduce:inner={name}" for name in [*INNER[1:], "shift"]),
        *(
            f"rabenseifner:inner={name}"
            for name in [*INNER, *(f"shift{way}" for way in WAYS), RING]
        ),
        *(f"alltoall_allgather:inner={RING}:scatter=shift{way}" for way in WAYS),
        *(f"alltoall_allgather:inner=shift{way}:scatter=shift{way}" for way in WAYS),
    },
    "bcast": {"flat", "binomial", "scatter_allgather", "topology_linear", "topology_binary"},
    "reduce": {"binomial", "butterfly", "linear_pipeline"},
}
WITHOUT_SWITCHES = {
    **dict.fromkeys(PHASES, ""),
    "topology_linear": "linear_pipeline",
    "topology_binary": "binary",
}
# A parameter that has its default is not said.
LABELS = {
    "allgather_reduce:inner=bruck_in_place": "allgather_reduce",
    "rabenseifner:inner=recursive_doubling": "rabenseifner",
    "alltoall_allgather:inner=ring:scatter=shift": "alltoall_allgather",
}


def runs_at(name: str, ranks: int) -> bool:
    """Rabenseifner's algorithm has its all-gather among as many ranks as a power of two."""
    way = name.partition("inner=")[2].partition(":")[0] or name
    if name.startswith("rabenseifner"):
        ranks = 1 << (ranks.bit_length() - 1)
    if way in ("mesh2d", "mesh3d"):
        return prime_factors(ranks) >= int(way[-2])
    return is_power_of_two(ranks) or not way.startswith(("pair", "recursive_doubling"))


def published(collective: str, ranks: int, size: str, switches: bool = False) -> set[str]:
    """Returns what STAR-MPI tries."""
    found = {name for name in REPOSITORY[collective] if runs_at(name, ranks)}
    if collective == "alltoall" and int(size) > 256:
        found -= SMALL_ALLTOALLS
    if not switches:
        others = {WITHOUT_SWITCHES.get(name, name) for name in found}
        found = {name.replace(RING, "ring") for name in others if name}
    return {LABELS.get(name, name) for name in found}


def run(build: Build, folder: Path, collective: str, ranks: int, *arguments: str) -> Results:
    asked = ("--sizes", ",".join(SIZES), "-x", "0", "--validation", "--output", "out.csv")
    ended = build.run(f"{collective}_bench", *asked, *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(folder / "out.csv")
    assert {row["status"] for row in results.rows} == {"ok"}
    return results


def chosen(results: Results, contender: str, size: str) -> set[str]:
    return {row["chosen"] for row in results.of(contender) if row["bytes"] == size}


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("collective", ALGORITHMS)
def test_every_policy(build: Build, tmp_path: Path, collective: str, ranks: int) -> None:
    asked = ("--algorithms", f"{STAR},{RANDOM},{AGSTAR}", "-i", "120")
    results = run(build, tmp_path, collective, ranks, *asked, *AT_ROOT.get(collective, ()))
    for size in SIZES:
        assert chosen(results, STAR, size) == published(collective, ranks, size)
        taken = chosen(results, RANDOM, size)
        assert {name.partition(":")[0] for name in taken} <= {"native", *ALGORITHMS[collective]}
        assert len(taken) > 8
        assert any(name.endswith(":via=window") for name in taken)
        tried = chosen(results, AGSTAR, size)
        assert "native" in tried and 1 < len(tried) <= 6
        assert {name.partition(":")[0] for name in tried} <= {"native", *ALGORITHMS[collective]}


@pytest.mark.parametrize(("collective", "number"), [("alltoall", 13), ("allreduce", 20)])
def test_all_that_were_published(
    build: Build, tmp_path: Path, collective: str, number: int
) -> None:
    """Eight ranks, of which each has a host, can run all of them with the switches known."""
    (tmp_path / "tree.conf").write_text(CHAIN.text())
    place = ("--ranks-per-node", "1", "--topology", "tree.conf", "--wait", "sleep")
    results = run(build, tmp_path, collective, 8, "--algorithms", STAR, "-i", "80", *place)
    taken = chosen(results, STAR, "256")
    assert taken == published(collective, 8, "256", switches=True)
    assert len(taken) == number


@pytest.mark.parametrize("collective", ["reduce", "allreduce"])
def test_an_operator_that_does_not_commute(build: Build, collective: str) -> None:
    asked = ("--algorithms", AGSTAR, "--op", "compose", "--sizes", "64")
    message = refused(build.alone(f"{collective}_bench", *asked))
    assert f"{AGSTAR} needs an operator that commutes" in message


def test_names_with_parameters(build: Build, tmp_path: Path) -> None:
    """Those of STAR-MPI's all-reduces."""
    one, other = "allgather_reduce:inner=mesh2d", "alltoall_allgather:inner=shift:scatter=shift"
    fixed = f"adaptive:policy=fixed:{one}:via=window"
    both = f"adaptive:policy=star:algorithms={other}+{one}+ring:via=window:iterations=3:grouping=no"
    results = run(build, tmp_path, "allreduce", 4, "--algorithms", f"{fixed},{both}", "-i", "20")
    assert chosen(results, fixed, "256") == {f"{one}:via=window"}
    assert chosen(results, both, "256") == {one, other, "ring:via=window"}


@pytest.mark.parametrize("collective", ALGORITHMS)
@pytest.mark.parametrize("policy", ["star:algorithms=native+", "fixed:"])
def test_a_name_of_another_collective(build: Build, collective: str, policy: str) -> None:
    """What is legal is told: all algorithms of this one, and none of another's."""
    asked = ("--algorithms", f"adaptive:policy={policy}sparbit", "--sizes", "64")
    message = refused(build.alone(f"{collective}_bench", *asked))
    assert message.startswith("--algorithms adaptive:policy: ")
    assert "'sparbit' is no candidate here" in message
    legal = message.partition("legal: ")[2].split(", ")
    assert len(legal) == len({*legal})
    rest = {name.partition(":")[0] for name in legal} - {*ALGORITHMS[collective]}
    assert rest <= {"all", "adaptive", "native", "native_nonblocking", "native_persistent"}
    assert {LABELS.get(name, name) for name in REPOSITORY[collective]} <= {*legal}


@pytest.mark.parametrize("collective", ALGORITHMS)
def test_policies_are_listed(build: Build, collective: str) -> None:
    ended = build.alone(f"{collective}_bench", "--list")
    assert ended.exit_code == 0
    for policy in ("agstar", "star[:iterations=N]", "random:SEED", "fixed:NAME"):
        assert f"  adaptive:policy={policy}" in ended.stdout
