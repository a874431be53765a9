# SPDX-License-Identifier: BSD-3-Clause
"""Make a platform for SimGrid from a short description (jobs/platforms/*.toml)."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from agformats.errors import BadInput
from agsweep.platforms import description, topology, xml


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("description", metavar="DESCRIPTION.toml", type=Path, help="the machine")
    parser.add_argument("-o", "--output", metavar="FILE.xml", type=Path,
                        help="the platform; a new file (default: standard output)")  # fmt: skip
    parser.add_argument("--topology", metavar="FILE.conf", type=Path,
                        help="its switches too, for --topology; a new file")  # fmt: skip


def run(given: Namespace) -> int:
    machine = description.load(given.description)
    wanted = {given.output: xml.text(machine)}
    if given.topology:
        wanted[given.topology] = topology.text(machine)
    for option, file in (("--output", given.output), ("--topology", given.topology)):
        if file and file.exists():
            raise BadInput(f"{option}: '{file}' exists and is not overwritten; legal: a new file")
    for file, content in wanted.items():
        if file:
            file.write_text(content, encoding="utf-8")
        else:
            print(content, end="")
    return 0
