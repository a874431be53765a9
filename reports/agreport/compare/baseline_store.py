# SPDX-License-Identifier: BSD-3-Clause
"""Launches that are kept under a name, to compare later ones with."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from agformats.errors import BadInput
from agreport.data.load import load, result_files

FOLDER = Path("baselines")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def save_baseline(folder: Path, name: str, files: Sequence[str]) -> Path:
    """Copies of the files; nothing is kept of files that are no results."""
    if not NAME.fullmatch(name):
        raise BadInput(f"--save-baseline: '{name}' is no name: letters, digits and . _ + -")
    kept = folder / name
    if kept.exists():
        raise BadInput(
            f"--save-baseline: '{name}' is there already: {kept}; remove it or take another"
        )
    found = result_files(files)
    load([str(path) for path in found])
    part = kept.with_name(f".{name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for number, path in enumerate(found):
        shutil.copyfile(path, part / f"{number:04}-{path.name}")
    part.rename(kept)
    return kept


def find_baseline(folder: Path, given: Sequence[str]) -> Sequence[str]:
    """The folder of a name that is kept; anything else names files."""
    if len(given) > 1 or not NAME.fullmatch(given[0]):
        return given
    name, path = given[0], Path(given[0])
    kept = folder / name
    if not kept.is_dir():
        if path.exists():
            return given
        there = sorted(path.name for path in folder.glob("[!.]*") if path.is_dir())
        raise BadInput(
            f"--baseline: '{name}' is no file, and is not in {folder}; "
            f"there: {', '.join(there) or 'none'}"
        )
    if path.exists() and not path.samefile(kept):
        raise BadInput(f"--baseline: '{name}' is a file and a kept name: say ./{name} or {kept}")
    return [str(kept)]
