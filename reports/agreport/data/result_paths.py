# SPDX-License-Identifier: BSD-3-Clause
"""Names, globs and directories -> the result files that they stand for."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agformats.errors import BadInput
from agformats.files import data_set
from agformats.files.data_set_schema import ENDING, RESULTS
from agformats.files.gzip_text import endings
from agformats.files.outputs import RESULT_BEGIN, begin
from agformats.notes import note
from agreport.data.suffixes import SUFFIXES

STANDARD_INPUT = "-"
BESIDE_RESULTS = tuple(ending for suffix in SUFFIXES for ending in endings(suffix))


def result_files(names: Sequence[str]) -> list[Path]:
    """Returns each result file once, however often it is named: a launch must not be pooled with
    itself. Launches of data sets have paths of files, too (agformats/files/data_set.py). Raises
    BadInput for standard input, and if there are only files beside results."""
    found: dict[Path, Path] = {}
    for name in names:
        if name == STANDARD_INPUT:
            raise BadInput(
                f"'{name}': standard input is not read; legal: a file that has what it gives"
            )
        paths = expand(Path(name))
        # A shell's *.csv also matches the files beside the results.
        results = [path for path in paths if not path.name.endswith(BESIDE_RESULTS)]
        found.update(zip(resolved(results), results, strict=True))
    if not found:
        beside = ", ".join(f"*{suffix}" for suffix in SUFFIXES)
        raise BadInput(f"{', '.join(names)}: only what is beside results ({beside}), no results")
    return list(found.values())


def resolved(paths: Sequence[Path]) -> Iterator[Path]:
    """Yields what Path.resolve returns, in a fifth of the time for many files of one folder."""
    folders: dict[Path, Path] = {}
    for path in paths:
        if path.is_symlink():
            yield path.resolve()
            continue
        if path.parent not in folders:
            folders[path.parent] = path.parent.resolve()
        yield folders[path.parent] / path.name


def expand(name: Path) -> list[Path]:
    """Returns the file itself, what a glob matches, and for a directory all result files below it.
    Raises BadInput if there are none."""
    if name.exists():
        matches = [name]
    elif (found := data_set.around(name)) and (stored := found.named(name)):
        return stored
    else:
        root = Path(name.anchor or ".")
        try:
            matches = sorted(root.glob(str(name.relative_to(name.anchor))))
        except ValueError as error:  # of a pattern such as a**b
            raise BadInput(f"{name}: no such file; as a glob: {error}") from None
    paths = [path for match in matches for path in files_of(match)]
    if not paths:
        what = f"*.csv or {RESULTS} below it" if name.is_dir() else "such file"
        raise BadInput(f"{name}: no {what}")
    return paths


def files_of(match: Path) -> list[Path]:
    if match.is_dir():
        return result_files_below(match)
    return data_set.opened(match).paths if match.suffix == ENDING else [match]


def result_files_below(folder: Path) -> list[Path]:
    files = [path for path in folder.rglob("*.csv*") if path.name.endswith(endings(".csv"))]
    if unseen := [path.name for path in sorted(folder.iterdir()) if is_unseen(path)]:
        note(
            f"{folder}: results whose names do not end in {' or '.join(endings('.csv'))} are not "
            f"read: {', '.join(unseen)}; legal: their names, beside that of the folder"
        )
    stored = [path for found in folder.rglob(RESULTS) for path in data_set.opened(found).paths]
    if found := data_set.around(folder):  # this folder lies in a data set, as that of a build may
        stored += found.named(folder)
    if both := sorted({*files} & {*stored}):
        raise BadInput(f"{both[0]}: is a file, and in {RESULTS}; remove one of them")
    return sorted([*files, *stored])


def is_unseen(path: Path) -> bool:
    """Returns whether a file has results, though its name does not say so; False for a file that
    cannot be read."""
    if path.name.endswith((*endings(".csv"), ENDING)):
        return False
    try:
        return path.is_file() and begin(path).startswith(RESULT_BEGIN)
    except OSError:
        return False
