# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as text for a terminal or as Markdown: a line a case, and the verdict last."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from agreport.cli import render
from agreport.data.load import PAIR
from agreport.figure.words import size_label

from . import words
from .comparability import find_differences
from .comparison import Comparison
from .sides import find_varied
from .verdicts import CALLED
from .words import tabulate_cases

ALWAYS = ("algorithm", "bytes")


def text(comparison: Comparison) -> str:
    return "\n".join(write_sections(comparison, render.text, "{}:", "  {}"))


def markdown(comparison: Comparison) -> str:
    body = write_sections(comparison, render.markdown, "## {}\n", "- {}")
    return "\n".join(["# Comparison of base and new\n", *body])


def write_sections(
    comparison: Comparison, table: Callable[[pd.DataFrame], str], title: str, item: str
) -> Iterable[str]:
    def listed(name: str, lines: Iterable[str]) -> Iterable[str]:
        if found := list(lines):
            yield title.format(name)
            yield from (item.format(line) for line in found)
            yield ""

    cases = comparison.cases
    constant = [key for key in PAIR if key not in (*find_varied(cases), *ALWAYS)]
    common = ", ".join(f"{key} {cases.index[0][PAIR.index(key)]}" for key in constant)
    yield f"{words.describe_units(comparison)} {f'All: {common}.' if common else ''}\n"
    differences = find_differences(comparison.sides)
    yield from listed("What differs", (f"{key}: {base} -> {new}" for key, base, new in differences))
    if len(comparison.missing):
        yield title.format("Not compared")
        yield table(comparison.missing.reset_index())
    yield table(for_reading(comparison).drop(columns=constant))
    yield from listed(
        "Tails and stalls",
        (
            *words.describe_tails(comparison),
            *words.describe_stalls(comparison),
            *words.describe_untested(comparison),
        ),
    )
    yield from listed("Diagnostics", comparison.diagnostics)
    if power := words.describe_power(comparison):
        yield f"{power}\n"
    yield f"{words.conclude(comparison)}\n"


def for_reading(comparison: Comparison) -> pd.DataFrame:
    """Puts first what is called; each has its numbers of ranks and bytes, and one p-value: that of
    the direction that was seen."""
    cases, called = comparison.cases, [*CALLED]
    place = [called.index(each) if each in called else len(called) for each in cases["verdict"]]
    shown = tabulate_cases(cases.iloc[np.argsort(place, kind="stable")])
    shown["verdict"] = [words.name_verdict(comparison, each) for each in shown["verdict"]]
    p = np.where(shown["change_percent"] > 0, shown["p_slower"], shown["p_faster"])
    small = [f"{each:.4f}" if each >= 0.0001 else "<0.0001" for each in p]
    shown["p"] = np.where(np.isnan(p), "-", small)
    for column in ("high_percent", "detectable_percent"):
        # A bound may have hundreds of digits where launches are few.
        limit = words.MAX_PERCENT
        shown[column] = [
            f">{limit:g}" if each > limit else render.cell(each) for each in shown[column]
        ]
    shown["bytes"] = shown["bytes"].map(size_label)
    named = ("change", "low", "high", "detectable")
    shown = shown.rename(columns={f"{name}_percent": f"{name}_%" for name in named})
    columns = ("base_us", "new_us", "change_%", "low_%", "high_%", "p", "detectable_%", "verdict")
    return shown[[*PAIR, *columns]]
