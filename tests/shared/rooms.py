# SPDX-License-Identifier: BSD-3-Clause
"""The order of rooms and of their folders, from the tables of docs/development/design.md."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
DESIGN = ROOT / "docs" / "development" / "design.md"


@dataclass(frozen=True)
class Order:
    """Parts are paths from the root without a suffix: a header and its source are one part."""

    floors: dict[str, int]  # of each room
    may_use: dict[str, list[str]]  # room -> rooms
    layers: dict[str, list[list[str]]]  # room or package -> folders, from the bottom up

    def place(self, part: str) -> tuple[str, str, int] | None:
        """Its room or package, its folder there and that one's layer."""
        above = [str(folder) for folder in PurePosixPath(part).parents]
        room = next((folder for folder in above if folder in self.layers), None)
        if room is None:
            return None
        inside = PurePosixPath(part).relative_to(room)
        for folder in (str(inside), *map(str, inside.parents)):
            if folder == "." and len(inside.parts) > 1:
                break  # a new folder has no place until it gets a row
            for height, layer in enumerate(self.layers[room]):
                if folder in layer:
                    return room, folder, height
        return None

    def fault(self, part: str, used: str) -> str:
        """Why the part may not use the other one; empty: it may."""
        start, end = self.place(part), self.place(used)
        if start is None or end is None:
            lost = used if start else part
            return f"{part} uses {used}: {lost} has no place in docs/development/design.md"
        room, other = start[0].split("/")[0], end[0].split("/")[0]
        if room != other:
            goes_down = other in self.may_use[room]
        else:
            goes_down = start[:2] == end[:2] or (start[0] == end[0] and end[2] < start[2])
        return "" if goes_down else f"{part} uses {used}, which is not below it"


def table(text: str, head: str) -> list[list[str]]:
    """The rows of the table with this head."""
    lines = text[text.index(head) + len(head) :].strip().splitlines()
    rows = lines[1 : next((at for at, line in enumerate(lines) if line[:1] != "|"), len(lines))]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def quoted(cell: str) -> list[str]:
    """Returns what stands in the cell as code, without a slash at its end."""
    return [name.rstrip("/") for name in re.findall(r"`([^`]+)`", cell)]


def order_of(text: str) -> Order:
    rooms = table(text, "| floor | room | what it is | may use |")
    folders = table(text, "| room | folders |")
    return Order(
        {quoted(room)[0]: int(floor) for floor, room, _, _ in rooms},
        {quoted(room)[0]: quoted(used) for _, room, _, used in rooms},
        {quoted(room)[0]: [quoted(layer) for layer in row.split("→")] for room, row in folders},
    )
