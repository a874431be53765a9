"""Writes the compile commands that clang-tidy reads, made of those of a build.

Run in the repository's root: lint_commands.py BUILD SOURCE...
BUILD/lint gets a command for each source alone, which then has to do with its own includes.
BUILD/lint/together gets one for each folder of the given SOURCEs, which are one source there: what
they include is read once.
"""

import json
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

Command = dict[str, str]
PRECOMPILED = re.compile(r" -Winvalid-pch -include \S*/cmake_pch\.hxx")
OUTPUT = re.compile(r" -o \S+ -c \S+$")
# Folders whose sources have names in common: each command's Options, each device's calls.
APART = ("tools/allgather_schedule", "runtime/device")


def alone(commands: list[Command]) -> list[Command]:
    """Returns one command a source, though libraries share some; without precompiled headers."""
    once: dict[str, Command] = {}
    for entry in commands:
        entry["command"] = PRECOMPILED.sub("", entry["command"])
        once.setdefault(entry["file"], entry)
    return list(once.values())


def together(commands: list[Command], folder: Path) -> list[Command]:
    """Writes a source for each folder and set of options, which includes theirs, to `folder`."""
    alike: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    where = {}
    for entry in commands:
        path = Path(entry["file"])
        room = path.parent.relative_to(Path.cwd()).as_posix()
        single = room in APART or "\nint main(" in path.read_text(encoding="utf-8")
        key = (OUTPUT.sub("", entry["command"]), room, path.stem if single else "")
        alike[key].append(entry["file"])
        where[key] = entry["directory"]
    written = []
    for number, (key, files) in enumerate(sorted(alike.items())):
        options, room, _ = key
        source = (folder / f"{room.replace('/', '_')}_{number}.cpp").resolve()
        source.write_text("".join(f'#include "{file}"\n' for file in files), encoding="utf-8")
        command = f"{options} -c {source}"
        written.append({"directory": where[key], "command": command, "file": str(source)})
    return written


def main(build: Path, sources: list[str]) -> None:
    lint = build / "lint"
    shutil.rmtree(lint, ignore_errors=True)
    (lint / "together").mkdir(parents=True)
    each = alone(json.loads((build / "compile_commands.json").read_text(encoding="utf-8")))
    wanted = {str(Path(source).resolve()) for source in sources}
    of_folders = together([one for one in each if one["file"] in wanted], lint / "together")
    for folder, commands in ((lint, each), (lint / "together", of_folders)):
        text = json.dumps(commands, indent=1)
        (folder / "compile_commands.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
