# SPDX-License-Identifier: BSD-3-Clause
"""Marks `quick` what has none of our marks, for `make check`.

`make durations` sets GATHERBENCH_SLOW_S: then a quick test that takes longer fails. Nothing else
sets it, since a time depends on the machine and on what else runs there.
"""

import os
from collections.abc import Generator

import pytest

LIMIT_S = float(os.environ.get("GATHERBENCH_SLOW_S", "inf"))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    lines: list[str] = config.getini("markers")
    # pytest's own have parentheses before the colon, or are of no use to a test.
    ours = {line.partition(":")[0] for line in lines} - {"tryfirst", "trylast"}
    for item in items:
        if not ours & {marker.name for marker in item.iter_markers()}:
            item.add_marker("quick")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.passed and call.duration > LIMIT_S and item.get_closest_marker("quick"):
        report.outcome = "failed"
        report.longrepr = (
            f"its {call.when} took {call.duration:.1f} s, and quick is up to {LIMIT_S:g} s: "
            "mark it slow, or make it cheaper"
        )
    return report
