# SPDX-License-Identifier: BSD-3-Clause
"""Ranks of one launch that are unlike: told, or made no difference, but never a hang without a
word, and never numbers of something else."""

from pathlib import Path

import pytest

from ..conftest import compile_planted
from ..support.launch import Build
from ..support.refusals import refused
from ..support.results import read_results
from ..support.unlike import run_unlike

pytestmark = pytest.mark.slow

QUICK = ("--sizes", "8", "--algorithms", "ring", "-i", "3", "-x", "1", "--output", "out.csv")
CONFIG = "sizes=8,1K\niterations=3\nwarmup=1\nalgorithms=ring,native\n"
BY_CONFIG = ("--config", "c.cfg", "--output", "out.csv")


@pytest.fixture(scope="module")
def planted(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_planted(build, "planted_rank", tmp_path_factory)


def plant(name: str, value: object) -> str:
    return f"export PLANTED_{name}={value}"


# Options


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (None, ["--config: c.cfg was not readable"]),
        (CONFIG + "timeout=nonsense\n", ["--timeout: 'nonsense'", "(in its --config c.cfg)"]),
        (CONFIG + "sizse=8\n", ["c.cfg", "'sizse'"]),
    ],
)
def test_one_rank_cannot_use_its_options(
    build: Build, tmp_path: Path, rank: int, text: str | None, parts: list[str]
) -> None:
    """It says so itself, since rank 0 may have nothing to say."""
    (tmp_path / "c.cfg").write_text(CONFIG)
    (tmp_path / "other").mkdir()
    if text is not None:
        (tmp_path / "other" / "c.cfg").write_text(text)
    ended = run_unlike(build, "cd other", *BY_CONFIG, folder=tmp_path, rank=rank)
    message = refused(ended)
    assert message.startswith(f"rank {rank}: ")
    for part in parts:
        assert part in message
    assert not list(tmp_path.rglob("out.csv"))


@pytest.mark.parametrize(
    ("text", "there", "here"),
    [
        (CONFIG.replace("8,1K", "8,2K"), "'--sizes=8,2K'", "'--sizes=8,1K'"),
        (CONFIG.replace("ring,", "bruck,"), "'--algorithms=bruck,native'", "ring,native'"),
        (CONFIG.replace("warmup=1", "warmup=2"), "'--warmup=2'", "'--warmup=1'"),
        (CONFIG + "in-place=true\n", "'--in-place=true'", "nothing of its own"),
        (CONFIG.replace("warmup=1\n", ""), "nothing of its own", "'--warmup=1'"),
        (CONFIG + "seed=7\n", "'--seed=7'", "nothing of its own"),
        (CONFIG + "order=sequential\n", "'--order=sequential'", "nothing of its own"),
    ],
)
def test_a_file_of_options_that_says_something_else(
    build: Build, tmp_path: Path, text: str, there: str, here: str
) -> None:
    (tmp_path / "c.cfg").write_text(CONFIG)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c.cfg").write_text(text)
    message = refused(run_unlike(build, "cd other", *BY_CONFIG, folder=tmp_path, ranks=3))
    assert message.startswith("rank 1: its --config c.cfg is another file than that of rank 0: ")
    assert there in message.partition("rank 0: ")[2].partition(", rank 0 has")[0]
    assert here in message.partition(", rank 0 has")[2]
    assert not list(tmp_path.rglob("out.csv"))


def test_a_file_of_options_that_looks_different(build: Build, tmp_path: Path) -> None:
    """Files count as alike if they set the same options, however they are written."""
    (tmp_path / "c.cfg").write_text(CONFIG)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "c.cfg").write_text("# mine\n" + CONFIG.replace("=", " = "))
    ended = run_unlike(build, "cd other", *BY_CONFIG, folder=tmp_path)
    assert ended.exit_code == 0, ended.stderr


def test_another_build(build: Build, tmp_path: Path) -> None:
    """It is of the same commit: what the linker says of it is another number."""
    copy = tmp_path / "allgather_bench"
    program = build.program("allgather_bench").read_bytes()
    note = program.index(b"GNU\0", program.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0"))
    changed = bytes([program[note + 4] ^ 1])
    copy.write_bytes(program[: note + 4] + changed + program[note + 5 :])
    copy.chmod(0o755)
    prefix = f'shift $(($# - {len(QUICK)})); set -- {copy} "$@"'
    message = refused(run_unlike(build, prefix, *QUICK, folder=tmp_path))
    assert message.startswith("rank 1: its program is another build of the same version than ")


# Settings of the MPI library


def setting(build: Build) -> tuple[str, str]:
    """A variable that makes no difference here, and its value as the library tells it."""
    return {
        "openmpi": ("OMPI_MCA_coll_tuned_priority", "31"),
        "intel": ("I_MPI_ADJUST_ALLGATHER", "3"),
        "mpich": ("MPIR_CVAR_BCAST_MIN_PROCS", "16"),
    }[build.family]


def test_settings_are_told_of_all_ranks(build: Build, tmp_path: Path) -> None:
    name, value = setting(build)
    ended = run_unlike(build, f"export {name}={value}", *QUICK, folder=tmp_path, ranks=3)
    assert ended.exit_code == 0, ended.stderr
    settings = read_results(tmp_path / "out.csv").metadata["library_settings"]
    told = f"unlike: rank 1 with {name}={value}"
    assert settings.startswith(f"{told}; rank 0 with ")
    assert f"# settings of the MPI library are {told}\n" in ended.stdout


def test_settings_of_rank_0_alone(build: Build, tmp_path: Path) -> None:
    name, value = setting(build)
    ended = run_unlike(build, f"export {name}={value}", *QUICK, folder=tmp_path, ranks=3, rank=0)
    assert ended.exit_code == 0, ended.stderr
    settings = read_results(tmp_path / "out.csv").metadata["library_settings"]
    assert settings.startswith(f"unlike: ranks 1-2 without {name}={value}; rank 0 with ")


def test_a_hang_by_settings_has_its_cause_named(build: Build, tmp_path: Path) -> None:
    if build.family != "openmpi":
        pytest.skip("of Open MPI")
    ended = run_unlike(build, "export OMPI_MCA_coll=^tuned", *QUICK, "--timeout", "2s",
                       folder=tmp_path)  # fmt: skip
    assert ended.exit_code == 3
    (message,) = [text for text in ended.messages if "made no progress" in text]
    cause = "settings of the MPI library are unlike: rank 1 with OMPI_MCA_coll=^tuned"
    assert f"; the cause may be that {cause}; if the launcher " in message


@pytest.mark.parametrize(("rank", "begin"), [(0, ""), (1, "rank 1: ")])
def test_one_rank_refuses_for_its_settings(
    build: Build, tmp_path: Path, rank: int, begin: str
) -> None:
    """The others go on, and would wait for it; it ends them itself."""
    if build.family != "openmpi":
        pytest.skip("of Open MPI")
    ended = run_unlike(build, "export OMPI_MCA_coll_tuned_use_dynamic_rules=0", "--sizes", "8",
                       "--algorithms", "native:ring", "-i", "3", "--timeout", "5s",
                       folder=tmp_path, rank=rank)  # fmt: skip
    assert ended.exit_code == 2
    assert ended.messages[0].startswith(f"{begin}--algorithms: 'native:ring' cannot be had: ")


# Clocks


def test_clocks_of_one_host_that_differ(build: Build, tmp_path: Path, planted: Path) -> None:
    """They differ as in a time namespace: an hour is told from a microsecond."""
    for sync in ("barrier", "window"):
        output = f"{sync}.csv"
        ended = run_unlike(build, plant("CLOCK", 3600 * 10**9), "--sizes", "8", "-i", "20",
                           "--algorithms", "ring", "--sync", sync, "--output", output,
                           folder=tmp_path, library=planted, ranks=3)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        results = read_results(tmp_path / output)
        assert (
            results.metadata["clock"]
            == "steady_clock, synchronised between the ranks by ping-pongs"
        )
        assert all(abs(float(row["run_us"])) < 10**9 for row in results.rows)
        assert "have steady clocks of their own" in ended.stdout


# Memory


@pytest.mark.parametrize("rank", [0, 1])
def test_no_memory(build: Build, tmp_path: Path, planted: Path, rank: int) -> None:
    """Wherever it happens, also while options are read and before MPI is."""
    for objects in (100, 500, 1000, 1500, 2000, 3000):
        ended = run_unlike(build, plant("MEMORY", objects), *QUICK, folder=tmp_path,
                           rank=rank, library=planted)  # fmt: skip
        assert ended.exit_code == 3, ended.stderr
        assert f"rank {rank}: no memory" in ended.messages
        assert "terminate called" not in ended.stderr
        (tmp_path / "out.csv").unlink(missing_ok=True)


# One rank


def test_a_forgotten_launcher(build: Build, tmp_path: Path) -> None:
    for program, what in (("allgather_bench", "gathered"), ("bcast_bench", "sent")):
        options = ("--sizes", "8", "-i", "2", "-x", "0")
        ended = build.run(program, *options, ranks=1, cwd=tmp_path)
        assert ended.exit_code == 0
        assert ended.messages == [
            f"1 rank: nothing is {what}; start it with mpirun -n 2 or build/bin/mpirun_here 2"
        ]
        assert build.alone(program, *options, "--dry-run", cwd=tmp_path).messages == []
