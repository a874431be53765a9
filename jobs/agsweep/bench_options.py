# SPDX-License-Identifier: BSD-3-Clause
"""Does the benchmark know the options that a sweep gives it, and how many cases do they make?"""

import re

from agsweep.command import options
from agsweep.launchers.words import first_line
from agsweep.sweep import builds
from agsweep.sweep.sweep_file import RESERVED, Sweep
from agsweep.sweep.tables import Bench, Build
from agsweep.toml.schema import Where, check_keys

OPTION = re.compile(r"^\s+(?:-\w,)?--([a-z][a-z-]*)", re.MULTILINE)


def check(sweep: Sweep) -> None:
    """Checks options by name, with the program's own help; values are for the benchmark to
    judge."""
    for number, bench in enumerate(sweep.bench):
        for build in sweep.builds:
            builds.check_program(build, bench)
            said = builds.output_of(build, [str(builds.program(build, bench)), "--help"])
            # A help may name an option again, in the text of another one.
            if known := dict.fromkeys(OPTION.findall(said)):
                where = Where(sweep.file, f"bench[{number}].options")
                check_keys(bench.options, [x for x in known if x not in RESERVED], where)


def cases(build: Build, bench: Bench, nodes: int) -> int | str:
    """Returns the cases of one launch at most, as the benchmark counts them without a launcher; if
    it cannot, what it says. There it is on one node, where all mappings are one."""
    command = [str(builds.program(build, bench)), *options(bench.options), "--dry-run"]
    said = builds.output_of(build, command)
    if not (match := re.search(r"^cases +(\d+)$", said, re.MULTILINE)):
        return first_line(said)
    mappings = {*bench.options.get("mapping", "").split(",")}
    return int(match[1]) * (len(mappings) if nodes > 1 else 1)
