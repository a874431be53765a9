# SPDX-License-Identifier: BSD-3-Clause
"""Says what to give where a comparison lacks a side."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from agformats.errors import BadInput
from agreport.reports.builds import SIDES


def ask_for_sides(options: Namespace, rest: Sequence[str] = ()) -> str:
    """Returns a sentence that says what to give where a side is missing; empty if none is, or for
    --save-baseline. rest: words that are no options; a name such as --old is not the name of a
    side."""
    missing = [side for side in SIDES if not getattr(options, side)]
    if not missing or options.save_baseline:
        return ""
    given = [*(options.baseline or []), *(options.new or []), *rest]
    said = f"'{rest[0]}' says no side" if rest else f"--{missing[0]} FILES is missing"
    builds = name_builds([each for each in given if not each.startswith("-")])
    sides = " ".join(
        f"--{side} {build}"
        for side, build in zip(SIDES, builds if len(builds) == 2 else ["FILES"] * 2, strict=True)
    )
    which = f"; of {' and '.join(builds)} one each" if len(builds) > 2 else ""
    return f"{said}; the two sides are given as {sides}{which}"


def name_builds(given: Sequence[str]) -> list[str]:
    """Returns the folders of the builds below a folder that is given alone, as that of a sweep's
    data set is. Empty if several names are given, or there are fewer than two such folders."""
    if len(given) != 1 or not Path(given[0]).is_dir():
        return []
    from agreport.data.result_paths import result_files  # with pyarrow: takes a while

    try:
        folders = {path.parent for path in result_files(given)}
    except BadInput:
        return []
    return sorted(map(str, folders)) if len(folders) > 1 else []
