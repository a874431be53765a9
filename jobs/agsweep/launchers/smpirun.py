# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid's smpirun: all ranks in one process, on hosts that are simulated.

A mapping is the order of its hostfile. `platform` is XML, or a description that becomes XML beside
the results.
"""

import os
from pathlib import Path

from agformats.errors import BadInput
from agsweep.launchers.flags import flags
from agsweep.launchers.request import Request
from agsweep.platforms import description, xml


def recognises(version: str) -> bool:
    return version.startswith("SimGrid version")


def command(request: Request) -> list[str]:
    request.refuse_hostfile("smpirun", "none, since the platform has the hosts")
    platform, hosts = platform_of(request)
    hostfile = request.folder / f"{request.name}.hosts"
    write(hostfile, "".join(f"{host}\n" for host in order(request, hosts)))
    words = [request.mpirun, "-np", str(request.ranks), "-platform", str(platform)]
    given = [f"--cfg={name}:{value}" for name, value in request.simulation.items()]
    return [*words, "-hostfile", str(hostfile), *flags("smpirun", "always"), *given]


def platform_of(request: Request) -> tuple[Path, list[str]]:
    """Returns the file of the platform, and its hosts in the order in which they are filled. A
    description becomes XML beside the results. Raises BadInput if the request has no platform, or
    one that is no such file."""
    if not request.platform:
        raise BadInput(
            "platform: is not given; legal: a platform file (.xml) or a description "
            "(.toml, such as jobs/platforms/yahoo.toml)"
        )
    given = Path(request.platform)
    if given.suffix not in (".xml", ".toml"):
        raise BadInput(f"platform: '{given}' is no platform; legal: FILE.xml, FILE.toml")
    if not given.exists():
        raise BadInput(f"platform: there is no file '{given}'; legal: FILE.xml, FILE.toml")
    if given.suffix == ".xml":
        return given, xml.hosts(given)
    machine = description.load(given)
    file = request.folder / f"{request.name}.xml"
    write(file, xml.text(machine))
    return file, machine.hosts


def order(request: Request, hosts: list[str]) -> list[str]:
    """Returns the host of each rank. Raises BadInput if the platform has fewer hosts than the
    launch has nodes."""
    if request.nodes > len(hosts):
        raise BadInput(
            f"points.nodes: {request.nodes} is more than the platform '{request.platform}' has; "
            f"legal: up to {len(hosts)}"
        )
    if request.mapping == "cyclic":
        return [hosts[rank % request.nodes] for rank in range(request.ranks)]
    each = request.ranks_per_node
    return [hosts[rank // each % request.nodes] for rank in range(request.ranks)]


def write(file: Path, content: str) -> None:
    """Writes a file whole or not at all: a launch that is resumed writes the same file again."""
    file.parent.mkdir(parents=True, exist_ok=True)
    half = file.with_suffix(f"{file.suffix}.{os.getpid()}")
    half.write_text(content, encoding="utf-8")
    half.replace(file)
