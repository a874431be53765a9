# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare: its outputs, baselines, and each refusal in one line with exit code 2."""

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agreport.compare.json_text import SCHEMA
from agreport.main import main

from . import fake_launches
from .compared import compared, noise
from .conftest import lines

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders base and new, nine pairs of twelve cases, the fourth twice as slow."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    base = 0.1 * noise(random, 9, 12)
    slow = np.where(np.arange(12) == 3, np.log(2), 0)
    fake_launches.side(tmp_path / "base", base, "note__pair")
    fake_launches.side(
        tmp_path / "new", base + 0.01 * noise(random, 9, 12) + slow, "note__pair", mpi="Another 2"
    )
    return tmp_path


BOTH = ["compare", "--baseline", "base", "--new", "new"]


def test_json_follows_its_schema(sides: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    found = compared(["base"], ["new"])
    jsonschema.validate(found, schema)
    assert {"key": "mpi", "base": "Open MPI <4.1.4> & friends", "new": "Another 2"} in found[
        "differences"
    ]
    assert len(found["together"]) == 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "more": 1}, schema)
    jsonschema.validate(compared(["base/00.csv"], ["new/00.csv"]), schema)


def test_terminal_and_markdown(sides: Path, capsys: Capture) -> None:
    assert main([*BOTH, "--markdown", "a.md"]) == 1
    out = capsys.readouterr().out
    assert "mpi: Open MPI <4.1.4> & friends -> Another 2" in out
    assert out.splitlines()[-1].startswith("verdict: REGRESSION (cases: 1 regression, ")
    assert "largest: ring, 8 bytes, +9" in out or "largest: ring, 8 bytes, +10" in out
    markdown = Path("a.md").read_text()
    assert markdown.startswith("# Comparison") and "| 8 | ring |" in markdown


def test_csv_has_the_numbers_of_the_json(sides: Path) -> None:
    assert main([*BOTH, "--csv", "a.csv", "--json", "a.json"]) == 1
    found = pd.read_csv("a.csv", keep_default_na=False)
    cases = json.loads(Path("a.json").read_text())["cases"]
    assert found["verdict"].tolist() == [case["verdict"] for case in cases]
    assert found["change_percent"].tolist() == pytest.approx(
        [case["change_percent"] for case in cases]
    )
    assert set(found["bytes"]) == {2**case for case in range(12)}


def test_junit(sides: Path) -> None:
    assert main([*BOTH, "--junit", "a.xml"]) == 1
    suite = ElementTree.parse("a.xml").getroot()
    tests = suite.findall("testcase")
    assert suite.get("tests") == str(len(tests)) == "13"
    failed = [test.get("name") for test in tests if test.find("failure") is not None]
    assert failed == ["ring, 8 bytes"] and suite.get("failures") == "1"


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_figure(sides: Path, ending: str) -> None:
    assert main([*BOTH, "-o", f"a{ending}"]) == 1
    assert Path(f"a{ending}").stat().st_size > 5000


def test_baselines(sides: Path, capsys: Capture) -> None:
    assert main(["compare", "--baseline", "base", "--save-baseline", "v1"]) == 0
    assert len(list(Path("baselines/v1").iterdir())) == 9
    assert main(["compare", "--new", "new", "--baseline", "v1"]) == 1
    assert main(["compare", "--new", "base", "--baseline", "v1"]) == 0
    assert capsys.readouterr().err == ""
    assert main(["compare", "--baseline", "new", "--save-baseline", "v1"]) == 2
    assert "'v1' is there already" in capsys.readouterr().err
    assert main(["compare", "--new", "new", "--baseline", "v2"]) == 2
    assert "'v2' is no file, and is not in baselines; there: v1" in capsys.readouterr().err


def test_a_baseline_is_not_mistaken_for_files(sides: Path, capsys: Capture) -> None:
    assert main(["compare", "--baseline", "base", "--save-baseline", "new"]) == 0
    assert main(["compare", "--new", "base", "--baseline", "new"]) == 2
    assert "say ./new or baselines/new" in capsys.readouterr().err
    assert main(["compare", "--new", "base", "--baseline", "./new"]) == 0
    assert main(["compare", "--new", "new", "--baseline", "baselines/new"]) == 1


def test_former_spellings(sides: Path, capsys: Capture) -> None:
    assert main(["compare", "--base", "base", "--new", "new"]) == 1
    assert capsys.readouterr().err == "agreport: note: '--base' is now '--baseline'\n"
    assert main(["compare", "--base", "base", "--baseline", "v1"]) == 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "'--baseline FILES --save-baseline NAME'" in said
    assert main(["compare", "--new", "new", "--baseline", "v1"]) == 1
    assert capsys.readouterr().err == ""


def test_cases_of_one_side_are_listed(tmp_path: Path) -> None:
    for number in range(9):
        for side, sizes in (("base", (1, 2)), ("new", (1, 4))):
            times = {("ring", size): [10.0 + number] for size in sizes}
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, times, note__pair=str(number))
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])
    why = {case["bytes"]: case["why"] for case in found["not_compared"]}
    assert why == {2: "only in base", 4: "only in new"}
    assert [case["bytes"] for case in found["cases"]] == [1]


def test_a_result_that_became_wrong_fails(tmp_path: Path) -> None:
    for number in range(2):
        for side in ("base", "new"):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0], ("bruck", 1): [5.0]})
            if side == "new":
                row = lines("bruck", status="wrong", reason="byte 0")[0]
                text = path.read_text().replace("allgather,bruck", "#allgather,bruck")
                path.write_text(f"{text}{row}\n#@case_end=9\n")
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])
    assert found["verdict"] == "wrong result" and found["exit_code"] == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--baseline", "base"], ["--new FILES is missing"]),
        (["--new", "new"], ["--baseline FILES is missing"]),
        (["--baseline", "base", "--new", "base"], ["with --baseline and with --new"]),
        (["--baseline", "base", "--new", "nowhere"], ["nowhere", "no such file"]),
        ([*BOTH[1:], "--allow", "snyc"], ["--allow", "'snyc'", "(nearest: sync)"]),
        ([*BOTH[1:], "--base", "a"], ["--base ", "--baseline", "not both"]),
        ([*BOTH[1:], "--save-baseline", "a"], ["--save-baseline", "--new"]),
        (["--baseline", "new", "--save-baseline", "../a"], ["'../a' is no name"]),
        (["--new", "new", "--baseline", "../a"], ["../a", "no such file"]),
        ([*BOTH[1:], "--threshold", "much"], ["--threshold", "'much'"]),
        ([*BOTH[1:], "--ranks", "5"], ["--ranks", "legal: 4"]),
    ],
)
def test_refusals(sides: Path, capsys: Capture, arguments: list[str], said: list[str]) -> None:
    try:
        code = main(["compare", *arguments])
    except SystemExit as leaving:
        code = int(str(leaving.code))
    error = capsys.readouterr().err
    assert code == 2 and error.count("\n") == 1
    for part in said:
        assert part in error


# Of keys with one beginning, one of them.
COMPARED = [
    f"{key.key}1" if key.prefix else key.key for key in catalogue().must_agree_to("compare")
]


@pytest.mark.parametrize("key", COMPARED)
def test_what_must_agree_is_named(tmp_path: Path, capsys: Capture, key: str) -> None:
    for side, value in (("base", "one"), ("new", "two")):
        for number in range(2):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0 + number]}, **{key: value})
    arguments = ["compare", "--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    allowed = key.removesuffix("_1")
    assert f"{allowed} differs" in error and "'one'" in error and f"--allow {allowed}" in error
    assert main([*arguments, "--allow", allowed]) == 0


def test_former_keys_may_be_allowed(
    sides: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [
        replace(key, formerly=("synchroniser",)) if key.key == "sync" else key
        for key in catalogue().metadata
    ]
    renamed = replace(catalogue(), metadata=tuple(keys))
    monkeypatch.setattr("agreport.compare.command.catalogue", lambda: renamed)
    assert main([*BOTH, "--allow", "synchroniser"]) == 1
    assert capsys.readouterr().err == "agreport: note: 'synchroniser' is now 'sync'\n"


def test_what_changes_a_time_must_agree() -> None:
    """The catalogue decides which keys do, and these must not leave it."""
    assert {"check_up_to", "validation", "sync", "hosts", "distribution_file_1"} <= set(COMPARED)


def test_a_suite_without_a_version_is_named(sides: Path, capsys: Capture) -> None:
    path = next((sides / "new").iterdir())
    path.write_text(path.read_text().replace("suite=gatherbench 0.1.0", "suite=gatherbench"))
    assert main(BOTH) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and path.name in error
    assert "'gatherbench'" in error and "not gatherbench" not in error
    assert "without a version" in error


def test_wrong_results_need_no_other_cases(tmp_path: Path) -> None:
    """No case has times on both sides, but one became wrong."""
    for side, sizes in (("base", (1, 2)), ("new", (4,))):
        times = {("ring", size): [5.0] for size in sizes}
        path = fake_launches.launch(tmp_path / side / "0.csv", times)
    path.write_text(f"{path.read_text()}{lines('ring', status='wrong')[0]}\n#@case_end=9\n")
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])
    assert found["verdict"] == "wrong result" and found["exit_code"] == 1


def test_a_pair_has_one_launch_a_side(tmp_path: Path, capsys: Capture) -> None:
    for side, count in (("base", 2), ("new", 1)):
        for number in range(count):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0]}, duet_pair="x")
    assert (
        main(["compare", "--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]) == 2
    )
    assert "duet_pair=x, on one side" in capsys.readouterr().err
