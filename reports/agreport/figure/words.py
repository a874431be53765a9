# SPDX-License-Identifier: BSD-3-Clause
"""The words of titles, captions and sentences: cases, sizes and counts."""

import pandas as pd

from agformats.units import in_units
from agreport.data.arrival_labels import NONE, parse
from agreport.data.load import PANEL, Results
from agreport.stats.times import NEAR_PERCENT, UNITED

NEAR_TIE = (
    f"less than {NEAR_PERCENT:g} % apart, or the 95 % confidence intervals of their medians overlap"
)
UNITED_TEXT = "Of each algorithm the better of its mappings is taken in each case."
# With no-break spaces, so that captions do not break it.
FORMULA = "100 × (1 − t / t best other)".replace(" ", "\N{NO-BREAK SPACE}")  # noqa: RUF001


def panel_title(panel: tuple[str, ...], varied: bool) -> str:
    """What a group of cases has in common; no arrival pattern only if none is everywhere."""
    named = dict(zip(PANEL, panel, strict=True))
    title = f"{named['collective']}, {named['distribution']}, {named['mapping']}"
    title += " mappings" if named["mapping"] == UNITED else ""
    return f"{title}, arrival {named['arrival']}" if varied else title


def panel_titles(frame: pd.DataFrame) -> dict[tuple[str, ...], str]:
    """Every panel of an index whose first levels are PANEL, with its title, in order."""
    panels = frame.index.droplevel([n for n in frame.index.names if n not in PANEL]).unique()
    varied = set(panels.get_level_values("arrival")) != {NONE}
    return {panel: panel_title(panel, varied) for panel in sorted(panels, key=panel_order)}


def panel_order(panel: tuple[str, ...]) -> tuple[object, ...]:
    *rest, arrival = panel
    return *rest, parse(arrival).order


def said(column: str, value: object) -> str:
    """A value of a column in a title: 16 ranks, blocks of 64 KiB."""
    if column in ("ranks", "nodes"):
        count = int(str(value))
        return plural(count, column[:-1], column)
    if column == "bytes":
        return f"blocks of {in_units(int(str(value)))}"
    return f"arrival {value}" if column in ("arrival", "family") else str(value)


def in_case(case: "pd.Series[str]") -> str:
    """One case in words, without an arrival pattern if there is none."""
    return ", ".join(
        said(str(name), value)
        for name, value in case.items()
        if not (name == "arrival" and value == NONE)
    )


def titles(keys: pd.DataFrame) -> tuple[str, list[str]]:
    """What all rows have in common, and of each row the rest."""
    constant = [column for column in keys if keys[column].nunique() == 1]
    common = ", ".join(said(str(column), keys[column].iloc[0]) for column in constant)
    rest = keys.drop(columns=constant)
    return common, [
        ", ".join(said(str(name), value) for name, value in row.items())
        for _, row in rest.astype(object).iterrows()
    ]


def size_label(size: int) -> str:
    """1, 2, ..., 1K, 64K, 1M: a unit only where it divides the size."""
    for power, unit in ((30, "G"), (20, "M"), (10, "K")):
        if size >= 1 << power and size % (1 << power) == 0:
            return f"{size >> power}{unit}"
    return str(size)


def count_of(part: int | str, whole: int) -> str:
    return f"{part} of {whole}"


def plural(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"


def launches(results: Results) -> str:
    return plural(len(results.launches), "launch", "launches")
