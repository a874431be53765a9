# SPDX-License-Identifier: BSD-3-Clause
"""The history as text, Markdown, JSON, CSV and JUnit XML."""

import json
from collections.abc import Callable, Iterable
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import pandas as pd

from agformats.errors import printable
from agreport.cli import render
from agreport.cli.render import to_records
from agreport.compare.words import format_change, to_percent
from agreport.figure.words import size_label
from agreport.stats.change_points import ALPHA

from . import words
from .findings import WRONG, History
from .states import SERIES_KEYS

VERSION = 1
SUITE = "agreport history"
MOST_ROWS = 40  # rows that a table has at most on the terminal


def text(history: History) -> str:
    return "\n".join(sections(history, render.text, "{}:", "  {}", MOST_ROWS))


def markdown(history: History) -> str:
    body = sections(history, render.markdown, "## {}\n", "- {}", 0)
    return "\n".join(["# History\n", *body])


def sections(
    history: History,
    table: Callable[[pd.DataFrame], str],
    title: str,
    item: str,
    most: int,
) -> Iterable[str]:
    yield f"{words.describe(history)}\n"
    yield title.format("Findings, the newest first")
    yield from (item.format(each) for each in words.sentences(history))
    yield ""
    versions = words.versions_table(history)
    if most and len(versions) > most:
        yield f"The newest {most} of {len(versions)} versions:"
        versions = versions.tail(most)
    yield table(versions)
    found = words.tabulate(history)
    if len(found):
        kept = found.head(most) if most else found
        shown = kept.drop(columns=[key for key in SERIES_KEYS if key not in shown_keys(history)])
        shown = shown.rename(
            columns={f"{name}_percent": f"{name}_%" for name in ("change", "low", "high")}
        )
        p = ["-" if each != each else f"{each:.4f}" for each in shown["p"]]
        yield table(shown.assign(bytes=shown["bytes"].map(size_label), p=p))
        if len(kept) < len(found):
            yield f"{len(found) - len(kept)} more rows are in --csv FILE.\n"
    yield f"{words.verdict(history)}\n"


def shown_keys(history: History) -> list[str]:
    return ["algorithm", "bytes", *words.varied(history)]


def csv(history: History) -> str:
    return render.FORMATS["csv"](words.tabulate(history))


def describe(history: History) -> dict[str, Any]:
    return {
        "format": SUITE,
        "version": VERSION,
        "metric": history.metric,
        "by": history.by,
        "threshold_percent": float(to_percent(history.threshold)),
        "false_findings_percent": 100 * ALPHA,
        "tested_by": "versions" if history.series.by_versions else "launches",
        "newest_is_slower": is_slower(history),
        "newest_is_wrong": any(each.kind == WRONG for each in history.failed),
        "cases_newest_lacks": history.lost,
        "versions": [
            {
                "name": each.name,
                "date": each.date,
                "files": [str(history.results.launches[number].path) for number in each.launches],
            }
            for each in history.versions
        ],
        "findings": [
            {
                "kind": each.kind,
                "since": history.versions[each.place].name,
                "before": history.versions[max(0, each.place - 1)].name,
                "date": history.versions[each.place].date,
                "sentence": words.sentence(history, each),
                "cases": len(each.cases),
                "of_cases": each.of,
                "with_it": [
                    {"key": key, "before": old, "after": new} for key, old, new in each.with_it
                ],
            }
            for each in history.findings
        ],
        "changes": to_records(words.tabulate(history)),
    }


def is_slower(history: History) -> bool | None:
    """Returns whether the newest version is slower than what was before it; None: not known."""
    if any(each.kind != WRONG for each in history.failed):
        return True
    return None if history.lost or not history.decides else False


def json_text(history: History) -> str:
    return json.dumps(describe(history), indent=1, allow_nan=False) + "\n"


def junit(history: History) -> str:
    """Returns JUnit XML with a test for each case. A test fails if its case is slower in the newest
    version than before, or wrong. It is skipped if the newest version did not measure the case, or
    if there are too few versions or launches to judge."""
    failed = {
        case: (each, factor)
        for each in history.failed
        for case, factor in zip(each.cases, each.factors, strict=True)
    }
    suite = Element("testsuite", name=SUITE)
    for number in range(len(history.cases)):
        name = words.case_name(history, number)
        test = SubElement(suite, "testcase", classname=SUITE, name=name)
        if number in failed:
            finding, factor = failed[number]
            since = history.versions[finding.place].dated
            how = WRONG if finding.kind == WRONG else "slower"
            by = "" if finding.kind == WRONG else f": {format_change(factor)}"
            SubElement(test, "failure", type=how, message=f"{how} since {since}{by}")
        elif not history.measured[-1, number]:
            SubElement(test, "skipped", message="not measured in the newest version")
        elif not history.decided[number]:
            SubElement(test, "skipped", message="too few versions or launches")
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    suite.set("errors", "0")
    SubElement(suite, "system-out").text = words.verdict(history)
    indent(suite)
    whole = printable(tostring(suite, "unicode"))  # XML has no control characters
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{whole}\n'
