# SPDX-License-Identifier: BSD-3-Clause
"""The sentences of a comparison, the same in every output."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from agreport.data.load import PAIR
from agreport.figure.words import plural, size_label

from .agreement import differences
from .comparison import Comparison
from .pairing import LAUNCHES
from .verdicts import FAILURES, IMPROVEMENT, POWER, VERDICTS, WRONG


def percent(change: float) -> str:
    """A log change: +10.5 %."""
    return f"{100 * np.expm1(change):+.1f} %"


def span(row: "pd.Series[float]") -> str:
    return f"{percent(row['change'])} ({percent(row['low'])} to {percent(row['high'])})"


def case_name(case: object, varied: list[str]) -> str:
    """What tells the case, of an index by PAIR, from the others: 'ring, 1K bytes, 4 ranks'."""
    assert isinstance(case, tuple)
    named = dict(zip(PAIR, case, strict=True))
    said = {"bytes": f"{size_label(int(str(named['bytes'])))} bytes"}
    said |= {key: f"{named[key]} {key}" for key in ("ranks", "nodes")}
    order = ["algorithm", "bytes", "ranks", "nodes", "collective", "distribution", "arrival"]
    shown = [key for key in [*order, "mapping"] if key in ("algorithm", "bytes") or key in varied]
    return ", ".join(said.get(key, str(named[key])) for key in shown)


def varied(cases: pd.DataFrame) -> list[str]:
    keys = cases.index.to_frame()
    return [key for key in PAIR if keys[key].nunique() > 1]


def compared(comparison: Comparison) -> str:
    sides, how = comparison.sides, comparison.pairing
    if how.kind == LAUNCHES:
        counts = [how.count(len(sides.numbers(side))) for side in (False, True)]
        by = f"{counts[0]} of base, {counts[1]} of new"
    else:
        by = how.count(len(how.pairs))
    return f"Compared by {by}: medians of {comparison.metric}_us, {len(comparison.cases)} cases."


def differing(comparison: Comparison) -> Iterator[str]:
    for key, base, new in differences(comparison.sides):
        yield f"{key}: {base} -> {new}"


def conclusion(comparison: Comparison) -> str:
    """The verdict, how many cases, and which is the worst."""
    cases, verdict = comparison.cases, comparison.verdict
    counts = cases["verdict"].value_counts()
    told = ", ".join(f"{counts[name]} {name}" for name in VERDICTS if name in counts)
    text = f"verdict: {verdict.upper() if verdict in FAILURES else verdict} (cases: {told})"
    of_it = cases[cases["verdict"] == verdict]
    if verdict == WRONG:
        return f"{text}; first: {case_name(of_it.index[0], varied(cases))}"
    if len(of_it) and verdict in (*FAILURES, IMPROVEMENT):
        worst = of_it.iloc[[int(of_it["change"].abs().to_numpy().argmax())]]
        name = case_name(worst.index[0], varied(cases))
        return f"{text}; largest: {name}, {span(worst.iloc[0])}"
    return text


def in_common(comparison: Comparison) -> Iterator[str]:
    """What all cases of a launch have in common."""
    for name, row in groups(comparison):
        yield f"All cases together ({name}): {span(row)}, {row['verdict']}."


def groups(comparison: Comparison) -> Iterator[tuple[str, "pd.Series[float]"]]:
    """What is known of all cases together: of which launches, and the row."""
    known = comparison.groups[comparison.groups["verdict"] != ""]
    for keys, (_, row) in zip(known.index.to_frame().to_numpy(), known.iterrows(), strict=True):
        collective, ranks, nodes = keys
        yield (
            f"{collective}, {plural(ranks, 'rank', 'ranks')}, {plural(nodes, 'node', 'nodes')}",
            row,
        )


def outlook(comparison: Comparison) -> str:
    """How small a change could be found, and what it takes to find the threshold."""
    power, threshold = comparison.power, f"{100 * comparison.threshold:g} %"
    if power.more_worst is None:
        return ""
    text = (
        f"Detectable in {POWER:.0%} of comparisons: a change of {percent(power.half)} in half of "
        f"the cases, of {percent(power.worst)} in every case."
    )
    if power.more_worst == 0:
        return f"{text} That is the threshold of {threshold} or less."
    unit = "launches on each side" if comparison.pairing.kind == LAUNCHES else "pairs"
    return (
        f"{text} For {threshold} it takes about {power.more_half} more {unit} in half of the "
        f"cases, {power.more_worst} more in every case."
    )
