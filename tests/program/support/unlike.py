# SPDX-License-Identifier: BSD-3-Clause
"""Launches of which one rank is not like the others."""

import os
import subprocess
from pathlib import Path

from .launch import DEADLINE_S, IMPATIENT, Build, Ended

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
    done = subprocess.run(
        [str(build.program("mpirun_here")), str(ranks), "sh", "-c",
         SCRIPT.format(rank=rank, prefix=prefix), "sh", "env", *preload,
         str(build.program(program)), *arguments],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder,
        env={**os.environ, **IMPATIENT}, timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    return Ended(program, done.returncode, done.stdout, done.stderr)
