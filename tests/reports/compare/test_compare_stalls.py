# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare: stalls that medians do not see, and what is not tested."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pytest

from agreport.compare.json_text import SCHEMA
from agreport.stats.arrays import Floats
from agreport.stats.max_t import adjusted_p, correlate

from ..support import fake_launches
from ..support.compared import compared, noise

LAUNCHES, CASES = 10, 20


def sides(folder: Path, stalled: Floats, by: float, calls: int, key: str = "") -> list[str]:
    """Two sides of ten launches. stalled: the share of the calls of each launch of new that take so
    many times as long, in the second case of twenty."""
    random = np.random.default_rng(14)
    for side in ("base", "new"):
        for number in range(len(stalled)):
            times = 10 * np.exp(0.02 * noise(random, CASES, calls))
            if side == "new":
                times[1, random.random(calls) < stalled[number]] *= by
            paired = {key: f"p{number}"} if key else {}
            fake_launches.launch(
                folder / side / f"{number}.csv",
                {("ring", 2**case): list(row) for case, row in enumerate(times)},
                **paired,
            )
    return [str(folder / "base"), str(folder / "new")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("share", "by", "calls", "key"),
    [(0.01, 20, 200, "duet_pair"), (0.2, 5, 25, "duet_pair"), (0.01, 20, 200, "")],
)
def test_a_stall_of_one_call_in_a_hundred_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    share: float,
    by: float,
    calls: int,
    key: str,
) -> None:
    base, new = sides(tmp_path, np.full(LAUNCHES, share), by, calls, key)
    found = compared([base], [new], "--junit", str(tmp_path / "a.xml"), "--bytes", "1,2,4,8")
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    verdicts = {row["bytes"]: row["verdict"] for row in found["stalls"]}
    assert verdicts == {1: "no change", 2: "regression", 4: "no change", 8: "no change"}
    stalls = found["stalls"][1]
    assert stalls["base_share_percent"] == 0
    assert stalls["new_share_percent"] == pytest.approx(100 * share, rel=0.4)
    assert stalls["change_percent"] == pytest.approx(
        stalls["new_share_percent"] * (by - 1), rel=0.1
    )
    assert found["verdict"] == "regression" and found["exit_code"] == 1
    assert "Calls over three medians of ring, 2 bytes: 0 -> " in capsys.readouterr().out
    failed = ElementTree.parse(tmp_path / "a.xml").getroot().findall("testcase[failure]")
    assert [test.get("name") for test in failed] == ["calls over three medians of ring, 2 bytes"]
    assert any("P99 was not tested" in each for each in found["not_tested"]) == (calls < 100)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_calls_that_stall_as_ever_are_no_stalls_of_a_faster_or_slower_side(
    tmp_path: Path, factor: float
) -> None:
    random = np.random.default_rng(17)
    for side, us in (("base", 10), ("new", 10 * factor)):
        for number in range(6):
            times = us * np.exp(0.02 * noise(random, 1, 60)[0])
            times[::20] = 35
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): list(times)}, duet_pair=f"p{number}")
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])["stalls"]
    assert found[0]["verdict"] in ("no change", "unclear")


@pytest.mark.slow
def test_one_disturbed_launch_is_no_stall(tmp_path: Path) -> None:
    """The launch has as many stalled calls as are found where all launches have some."""
    stalled = np.where(np.arange(LAUNCHES) == 4, 0.1, 0)
    base, new = sides(tmp_path, stalled, 20, 200, "duet_pair")
    found = compared([base], [new])
    assert found["stalls"][1]["new_share_percent"] > 0.5
    assert found["exit_code"] == 0 and not found["not_tested"]


@pytest.mark.slow
def test_what_is_not_tested_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, new = sides(tmp_path, np.zeros(4), 1, 25, "duet_pair")
    found = compared([base], [new])
    out = capsys.readouterr().out
    assert len(found["not_tested"]) == 3
    for said in (
        "P90 was not tested in 20 of 20 cases: it takes 30 iterations in a launch.",
        "P99 was not tested in 20 of 20 cases: it takes 100 iterations in a launch.",
        "Calls over three medians were not tested in 20 of 20 cases: it takes 5 launches on each "
        "side.",
    ):
        assert said in found["not_tested"] and said in out
    assert {row["verdict"] for row in found["stalls"]} == {"too few launches"}


def test_the_statistic_is_a_correlation() -> None:
    random = np.random.default_rng(15)
    values, new = noise(random, 12, 3), np.arange(12) % 2 == 1
    values[3, 2] = np.nan
    values[:, 1] = 0.5
    found = correlate(np.where(new, 1.0, -1.0)[np.newaxis], values)[0]
    known = ~np.isnan(values[:, 2])
    assert found[0] == pytest.approx(np.corrcoef(new, values[:, 0])[0, 1])
    assert found[1] == 0
    assert found[2] == pytest.approx(np.corrcoef(new[known], values[known, 2])[0, 1])


def test_no_more_alarms_than_promised() -> None:
    """Some 2 % of 50 calls stall on both sides; 0.5 % is meant."""
    random = np.random.default_rng(16)
    new = np.repeat([False, True], 6)
    alarms = 0
    for _ in range(60):
        shares = random.binomial(50, 0.02, (8, 12)) / 50
        alarms += int((adjusted_p(np.sqrt(shares).T, new)[0] <= 0.005).any())
    assert alarms <= 2, "more come once in 300 times"


def test_cases_of_three_launches_hide_no_others() -> None:
    """Of three values one always correlates well, whichever launches they are of."""
    random = np.random.default_rng(18)
    new = np.repeat([False, True], 10)
    values = random.normal(0, 0.03, (20, 24))
    values[new, :12] += 0.2
    for case in range(12, 24):
        values[random.permutation(20)[3:], case] = np.nan
    slower, _ = adjusted_p(values, new)
    assert (slower[:12] <= 0.005).all()
    assert (slower[12:] > 0.005).all()
