# SPDX-License-Identifier: BSD-3-Clause
"""A launcher that has no file here: its command, as the sweep file writes it."""

import re
import shlex
from dataclasses import dataclass

from agformats.errors import BadInput, Illegal
from agsweep.launchers.request import Request

PLACE = re.compile(r"\{([^{}]*)\}")
NUMBERS = ("nodes", "ranks", "ranks_per_node")
PROGRAM = "{program}"  # the benchmark with its options
EXAMPLE = f'"flux run -N {{nodes}} -n {{ranks}} {PROGRAM}"'


@dataclass(frozen=True)
class Template:
    text: str

    @property
    def program(self) -> str:
        return shlex.split(self.text)[0]

    def check(
        self, nodes: int, ranks: int, ranks_per_node: int, mapping: str, binding: str
    ) -> None:
        """Refuses a point that the words of the template cannot ask for."""
        own = f"with launcher = '{self.text}'"
        if mapping == "cyclic":  # a row says what was asked for, wherever the ranks are found
            raise BadInput(f"points.mappings: 'cyclic' is not legal {own}; legal: sequential")
        if binding != "default":
            raise BadInput(
                f"points.binding: '{binding}' is not legal {own}, which may ask for it itself; "
                "legal: default"
            )
        if "{ranks}" not in self.text and ranks != nodes * ranks_per_node:
            raise BadInput(
                f"points.ranks: {ranks} is not legal {own}, which has no {{ranks}}; "
                f"legal: nodes times ranks_per_node, {nodes * ranks_per_node}"
            )

    def command(self, request: Request) -> list[str]:
        request.refuse_hostfile(f"launcher = '{self.text}'", "to name it there")
        numbers = {name: str(getattr(request, name)) for name in NUMBERS}
        words = shlex.split(self.text)[:-1]
        return [PLACE.sub(lambda found: numbers[found[1]], word) for word in words]


def read(text: str) -> Template:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise Illegal(f"quotes in pairs ({error})") from None
    places = [name for word in words[:-1] for name in PLACE.findall(word)]
    if len(words) < 2 or words[-1] != PROGRAM or PLACE.search(words[0]):
        raise Illegal(f"a program first and {PROGRAM} last, such as {EXAMPLE}")
    for name in places:
        if name not in NUMBERS:
            raise Illegal(f"{', '.join(f'{{{each}}}' for each in NUMBERS)} before {PROGRAM}")
    if "ranks" not in places and not {"nodes", "ranks_per_node"} <= set(places):
        raise Illegal("{ranks}, or both {nodes} and {ranks_per_node}: how many are to be started")
    return Template(text)
