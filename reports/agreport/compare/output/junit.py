# SPDX-License-Identifier: BSD-3-Clause
"""The comparison as JUnit XML, so that a CI system shows each case as a test."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from agformats.errors import printable

from ..judgement.comparison import Comparison
from ..judgement.verdicts import FAILURES, OPEN, REGRESSION, TOO_FEW
from ..launches.case_names import find_varied, name_case
from . import words

SUITE = "agreport compare"


def text(comparison: Comparison) -> str:
    cases = comparison.cases
    suite = Element("testsuite", name=SUITE)
    shown = find_varied(cases)
    tests = [(name_case(index, shown), row) for index, row in cases.iterrows()]
    tests += [(f"all cases together, {name}", row) for name, row in words.name_groups(comparison)]
    for keys, row in comparison.tails.iterrows():
        assert isinstance(keys, tuple)
        *case, measure = keys
        tests.append((f"{measure} of {name_case(tuple(case), shown)}", row))
    for keys, row in comparison.stalls.iterrows():
        tests.append((f"calls over three medians of {name_case(keys, shown)}", row))
    for name, row in tests:
        test = SubElement(suite, "testcase", classname=SUITE, name=name)
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
