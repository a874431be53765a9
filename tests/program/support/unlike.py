# SPDX-License-Identifier: BSD-3-Clause
"""Launches of which one rank is not like the others."""

from pathlib import Path

from .launch import IMPATIENT, Build, Ended, ended

SCRIPT = """
[ "${{OMPI_COMM_WORLD_RANK-${{PMI_RANK-}}}}" != {rank} ] || {{ {prefix}; }}
exec "$@"
"""


def run_unlike(
    build: Build, prefix: str, *arguments: str, folder: Path, rank: int = 1, ranks: int = 2,
    program: str = "allgather_bench", library: Path | None = None,
) -> Ended:  # fmt: skip
    """`prefix` is what the shell of one rank does first; `library` is preloaded into all ranks."""
    preload = [f"LD_PRELOAD={library}"] if library else []
    command = [
        str(build.program("mpirun_here")), str(ranks), "sh", "-c",
        SCRIPT.format(rank=rank, prefix=prefix), "sh", "env", *preload,
        str(build.program(program)), *arguments,
    ]  # fmt: skip
    return ended(program, command, folder, IMPATIENT)
