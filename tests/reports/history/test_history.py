# SPDX-License-Identifier: BSD-3-Clause
"""agreport history: what it finds in made-up histories, in every output, and what it refuses."""

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from agreport.main import main
from agreport.stats.change_points import (
    Series,
    find_changes,
    find_single,
    judge_newest,
    smooth_outliers,
)
from shared.checksums import checksummed

from ..conftest import lines
from ..support import fake_launches
from ..support.commands import Capture, refused

TEXT = "{http://www.w3.org/2000/svg}text"
VERSIONS, LAUNCHES, CASES, CHANGED, AT = 20, 3, 6, 2, 12


def series(step: float = 0.0, at: int = 0, bad: int | None = None, seed: int = 1) -> Series:
    random = np.random.default_rng(seed)
    version = np.repeat(np.arange(30), 3)
    values = random.normal(0, 0.03, (len(version), 8))
    values[np.ix_(version >= at, np.arange(CHANGED))] += step
    if bad is not None:
        values[version == bad] += 0.5
    return Series(values, version)


def test_a_change_is_found_where_it_is_and_only_there() -> None:
    found = find_changes(series(0.2, 17))
    assert found.places == [17]
    sure = found.p[0] <= 0.01
    assert sure[:CHANGED].all()
    assert not sure[CHANGED:].any()
    assert ((found.low[0] < 0.2) & (found.high[0] > 0.2))[:CHANGED].all()


def steps(at: tuple[int, ...], step: float, cases: int, seed: int) -> Series:
    random = np.random.default_rng(seed)
    version = np.repeat(np.arange(40), 3)
    values = random.normal(0, 0.04, (len(version), 8))
    for each in at:
        values[np.ix_(version >= each, np.arange(cases))] += step
    return Series(values, version)


@pytest.mark.parametrize("seed", [4, 9])
def test_two_steps_are_found_though_one_between_them_divides_best(seed: int) -> None:
    assert find_changes(steps((17, 22), 0.1, CHANGED, seed)).places == [17, 22]


@pytest.mark.parametrize("seed", [4, 9])
def test_one_step_is_not_taken_for_two(seed: int) -> None:
    assert find_changes(steps((17,), 0.1, CHANGED, seed)).places == [17]


def test_a_change_is_where_its_cases_say_together() -> None:
    assert find_changes(steps((17,), 0.06, 8, 5)).places == [17]


@pytest.mark.parametrize("age", [1, 2, 3])
def test_a_young_change_is_called_since_its_first_version(age: int) -> None:
    change, sure, place = judge_newest(series(0.2, 30 - age), 0)
    assert place == 30 - age
    assert sure[:CHANGED].all() and not sure[CHANGED:].any()
    assert change[:CHANGED] == pytest.approx(0.2, abs=0.06)


def test_cases_of_three_launches_do_not_hide_the_newest_change() -> None:
    random = np.random.default_rng(3)
    version = np.repeat(np.arange(5), 8)
    values = random.normal(0, 0.03, (len(version), 24))
    values[version == 4] += 0.4
    for case in range(12, 24):
        values[random.permutation(32)[2:], case] = np.nan
        values[32 + random.permutation(8)[1:], case] = np.nan
    _, sure, place = judge_newest(Series(values, version), 0)
    assert place == 4
    assert sure[:12].all()


def test_no_newest_version_is_called_where_nothing_changed() -> None:
    assert not any(judge_newest(series(seed=seed), 0)[1].any() for seed in range(1, 21))


@pytest.mark.parametrize("versions", [2, 4, 7, 8, 10, 13, 14, 20])
def test_a_change_is_found_however_few_versions_there_are(versions: int) -> None:
    random, at = np.random.default_rng(1), versions // 2
    version = np.repeat(np.arange(versions), 6)
    values = random.normal(0, 0.03, (len(version), 4))
    values[version >= at] += 0.2
    assert find_changes(Series(values, version)).places == [at]


@pytest.mark.parametrize("versions", [8, 20])
def test_disturbed_launches_hide_no_change_and_make_none(versions: int) -> None:
    random, at = np.random.default_rng(1), versions // 2
    version = np.repeat(np.arange(versions), 6)
    values = random.normal(0, 0.03, (len(version), 4))
    disturbed = Series(values.copy(), version)
    disturbed.values[::7] += 8  # launches of unlike versions
    assert (disturbed.near[::7] < 1).all()
    assert disturbed.moved >= disturbed.values[::7].size
    assert find_changes(disturbed).places == []
    changed = disturbed.values + 0.2 * (version >= at)[:, np.newaxis]
    found = find_changes(Series(changed, version))
    assert found.places == [at]
    assert (np.abs(found.factors - 0.2) < 0.05).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("versions", [3, 20])
def test_a_case_that_always_takes_the_same_time_changes_nothing(versions: int) -> None:
    """Simulated launches are alike."""
    series = Series(np.zeros((4 * versions, 2)), np.repeat(np.arange(versions), 4))
    assert find_changes(series).places == [] and series.moved == 0


def test_nothing_is_found_where_nothing_changed() -> None:
    assert find_changes(series()).places == []


def test_a_bad_night_is_named_and_no_change() -> None:
    one = series(bad=12)
    found = find_changes(one)
    assert found.places == []
    alone = find_single(one, found.level)
    assert alone[12].all()
    assert not np.delete(alone, 12, axis=0).any()


def test_a_bad_night_hides_no_change() -> None:
    assert find_changes(series(0.2, 17, bad=5)).places == [17]


def test_a_change_of_two_versions_is_no_outlier() -> None:
    means = np.random.default_rng(1).normal(0, 0.01, (20, 1))
    means[12:] += 1
    assert (smooth_outliers(means) == means).all()


def test_versions_may_lack_cases() -> None:
    one = series(0.2, 17)
    one.values[:20, 0] = np.nan
    one.values[:, 5] = np.nan
    assert find_changes(one).places == [17]


def make(folder: Path, versions: int = VERSIONS, at: int = AT, step: float = 0.3) -> str:
    random = np.random.default_rng(3)
    for version in range(versions):
        for number in range(LAUNCHES):
            logs = random.normal(0, 0.02, CASES)
            logs[CASES - CHANGED :] += step * (version >= at)
            times = {("ring", 2**case): [1000 * np.exp(log)] * 3 for case, log in enumerate(logs)}
            fake_launches.launch(
                folder / f"{version:02}_{number}.csv",
                times,
                start=f"2026-11-{version + 1:02}T0{number}:00:00+0000",
                note__commit=f"c{version:02}",
                compiler="GNU 12" if version < at else "GNU 13",
                seed=f"{version}{number}",
            )
    return str(folder)


def test_a_finding_says_since_when_how_much_and_what_changed(
    tmp_path: Path, capsys: Capture
) -> None:
    files = make(tmp_path / "data")
    outputs = {name: str(tmp_path / f"h.{name}") for name in ("json", "csv", "junit", "markdown")}
    options = [word for name, path in outputs.items() for word in (f"--{name}", path)]
    page = tmp_path / "h.html"
    assert main(["history", files, "--by", "note.commit", "-o", str(page), *options]) == 0
    said = capsys.readouterr().out
    assert "since c12 (2026-11-13): 2 of 6 cases slower, allgather, 16 bytes and more, +3" in said
    assert "with it: compiler: GNU 12 -> GNU 13\n" in said, "seeds and commits are not told"
    found = json.loads(Path(outputs["json"]).read_text())
    (finding,) = found["findings"]
    assert (finding["since"], finding["before"], finding["cases"]) == ("c12", "c11", 2)
    assert pd.read_csv(outputs["csv"])["bytes"].tolist() in ([16, 32], [32, 16])
    assert ElementTree.parse(outputs["junit"]).getroot().get("failures") == "0"
    assert "## Findings" in Path(outputs["markdown"]).read_text()
    text = page.read_text()
    assert "since c12" in text
    assert "@DATA@" not in text
    assert "http" not in text.replace("http://www.w3.org/2000/svg", ""), "it needs no network"


def test_the_figure_has_a_panel_a_case_and_says_what_was_found(tmp_path: Path) -> None:
    files, figure = make(tmp_path / "data"), tmp_path / "h.svg"
    assert main(["history", files, "--by", "note.commit", "-o", str(figure)]) == 0
    root = ElementTree.parse(figure).getroot()
    texts = [" ".join("".join(each.itertext()).split()) for each in root.iter(TEXT)]
    titles = [int(each.split()[1]) for each in texts if each.startswith("ring, ")]
    assert sorted(titles[:CHANGED]) == [16, 32], "what changed most is first"
    assert titles[CHANGED:] == [1, 2, 4, 8]
    assert "Since c12 (2026-11-13): 2 of 6 cases slower" in " ".join(texts)


def test_a_case_whose_medians_are_0_has_no_panel(tmp_path: Path, capsys: Capture) -> None:
    for version in range(3):
        times = {("ring", 8): [5.0] * 3, ("ring", 16): [1.0] * 3}  # their min: 0
        path = tmp_path / "data" / f"{version}.csv"
        fake_launches.launch(
            path, times, start=f"2026-11-0{version + 1}T00:00:00+0000", note__commit=f"c{version}"
        )
    words = ["history", str(tmp_path / "data"), "--by", "note.commit", "--metric", "min"]
    for name in ("h.svg", "h.html"):
        assert main([*words, "-o", str(tmp_path / name)]) == 0
    assert "ring, 16 bytes" not in (tmp_path / "h.svg").read_text()
    assert "3 medians of 0 have no logarithm" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("at", "code"),
    [(VERSIONS - 1, 1), (VERSIONS - 2, 1), (VERSIONS - 3, 1), (AT, 0), (99, 0)],
)
def test_the_gate_is_of_the_newest_version(
    at: int, code: int, tmp_path: Path, capsys: Capture
) -> None:
    files = make(tmp_path / "data", at=at)
    junit = tmp_path / "h.xml"
    words = ["--by", "note.commit", "--gate", "--junit", str(junit)]
    assert main(["history", files, *words]) == code, capsys.readouterr().out
    failures = ElementTree.parse(junit).getroot().get("failures")
    assert failures == (str(CHANGED) if code else "0")


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (VERSIONS - 1, "newest c19 (2026-11-20): 2 of 6 cases slower"),
        (VERSIONS - 2, "since c18 (2026-11-19): 2 of 6 cases slower"),
    ],
)
def test_a_young_change_has_a_sentence(at: int, said: str, tmp_path: Path, capsys: Capture) -> None:
    files = make(tmp_path / "data", at=at)
    assert main(["history", files, "--by", "note.commit"]) == 0
    (line,) = [each for each in capsys.readouterr().out.splitlines() if "cases slower" in each]
    assert said in line
    assert ("the newest 2 versions: a change or bad nights" in line) == (at == VERSIONS - 2)
    assert "with it: compiler: GNU 12 -> GNU 13" in line


def test_a_faster_newest_version_passes(tmp_path: Path) -> None:
    files = make(tmp_path / "data", at=VERSIONS - 1, step=-0.3)
    assert main(["history", files, "--by", "note.commit", "--gate"]) == 0


@pytest.mark.parametrize(
    ("factors", "code", "failures"),
    [
        ((1, 2, 0.5), 0, 0),  # the newest takes back all, and more
        ((1, 2, 1.5), 1, CASES),  # and half of it
        ((1, 2, 2), 1, CASES),
        ((1, 0.5, 1), 0, 0),  # one version alone was faster
    ],
)
def test_what_the_newest_version_takes_back_fails_no_gate(
    factors: Sequence[float], code: int, failures: int, tmp_path: Path, capsys: Capture
) -> None:
    """MPICH 5 is slower than MPICH 4, and Intel MPI, the newest, is the fastest of all."""
    random = np.random.default_rng(3)
    for version, factor in enumerate(factors):
        for number in range(8):
            us = 100 * factor * np.exp(random.normal(0, 0.02, CASES))
            fake_launches.launch(
                tmp_path / "data" / f"{version}_{number}.csv",
                {("ring", 2**case): [float(each)] * 3 for case, each in enumerate(us)},
                start=f"2026-11-{version + 1:02}T0{number}:00:00+0000",
                note__commit=f"c{version}",
                seed=f"{version}{number}",
            )
    junit = tmp_path / "h.xml"
    words = ["--by", "note.commit", "--gate", "--junit", str(junit)]
    assert main(["history", str(tmp_path / "data"), *words]) == code, capsys.readouterr().out
    assert ElementTree.parse(junit).getroot().get("failures") == str(failures)


def test_of_one_version_the_gate_tells_nothing(tmp_path: Path, capsys: Capture) -> None:
    files = make(tmp_path / "data", versions=1)
    assert main(["history", files, "--gate", "--by", "note.commit"]) == 2
    assert "too few versions or launches" in capsys.readouterr().err


@pytest.mark.parametrize("versions", [2, 3])
def test_few_versions_that_are_alike_have_no_findings(
    versions: int, tmp_path: Path, capsys: Capture
) -> None:
    files = make(tmp_path / "data", versions, step=0)
    assert main(["history", files, "--by", "note.commit"]) == 0
    assert "verdict: too few versions or launches to judge" in capsys.readouterr().out


def add_wrong(path: Path, size: int) -> None:
    """Adds a wrong result of the case to the launch, beside its times."""
    row = lines("ring", size=size, status="wrong", reason="byte 3")[0]
    path.write_text(checksummed(f"{path.read_text()}{row}\n#@case_end=99\n"))


def outcomes(path: Path) -> dict[str, str]:
    """Returns what JUnit XML says of each case that neither passed nor was slower."""
    tests = ElementTree.parse(path).getroot().iter("testcase")
    found = {str(test.get("name")): str(each.get("message")) for test in tests for each in test}
    return {name: said for name, said in found.items() if not said.startswith("slower")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("wrong", "since"),
    [
        (["19_0"], "c19 (2026-11-20)"),
        (["17_1", "18_0", "18_2", "19_1"], "c17 (2026-11-18)"),
        (["16_1", "18_2", "19_0", "19_1", "19_2"], "c18 (2026-11-19)"),
    ],
)
def test_a_wrong_result_fails_and_takes_away_no_other_launch(
    wrong: list[str], since: str, tmp_path: Path, capsys: Capture
) -> None:
    """The same case is slower since the version before the newest."""
    files = make(tmp_path / "data", at=VERSIONS - 2)
    for name in wrong:
        add_wrong(tmp_path / "data" / f"{name}.csv", 32)
    outputs = [f"--{name}={tmp_path / name}" for name in ("junit", "json", "csv")]
    page = tmp_path / "h.html"
    words = ["history", files, "--by", "note.commit", "--gate", "-o", str(page), *outputs]
    assert main(words) == 1
    said = capsys.readouterr().out
    assert f"since {since}: 1 of 6 cases wrong, allgather, 32 bytes; with it: " in said
    last = said.splitlines()[-1]
    assert last.startswith("verdict: WRONG RESULTS: the newest version, c19 (2026-11-20), since ")
    assert last.endswith(f"since {since}; SLOWER since c18 (2026-11-19)")
    assert ": 2 of 6 cases slower" in said
    assert outcomes(tmp_path / "junit") == {"ring, 32 bytes": f"wrong since {since}"}
    found = json.loads((tmp_path / "json").read_text())
    assert found["newest_is_wrong"] and found["newest_is_slower"]
    assert "wrong" in (tmp_path / "csv").read_text()
    assert '"name":"ring, 32 bytes"' in page.read_text().partition('"cases":')[2][:40]


@pytest.mark.slow
def test_an_older_wrong_result_hides_no_change(tmp_path: Path, capsys: Capture) -> None:
    files = make(tmp_path / "data")
    add_wrong(tmp_path / "data" / "05_0.csv", 32)
    words = ["history", files, "--by", "note.commit", "--gate"]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "since c12 (2026-11-13): 2 of 6 cases slower" in said
    assert "not slower" in said.splitlines()[-1] and "cases wrong" not in said


@pytest.mark.slow
def test_cases_that_were_never_right_fail(tmp_path: Path, capsys: Capture) -> None:
    files = make(tmp_path / "data", versions=3, at=99)
    for path in (tmp_path / "data").iterdir():
        add_wrong(path, 32)
        add_wrong(path, 64)
    figure, junit = tmp_path / "h.svg", tmp_path / "h.xml"
    words = ["--by", "note.commit", "--gate", "--junit", str(junit)]
    assert main(["history", files, *words, "-o", str(figure)]) == 1
    assert "since c00 (2026-11-01): 2 of 7 cases wrong" in capsys.readouterr().out
    assert {name for name, said in outcomes(junit).items() if said.startswith("wrong")} == {
        "ring, 32 bytes", "ring, 64 bytes"
    }  # fmt: skip
    assert main(["history", files, *words, "--bytes", "32,64"]) == 2
    assert "no ok rows left after --bytes" in capsys.readouterr().err


FEW = "too few versions or launches"
NOT_MEASURED = "not measured in the newest version"


@pytest.mark.parametrize(
    ("cases", "code", "skipped"),
    [
        ([6, 6, 6, 6, 6, 1], 2, NOT_MEASURED),
        ([1, 1, 6, 1, 1, 1], 2, NOT_MEASURED),
        ([6, 6, 1, 1, 1, 1], 0, NOT_MEASURED),  # they were left out of the sweep long ago
        ([1, 1, 1, 1, 1, 6], 0, FEW),  # they are new
        ([6, 6, 6, 6, 6, 0], 2, NOT_MEASURED),
    ],
)
def test_cases_that_the_newest_version_lacks_do_not_pass(
    cases: list[int], code: int, skipped: str, tmp_path: Path, capsys: Capture
) -> None:
    random = np.random.default_rng(3)
    for version, count in enumerate(cases):
        for number in range(LAUNCHES):
            us = 100 * np.exp(random.normal(0, 0.02, CASES))
            path = fake_launches.launch(
                tmp_path / "data" / f"{version}_{number}.csv",
                {
                    ("ring", 2**case): [float(each)] * 3
                    for case, each in enumerate(us[: count or 1])
                },
                start=f"2026-11-{version + 1:02}T0{number}:00:00+0000",
                note__commit=f"c{version}",
                seed=f"{version}{number}",
            )
            if not count:
                text = path.read_text().replace(",ok,", ",late,")
                path.write_text(checksummed(text))
    outputs = [f"--{name}={tmp_path / name}" for name in ("junit", "json")]
    words = ["history", str(tmp_path / "data"), "--by", "note.commit", "--gate", *outputs]
    assert main(words) == code
    said = capsys.readouterr()
    lacking = 6 if cases[-1] == 0 else 5
    names = {f"ring, {2**case} bytes" for case in range(1, CASES)}
    assert names <= outcomes(tmp_path / "junit").keys()
    assert set(outcomes(tmp_path / "junit").values()) == {skipped}
    assert len(outcomes(tmp_path / "junit")) == lacking
    no_verdict = f"agreport: no verdict: {NOT_MEASURED}, c5 (2026-11-06): {lacking} of 6 cases"
    assert (no_verdict in said.err) == (code == 2)
    found = json.loads((tmp_path / "json").read_text())
    assert found["newest_is_slower"] == (None if code else False)
    assert found["cases_newest_lacks"] == (lacking if code else 0)


def start_of(tmp_path: Path, commit: str, number: int, start: str) -> None:
    told = {"start": start} if start else {}
    path = tmp_path / "data" / f"{commit}{number}.csv"
    fake_launches.launch(path, {("ring", 1): [5.0 + number]}, note__commit=commit, **told)


def test_versions_are_in_the_order_of_time_across_time_zones(
    tmp_path: Path, capsys: Capture
) -> None:
    """The clocks were put back an hour meanwhile, and another machine has another zone."""
    start_of(tmp_path, "old", 1, "2026-10-25T02:50:00+0200")
    start_of(tmp_path, "new", 2, "2026-10-25T02:10:00+0100")
    start_of(tmp_path, "new", 3, "2026-10-26T02:10:00+0100")
    start_of(tmp_path, "newest", 4, "2026-10-24T23:10:00-0400")
    assert main(["history", str(tmp_path / "data"), "--by", "note.commit"]) == 0
    said = capsys.readouterr().out
    assert said.index("\nold ") < said.index("\nnew ") < said.index("\nnewest ")
    rows = [line.split() for line in said.splitlines() if line.startswith(("old", "new"))]
    assert [row[1] for row in rows] == ["2026-10-25", "2026-10-25", "2026-10-24"]


@pytest.mark.parametrize("start", ["", "yesterday"])
def test_the_launch_without_a_start_is_named(start: str, tmp_path: Path, capsys: Capture) -> None:
    start_of(tmp_path, "a", 1, "2026-11-01T02:01:00+0100")
    start_of(tmp_path, "a", 2, start)
    start_of(tmp_path, "b", 3, "2026-11-01T02:03:00+0100")
    line = refused(capsys, "history", tmp_path / "data", "--by", "note.commit")
    assert f"--order launch: {tmp_path}/data/a2.csv does not say when it began; legal: " in line
    assert line.endswith("legal: git:REPOSITORY, list:FILE")


def test_versions_may_have_the_order_of_a_list(tmp_path: Path, capsys: Capture) -> None:
    files = make(tmp_path / "data", versions=3)
    listed = tmp_path / "order"
    listed.write_text("c02\nmore\nc00\nc01\n")
    assert main(["history", files, "--by", "note.commit", "--order", f"list:{listed}"]) == 0
    said = capsys.readouterr().out
    assert said.index("c02 ") < said.index("c00 ") < said.index("c01 ")


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["--by", "note.no"], "note.no"),
        (["--order", "time"], "--order: 'time' is not legal; legal: launch, git:REPOSITORY"),
        (["--by", "note.commit", "--order", "list:/etc/hostname"], "version 'c0"),
        (
            ["--by", "note.commit", "--order", "list:/nowhere"],
            "--order list:/nowhere: No such file",
        ),
        (["--by", "note.commit", "--order", "list:/etc"], "--order list:/etc: is a"),
        (
            ["--by", "note.commit", "--order", "list:/proc/self/auxv"],
            "--order list:/proc/self/auxv: is no text; legal: a version a line",
        ),
        (["--by", "note.commit", "--order", "git:/nowhere"], "is no commit there"),
    ],
)
def test_what_is_refused(words: list[str], named: str, tmp_path: Path, capsys: Capture) -> None:
    files = make(tmp_path / "data", versions=2)
    assert main(["history", files, *words]) == 2
    err = capsys.readouterr().err.strip().splitlines()
    assert named in err[-1]
