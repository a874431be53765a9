# SPDX-License-Identifier: BSD-3-Clause
"""Launches that are kept under a name, to compare later ones with."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from agformats.errors import BadInput
from agformats.files import data_set
from agformats.files.data_set_schema import RESULTS
from agformats.files.data_set_writer import Writer
from agformats.files.outputs import new_folder
from agreport.data.load import NO_RULES, read_files
from agreport.data.peer_launches import LogRules
from agreport.data.result_paths import result_files

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def save_baseline(
    folder: Path, name: str, files: Sequence[str], rules: LogRules = NO_RULES
) -> Path:
    """Copies the files to folder/name, and returns this path. Raises BadInput, and keeps nothing,
    if one is no result file, if the name is not legal or there already, or if there are rules and
    no logs. rules: what the user says of logs."""
    if not NAME.fullmatch(name):
        raise BadInput(f"--save-baseline: '{name}' is no name: letters, digits and . _ + -")
    kept = folder / name
    if kept.exists():
        raise BadInput(
            f"--save-baseline: '{name}' is there already: {kept}; remove it or take another"
        )
    found = result_files(files)
    launches = read_files([str(path) for path in found], rules=rules).launches
    given = "--ranks" if rules.ranks else "--collective" if rules.collective else ""
    if given and not any(launch.program for launch in launches):
        raise BadInput(
            f"--save-baseline keeps whole files; {given} does not go with it; legal: of logs of "
            "other programs"
        )
    with new_folder(kept) as part:
        stored: dict[str, Path] = {}
        for number, path in enumerate(found):
            name = f"{number:04}-{path.name}"
            if data_set.launch_at(path):
                stored[name] = path
            else:
                shutil.copyfile(path, part / name)
        if stored:
            keep_stored(part, stored)
    return kept


def keep_stored(folder: Path, launches: Mapping[str, Path]) -> None:
    """Writes launches of data sets to the folder, as one data set of their own. launches: their
    paths, by the names that they get in it."""
    with Writer(folder) as writer:
        for name, path in launches.items():
            found = data_set.launch_at(path)
            assert found, path
            kept, named = found
            launch, rows = kept.read_whole(named)
            writer.add(launch, rows, name, kept.origins[kept.numbers[named]])


def find_baseline(folder: Path, given: Sequence[str]) -> Sequence[str]:
    """Returns the files that are kept in the folder under the given name; anything else names
    files, and is returned as it is. Raises BadInput if a name is neither kept nor a file, or is
    both."""
    if len(given) > 1 or not NAME.fullmatch(given[0]):
        return given
    name, path = given[0], Path(given[0])
    kept = folder / name
    if not kept.is_dir():
        require_file(path, folder)
        return given
    if path.exists() and not path.samefile(kept):
        raise BadInput(f"--baseline: '{name}' is a file and a kept name: say ./{name} or {kept}")
    # Each file is named, since logs are not looked for in a folder.
    files = [*sorted(kept.glob("[0-9]*-*")), *kept.glob(RESULTS)]
    return [str(path) for path in files or [kept]]


def require_file(path: Path, folder: Path) -> None:
    if not path.exists():
        there = sorted(each.name for each in folder.glob("[!.]*") if each.is_dir())
        raise BadInput(
            f"--baseline: '{path}' is no file, and is not in {folder}; "
            f"there: {', '.join(there) or 'none'}"
        )
