# SPDX-License-Identifier: BSD-3-Clause
"""A history in words and tables: for a terminal, as Markdown, JSON, CSV and JUnit XML."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np
import pandas as pd

from agformats.errors import printable
from agreport.cli import render
from agreport.compare.sides import find_varied, name_case
from agreport.compare.words import format_change, to_percent
from agreport.data.load import PAIR
from agreport.figure.words import plural, size_label
from agreport.stats.change_points import ALPHA

from .findings import FEWEST_BEFORE, Finding, History, Step

SUITE = "agreport history"
VERSION = 1
MOST_KEYS, MOST_CASES = 8, 20  # that a terminal is shown of a finding
LONGEST = 60  # characters of a value


def text(history: History) -> str:
    return "\n".join(sections(history, render.text, "{}:", "  {}"))


def markdown(history: History) -> str:
    return "\n".join(["# History\n", *sections(history, render.markdown, "## {}\n", "- {}")])


def sections(
    history: History, table: Callable[[pd.DataFrame], str], title: str, item: str
) -> Iterator[str]:
    yield f"{describe(history)}\n"
    for finding in history.findings:
        yield title.format(describe_finding(history, finding))
        for key, before, after in finding.with_it[:MOST_KEYS]:
            yield item.format(f"with it: {key}: {short(before)} -> {short(after)}")
        if (more := len(finding.with_it) - MOST_KEYS) > 0:
            yield item.format(f"with it: {plural(more, 'more key')} (--json)")
        yield ""
        shown = finding.steps[:MOST_CASES]
        yield table(tabulate(history, [(finding.at, step) for step in shown]))
        if (more := len(finding.steps) - len(shown)) > 0:
            yield f"and {plural(more, 'more case')} (--csv)\n"
    if not history.findings:
        yield "No change is found.\n"
    for place, count in history.odd:
        version = history.versions[place]
        yield (
            f"Odd: {version.name}{dated(version.date)} alone, in {count} of "
            f"{len(history.cases)} cases; the versions around it agree, so it is no change."
        )
    yield conclude(history)
    yield ""


def describe(history: History) -> str:
    launches = sum(len(version.launches) for version in history.versions)
    return (
        f"{plural(len(history.versions), 'version')} with {plural(launches, 'launch')}, "
        f"{plural(len(history.cases), 'case')}: medians of {history.metric}_us. Of histories "
        f"without a change {100 * ALPHA:g} % have a finding."
    )


def describe_finding(history: History, finding: Finding) -> str:
    """Since 2f3c9e (2026-11-12): 31 of 64 cases, allgather, 16K to 1M bytes, +12 to +40 %"""
    version = history.versions[finding.at]
    frame = pd.DataFrame([step.case for step in finding.steps], columns=PAIR)
    changes = sorted((step.change for step in finding.steps), key=abs)
    ends = dict.fromkeys(format_change(change) for change in (changes[0], changes[-1]))
    sizes = [size_label(int(size)) for size in sorted({*frame["bytes"].astype(int)})]
    named = [plural_names(frame["collective"])]
    if len(algorithms := sorted({*frame["algorithm"].astype(str)})) <= 4:
        named.append(", ".join(algorithms))
    named.append(f"{sizes[0]} to {sizes[-1]} bytes" if len(sizes) > 1 else f"{sizes[0]} bytes")
    return (
        f"Since {version.name}{dated(version.date)}: {len(finding.steps)} of "
        f"{len(history.cases)} cases {'slower' if finding.slower else 'faster'}, "
        f"{', '.join(named)}, {' to '.join(ends)}"
    )


def plural_names(names: "pd.Series[Any]") -> str:
    return " and ".join(sorted({*names.astype(str)}))


def dated(date: str) -> str:
    return f" ({date})" if date else ""


def short(value: str) -> str:
    if not value:
        return "nothing"
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 3]}..."


def conclude(history: History) -> str:
    newest = history.versions[-1]
    name = f"The newest version, {newest.name}{dated(newest.date)},"
    if history.newest is None:
        return f"{name} is not judged: it takes {FEWEST_BEFORE} versions at one level before it."
    slower = [step for step in history.newest if step.change > 0]
    faster = len(history.newest) - len(slower)
    if not history.newest:
        return f"{name} is neither slower nor faster than the versions before it."
    found = [f"slower in {len(slower)}"] * bool(slower) + [f"faster in {faster}"] * bool(faster)
    text = f"{name} is {' and '.join(found)} of {len(history.cases)} cases than those before it"
    worst = max(slower or history.newest, key=lambda step: abs(step.change))
    varied = find_varied(pd.DataFrame(index=history.cases))
    return f"{text}; the most: {name_case(worst.case, varied)}, {format_change(worst.change)}."


def tabulate(history: History, steps: Sequence[tuple[int, Step]]) -> pd.DataFrame:
    """A row a step; what all cases of the history have in common is left out."""
    varied = {*find_varied(pd.DataFrame(index=history.cases)), "algorithm", "bytes"}
    rows = [
        {
            **{key: one for key, one in zip(PAIR, step.case, strict=True) if key in varied},
            "since": history.versions[at].name,
            **{
                f"{name}_percent": float(to_percent(value))
                for name, value in (
                    ("change", step.change),
                    ("low", step.low),
                    ("high", step.high),
                )
            },
            "p": step.p,
        }
        for at, step in steps
    ]
    return pd.DataFrame(rows)


def csv(history: History) -> str:
    """A row for every version and case: its median, the level's, and whether it is odd."""
    rows = []
    for number, case in enumerate(history.cases):
        named = dict(zip(PAIR, case, strict=True))
        series = np.exp(history.values[:, number])
        starts = history.segments.bounds(number, len(series))
        for place, version in enumerate(history.versions):
            level = sum(place >= start for start in starts)
            rows.append(
                {
                    **named,
                    "version": version.name,
                    "date": version.date,
                    "launches": len(version.launches),
                    f"{history.metric}_us": float(series[place]),
                    "level": level,
                    "odd": bool(history.segments.odd[place, number]),
                }
            )
    return render.FORMATS["csv"](pd.DataFrame(rows))


def to_json(history: History) -> str:
    newest = None
    if history.newest is not None:
        last = len(history.versions) - 1
        newest = records(history, [(last, step) for step in history.newest])
    whole = {
        "format": SUITE,
        "version": VERSION,
        "metric": history.metric,
        "false_alarms_percent": 100 * ALPHA,
        "versions": [
            {"name": one.name, "date": one.date, "launches": len(one.launches)}
            for one in history.versions
        ],
        "cases": len(history.cases),
        "findings": [
            {
                "since": history.versions[finding.at].name,
                "date": history.versions[finding.at].date,
                "slower": finding.slower,
                "with_it": [
                    {"key": key, "before": before, "after": after}
                    for key, before, after in finding.with_it
                ],
                "cases": records(history, [(finding.at, step) for step in finding.steps]),
            }
            for finding in history.findings
        ],
        "odd_versions": [
            {"name": history.versions[place].name, "cases": count} for place, count in history.odd
        ],
        "newest": newest,
    }
    return json.dumps(whole, indent=1, allow_nan=False) + "\n"


def records(history: History, steps: Sequence[tuple[int, Step]]) -> list[dict[str, Any]]:
    return render.to_records(tabulate(history, steps))


def junit(history: History) -> str:
    """A test a case: it fails if the newest version is slower in it."""
    suite = Element("testsuite", name=SUITE, errors="0")
    varied = find_varied(pd.DataFrame(index=history.cases))
    slower = {step.case: step for step in history.newest or [] if step.change > 0}
    for case in history.cases:
        test = SubElement(suite, "testcase", classname=SUITE, name=name_case(case, varied))
        if history.newest is None:
            SubElement(test, "skipped", message=conclude(history))
        elif step := slower.get(case):
            message = f"slower: {format_change(step.change)}"
            SubElement(test, "failure", type="slower", message=message)
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    SubElement(suite, "system-out").text = "\n".join(
        [*(describe_finding(history, one) for one in history.findings), conclude(history)]
    )
    indent(suite)
    found = printable(tostring(suite, "unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{found}\n'
