# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as JUnit XML, so that a CI system shows each case as a test."""

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import pandas as pd

from agformats.errors import printable

from . import words
from .comparison import Comparison
from .sides import name_case
from .verdicts import FAILURES, OPEN, REGRESSION, TOO_FEW

SUITE = "agreport compare"


def text(comparison: Comparison) -> str:
    suite = Element("testsuite", name=SUITE)
    shown = comparison.varied
    for name, row in name_findings(comparison, shown):
        test = SubElement(suite, "testcase", classname=SUITE, name=name)
        add_outcome(test, comparison, row)
    for index, why in comparison.missing["why"].items():
        name = name_case(index, shown)
        test = SubElement(suite, "testcase", classname=SUITE, name=name)
        SubElement(test, "skipped", message=str(why))
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    suite.set("errors", "0")
    SubElement(suite, "system-out").text = words.conclude(comparison)
    indent(suite)
    # XML has no control characters.
    text = printable(tostring(suite, "unicode"))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def name_findings(
    comparison: Comparison, shown: list[str]
) -> Iterator[tuple[str, "pd.Series[Any]"]]:
    """Yields the name and the row of each finding that has a verdict: cases, tails and stalls.
    shown: the parts of a case that its name has."""
    for index, row in comparison.cases.iterrows():
        yield name_case(index, shown), row
    for keys, row in comparison.tails.iterrows():
        assert isinstance(keys, tuple)
        *case, measure = keys
        yield f"{measure} of {name_case(tuple(case), shown)}", row
    for keys, row in comparison.stalls.iterrows():
        yield f"calls over three medians of {name_case(keys, shown)}", row


def add_outcome(test: Element, comparison: Comparison, row: "pd.Series[Any]") -> None:
    verdict, called = row["verdict"], words.name_verdict(comparison, row["verdict"])
    if verdict in FAILURES:
        change = f": {words.format_finding(row)}" if verdict == REGRESSION else ""
        SubElement(test, "failure", type=called, message=f"{called}{change}")
    elif verdict == TOO_FEW:
        SubElement(test, "skipped", message=TOO_FEW)
    elif verdict == OPEN or comparison.obstacles:
        SubElement(test, "skipped", message=f"{verdict}: {words.format_finding(row)}")
    else:
        SubElement(test, "system-out").text = f"{called}: {words.format_finding(row)}"
