# SPDX-License-Identifier: BSD-3-Clause
"""Includes between the folders of bench/ go down only."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# From the bottom up: a folder may include what is below it. What is in bench/ itself may include
# everything, and is included by nothing but its own; collective.h alone is for all.
ORDER = ("process", "duet", "options", "native", "setup", "measure", "results", "")
FOR_ALL = "bench/collective.h"


def includes() -> list[tuple[str, str]]:
    """File and included file, both below bench/."""
    return [
        (str(path.relative_to(ROOT)), included)
        for path in sorted((ROOT / "bench").rglob("*"))
        if path.suffix in {".h", ".cpp"}
        for included in re.findall(r'^#include "(bench/\S+)"', path.read_text(), re.M)
    ]


def upward(found: list[tuple[str, str]]) -> list[str]:
    def floor(file: str) -> int:
        _, *folders, _ = file.split("/")
        return ORDER.index("/".join(folders))

    return [
        f"{file} includes {included}"
        for file, included in found
        if included != FOR_ALL and floor(included) > floor(file)
    ]


def test_includes_go_down() -> None:
    found = includes()
    assert len(found) > 100  # they were found
    assert upward(found) == []


@pytest.mark.parametrize(
    ("file", "included"),
    [
        ("bench/setup/cases.h", "bench/measure/prepare.h"),
        ("bench/duet/join.cpp", "bench/setup/setup.h"),
        ("bench/results/tables.h", "bench/listing.h"),
    ],
)
def test_an_include_that_goes_up_is_found(file: str, included: str) -> None:
    assert upward([(file, included)]) == [f"{file} includes {included}"]
