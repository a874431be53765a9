# SPDX-License-Identifier: BSD-3-Clause
import inspect
import json
from pathlib import Path

from ramble.appkit import *

# Ramble 0.5 sets no __file__.
CHECKOUT = Path(inspect.getfile(inspect.currentframe())).resolve().parents[5]
CATALOGUE = CHECKOUT / "formats" / "agformats" / "catalogue.json"
US = r"\d+\.\d+"


class Gatherbench(ExecutableApplication):
    """Benchmarks of the MPI all-gather and its relatives. A workload is a collective."""

    name = "gatherbench"

    tags("benchmark", "micro-benchmark", "mpi")

    software_spec("gatherbench", pkg_spec="gatherbench", package_manager="spack*")
    # Its prefix is gatherbench_path; without a package manager an experiment has to say it.
    required_package("gatherbench", package_manager="spack*")

    # 1: a byte arrived wrong; 3: unfinished
    executable("exit-code", "echo exit code $?", output_capture=OUTPUT_CAPTURE.ALL)
    rows = json.loads(CATALOGUE.read_text())["collectives"]
    collectives = [row["name"] for row in rows]
    for row in rows:
        program = row["executable"]
        executable(
            program,
            f"{{gatherbench_path}}/bin/{program} --table {{table}} {{options}}",
            use_mpi=True,
            output_capture=OUTPUT_CAPTURE.ALL,
        )
        workload(row["name"], executables=[program, "exit-code"])

    workload_variable(
        "table",
        default="osu --full",
        description="A table of each algorithm, or one with all of them side by side",
        values=["osu --full", "side-by-side"],
        workloads=collectives,
    )
    workload_variable(
        "options",
        default="",
        description="What else the program is to do, such as --algorithms all --sizes 1K,64K",
        workloads=collectives,
    )

    figure_of_merit_context(
        "table",
        regex=r"# (?:OSU-style .*\balgorithm: |MPI \w+, (?=ranks: ))"
        r"(?P<table>.+?)(?:, gatherbench .*)?$",
        output_format="{table}",
    )
    osu_row = (
        rf"(?P<bytes>\d+)\s+(?P<average>{US})\s+(?P<minimum>{US})\s+(?P<maximum>{US})"
        r"\s+(?P<iterations>\d+)(?:\s|$)"
    )
    for latency in ("average", "minimum", "maximum"):
        figure_of_merit(
            f"{latency} latency, {{bytes}} B",
            fom_regex=osu_row,
            group_name=latency,
            units="us",
            contexts=["table"],
        )
    figure_of_merit(
        "lowest median latency, {bytes} B",  # of the algorithms, side by side
        fom_regex=rf"(?P<bytes>\d+)\s.*?(?P<us>{US})\*",
        group_name="us",
        units="us",
        contexts=["table"],
    )

    success_criteria("bytes-are-right", mode="string", anti_match=r".*WRONG RESULT")
    success_criteria("finished", mode="string", match=r"exit code 0$")
