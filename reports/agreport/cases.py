# SPDX-License-Identifier: BSD-3-Clause
"""Who wins each case, and by how much: the numbers behind every figure and table."""

from dataclasses import dataclass

import pandas as pd

from agformats.units import in_units
from agreport.arrival_patterns import NONE, parse
from agreport.load import CASE, METRICS, PANEL, Results
from agreport.times import NEAR_PERCENT, UNITED, Times, times_of

STATISTICS = ("mean", "median")
IMPROVEMENT = "improvement_percent"
NEAR_TIE = (
    f"less than {NEAR_PERCENT:g} % apart, or the 95 % confidence intervals of their medians overlap"
)
UNITED_TEXT = "Of each algorithm the better of its mappings is taken in each case."
# With no-break spaces, so that captions do not break it.
FORMULA = "100 × (1 − t / t best other)".replace(" ", "\N{NO-BREAK SPACE}")  # noqa: RUF001


@dataclass(frozen=True)
class Contest:
    """The chosen algorithm against the others, by one statistic over a case's iterations."""

    chosen: str
    others: list[str]
    statistic: str
    united: bool = False  # of each algorithm the better of its mappings

    @property
    def everyone(self) -> list[str]:
        return [self.chosen, *self.others]

    def times(self, results: Results, metric: str) -> Times:
        return times_of(results, metric, self.statistic, self.united).of(self.everyone)

    def verdicts(self, results: Results, metric: str) -> pd.DataFrame:
        """One row a case found, timed or not; a time that does not exist is NaN.

        fastest: by the statistic; rival: the fastest but the chosen one; won: the chosen one is
        strictly faster than every other; near: those that the fastest is not called better than;
        clear: it won, and there are none; compared: it and at least one other have a time.
        """
        times = self.times(results, metric)
        chosen, others = times.us[self.chosen], times.us[self.others]
        rival_us = others.min(axis=1)
        rival = others.dropna(how="all").idxmin(axis=1).reindex(times.us.index)
        won = chosen < rival_us
        near = times.near_names()
        return pd.DataFrame(
            {
                "chosen_us": chosen,
                "rival": rival,
                "rival_us": rival_us,
                IMPROVEMENT: (1 - chosen / rival_us) * 100,
                "fastest": rival.mask(won | (rival.isna() & chosen.notna()), self.chosen),
                "compared": chosen.notna() & rival_us.notna(),
                "won": won,
                "near": near,
                "clear": won & near.eq(""),
            }
        )

    def all_verdicts(self, results: Results) -> pd.DataFrame:
        """The verdicts by every metric, with the metric as the last level of the index."""
        metrics = pd.CategoricalIndex(list(METRICS), list(METRICS))  # sorts as METRICS does
        joined = pd.concat([self.verdicts(results, m) for m in METRICS], keys=metrics)
        return joined.rename_axis(index=["metric", *CASE]).reorder_levels([*CASE, "metric"])


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
