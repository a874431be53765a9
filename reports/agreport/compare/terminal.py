# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as text for a terminal or as Markdown: a line a case, and the verdict last."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd

from agreport.cli import render
from agreport.data.load import PAIR
from agreport.figure.words import size_label

from . import words
from .comparison import Comparison
from .verdicts import VERDICTS

ALWAYS = ("algorithm", "bytes")


def text(comparison: Comparison) -> str:
    return "\n".join(sections(comparison, render.text, lambda title: f"{title}:", "  {}"))


def markdown(comparison: Comparison) -> str:
    body = sections(comparison, render.markdown, lambda title: f"## {title}\n", "- {}")
    return "\n".join(["# Comparison of base and new\n", *body])


def sections(
    comparison: Comparison,
    table: Callable[[pd.DataFrame], str],
    title: Callable[[str], str],
    item: str,
) -> Iterable[str]:
    def listed(name: str, lines: Iterable[str]) -> Iterable[str]:
        if found := list(lines):
            yield title(name)
            yield from (item.format(line) for line in found)
            yield ""

    cases = comparison.cases
    constant = [key for key in PAIR if key not in (*words.varied(cases), *ALWAYS)]
    common = ", ".join(f"{key} {cases.index[0][PAIR.index(key)]}" for key in constant)
    yield f"{words.compared(comparison)} {f'All: {common}.' if common else ''}\n"
    yield from listed("What differs", words.differing(comparison))
    if len(comparison.missing):
        yield title("Not compared")
        yield table(comparison.missing.reset_index())
    yield table(readable(cases).drop(columns=constant))
    yield from listed("Together", words.in_common(comparison))
    yield from listed("Warnings", comparison.warnings)
    if outlook := words.outlook(comparison):
        yield f"{outlook}\n"
    yield f"{words.conclusion(comparison)}\n"


def readable(cases: pd.DataFrame) -> pd.DataFrame:
    """For reading; the worst first."""
    order = cases["verdict"].map(VERDICTS.index)
    shown = cases.assign(order=order, size=-cases["change"].abs())
    shown = shown.sort_values(["order", "size"], kind="stable")
    keys = shown.index.to_frame(index=False)
    keys["bytes"] = keys["bytes"].map(lambda size: size_label(int(size)))
    found = pd.DataFrame(
        {
            "base_us": shown["base_us"],
            "new_us": shown["new_us"],
            "change_%": 100 * np.expm1(shown["change"]),
            "low_%": 100 * np.expm1(shown["low"]),
            "high_%": 100 * np.expm1(shown["high"]),
            "p": [p_of(row) for _, row in shown.iterrows()],
            "detectable_%": 100 * np.expm1(shown["detectable"]),
            "verdict": shown["verdict"],
        }
    )
    return pd.concat([keys, found.reset_index(drop=True)], axis=1)


def p_of(row: "pd.Series[float]") -> str:
    """Of the direction that was seen, corrected for the number of cases."""
    p = row["p_slower"] if row["change"] > 0 else row["p_faster"]
    return "-" if np.isnan(p) else "<0.0001" if p < 0.0001 else f"{p:.4f}"
