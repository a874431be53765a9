# SPDX-License-Identifier: BSD-3-Clause
"""The one table of launchers. Each is a file here with two functions, and a row below; of any other
the sweep file has the command, as a template."""

from typing import Protocol

from agsweep.launchers import intel, mpich, openmpi, smpirun, srun, template
from agsweep.launchers.request import Request


class Launcher(Protocol):
    def command(self, request: Request, /) -> list[str]:
        """Returns the words of the command up to the program."""


class Known(Launcher, Protocol):
    def recognises(self, version: str, /) -> bool:
        """Returns whether this is what `mpirun --version` of this kind of launcher says."""


# The order is that in which `mpirun --version` is recognised: Intel's names Hydra too.
LAUNCHERS: dict[str, Known] = {
    "openmpi": openmpi,
    "intel": intel,
    "mpich": mpich,
    "srun": srun,
    "smpirun": smpirun,
}


def kind_of(version: str) -> str | None:
    found = (name for name, launcher in LAUNCHERS.items() if launcher.recognises(version))
    return next(found, None)


def launcher(text: str) -> Launcher:
    """Returns a launcher by its name, or as a template."""
    return LAUNCHERS.get(text) or template.read(text)
