# SPDX-License-Identifier: BSD-3-Clause
"""Launches kept under a name, to compare later ones with."""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from agformats.errors import BadInput
from agreport.data.load import load, result_files

FOLDER = Path("baselines")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def place(folder: Path, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise BadInput(f"--baseline: '{name}' is no name: letters, digits and . _ + -")
    return folder / name


def save(folder: Path, name: str, files: Sequence[str]) -> Path:
    """Copies of the files; nothing is kept of files that are no results."""
    kept = place(folder, name)
    if kept.exists():
        raise BadInput(f"--baseline: '{name}' is there already: {kept}; remove it or take another")
    found = result_files(files)
    load([str(path) for path in found])
    part = kept.with_name(f".{name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    for number, path in enumerate(found):
        shutil.copyfile(path, part / f"{number:04}-{path.name}")
    part.rename(kept)
    return kept


def find(folder: Path, name: str) -> str:
    kept = place(folder, name)
    if not kept.is_dir():
        there = sorted(path.name for path in folder.glob("[!.]*") if path.is_dir())
        raise BadInput(
            f"--baseline: '{name}' is not in {folder}; there: {', '.join(there) or 'none'}"
        )
    return str(kept)
