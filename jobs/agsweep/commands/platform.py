# SPDX-License-Identifier: BSD-3-Clause
"""Make a platform for SimGrid from a short description (jobs/platforms/*.toml)."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from agformats import paths
from agformats.errors import BadInput
from agsweep.platforms import description, topology, xml


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("description", metavar="DESCRIPTION.toml", type=paths.name,
                        help="the machine")  # fmt: skip
    parser.add_argument("-o", "--output", metavar="FILE.xml", type=paths.new("file"),
                        help="the platform; a new file (default: standard output)")  # fmt: skip
    parser.add_argument("--topology", metavar="FILE.conf", type=paths.new("file"),
                        help="its switches too, for --topology; a new file")  # fmt: skip
    parser.add_argument("--hosts", metavar="FILE", type=paths.new("file"),
                        help="its hosts too, one a line, in the order in which ranks fill them: "
                        "for allgather_schedule --hosts; a new file")  # fmt: skip


def run(given: Namespace) -> int:
    files = {"--output": given.output, "--topology": given.topology, "--hosts": given.hosts}
    option_of: dict[Path, str] = {}
    for option, file in files.items():
        if file and option_of.setdefault(file, option) != option:
            raise BadInput(f"{option}: '{file}' is that of {option_of[file]}; legal: another file")
    machine = description.load(given.description)
    wanted = {given.output: xml.text(machine)}
    if given.topology:
        wanted[given.topology] = topology.text(machine)
    if given.hosts:
        wanted[given.hosts] = "".join(f"{host}\n" for host in machine.hosts)
    for file, content in wanted.items():
        if file:
            file.write_text(content, encoding="utf-8")
        else:
            print(content, end="")
    return 0
