# SPDX-License-Identifier: BSD-3-Clause
"""agreport compare: its outputs, baselines, and each refusal in one line with exit code 2."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import numpy as np
import pandas as pd
import pytest

from agformats.catalogue import catalogue
from agformats.files.data_set_writer import WHOLE_FILE, Writer
from agformats.files.result_file import METRICS
from agformats.files.result_rows import read
from agreport.compare.json_text import SCHEMA
from agreport.main import main
from shared.checksums import checksummed

from ..conftest import lines
from ..support import fake_launches
from ..support.commands import Capture, refused
from ..support.compared import compared, noise

pytestmark = pytest.mark.slow

NEWER = "Open MPI <5.0.1> & friends"


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders base and new, nine pairs of twelve cases, the fourth twice as slow."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    base = 0.1 * noise(random, 9, 12)
    slow = np.where(np.arange(12) == 3, np.log(2), 0)
    fake_launches.side(tmp_path / "base", base, "note__pair")
    fake_launches.side(
        tmp_path / "new", base + 0.01 * noise(random, 9, 12) + slow, "note__pair", mpi=NEWER
    )
    return tmp_path


SIDES = (("baseline", "base"), ("new", "new"))
BOTH = ["compare", "--baseline", "base", "--new", "new"]


def test_json_follows_its_schema(sides: Path) -> None:
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    found = compared(["base"], ["new"])
    jsonschema.validate(found, schema)
    assert {"key": "mpi", "base": "Open MPI <4.1.4> & friends", "new": NEWER} in found[
        "differences"
    ]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "more": 1}, schema)
    jsonschema.validate(compared(["base/00.csv"], ["new/00.csv"]), schema)


@pytest.mark.parametrize("metric", METRICS)
def test_json_of_each_metric_follows_its_schema(sides: Path, metric: str) -> None:
    for path in sides.glob("*/*.csv"):
        given = path.read_text().splitlines()
        cycles = {"collective,": ",cycle_us", "allgather,": ",900"}
        text = [
            line + next((cycles[c] for c in cycles if line.startswith(c)), "") for line in given
        ]
        path.write_text(checksummed("\n".join(text) + "\n"))
    found = compared(["base"], ["new"], "--metric", metric)
    assert found["metric"] == metric
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))


def test_terminal_and_markdown(sides: Path, capsys: Capture) -> None:
    assert main([*BOTH, "--markdown", "a.md"]) == 1
    out = capsys.readouterr().out
    assert f"mpi: Open MPI <4.1.4> & friends -> {NEWER}" in out
    assert out.splitlines()[-1].startswith("verdict: REGRESSION (cases: 1 regression, ")
    assert "largest: ring, 8 bytes, +9" in out or "largest: ring, 8 bytes, +10" in out
    markdown = Path("a.md").read_text()
    assert markdown.startswith("# Comparison") and "| 8 | ring |" in markdown


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("pairs", [2, 3])
def test_bounds_of_few_pairs_are_short(tmp_path: Path, capsys: Capture, pairs: int) -> None:
    """Student's quantiles of one or two degrees of freedom are large, and these are logarithms."""
    random = np.random.default_rng(5)
    for side in ("base", "new"):
        times = 0.5 * noise(random, pairs, 12)
        fake_launches.side(tmp_path / side, times, "note__pair")
    arguments = ["--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    assert main(["compare", *arguments]) == 2
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines() if line.endswith("open")]
    assert max(len(cell) for row in rows for cell in row) < 12
    assert ">1000" in out and "of >1000 % in every case" in out
    assert "With so few launches, nothing smaller is told from noise." in out


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
    assert suite.get("tests") == str(len(tests)) == "24", "12 cases, and their stalls"
    failed = [test.get("name") for test in tests if test.find("failure") is not None]
    assert failed == ["ring, 8 bytes"] and suite.get("failures") == "1"


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_figure(sides: Path, ending: str) -> None:
    assert main([*BOTH, "-o", f"a{ending}"]) == 1
    assert Path(f"a{ending}").stat().st_size > 5000


def test_another_library_that_is_slower_is_no_regression(sides: Path, capsys: Capture) -> None:
    """People read other words; programs read the same verdicts as ever."""
    for path in (sides / "new").iterdir():
        path.write_text(checksummed(path.read_text().replace(NEWER, "MPICH Version: 4.0.2")))
    outputs = ["--junit", "a.xml", "--markdown", "a.md", "--json", "a.json", "-o", "a.svg"]
    assert main([*BOTH, *outputs]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith("verdict: SLOWER (cases: 1 slower, ")
    drawn = Path("a.svg").read_text()
    assert "New against base: slower" in drawn and "slower (\N{BLACK UP-POINTING TRIANGLE}" in drawn
    for said in (out, Path("a.xml").read_text(), Path("a.md").read_text(), drawn):
        assert "slower" in said and "regression" not in said.lower()
    assert json.loads(Path("a.json").read_text())["verdict"] == "regression"
    assert main(["compare", "--baseline", "new", "--new", "base"]) == 0
    assert "verdict: faster (cases: 1 faster, " in capsys.readouterr().out


def test_noisy_cases_are_open_and_the_others_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """Some or all of nine cases are noisy."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    calm, wild = (spread * noise(random, 9, 9) for spread in (0.002, 0.5))
    for noisy, code in ((5, 0), (9, 2)):
        spread = np.where(np.arange(9) < noisy, wild, calm)
        half = (spread - spread.mean(axis=0)) / 2
        fake_launches.side(tmp_path / f"{noisy}" / "base", -half, "note__pair")
        fake_launches.side(tmp_path / f"{noisy}" / "new", half, "note__pair")
        given = ["--baseline", f"{noisy}/base", "--new", f"{noisy}/new"]
        assert main(["compare", *given, "--json", "a.json", "--junit", "a.xml"]) == code
        said = capsys.readouterr()
        found = json.loads(Path("a.json").read_text())
        jsonschema.validate(found, json.loads(SCHEMA.read_text()))
        verdicts = [case["verdict"] for case in found["cases"]]
        assert verdicts == ["open"] * noisy + ["no change"] * (9 - noisy)
        assert ElementTree.parse("a.xml").getroot().get("skipped") == str(noisy)
        last = said.out.splitlines()[-1]
        if code == 0:
            assert (found["verdict"], said.err) == ("no regression", "")
            assert last == (
                "verdict: no regression (cases: 5 open, 4 no change); open: a change of 10 % may "
                "be hidden in 5 of 9 cases"
            )
            assert main(["compare", *given, "--gate", "detectable=10%"]) == 2
            assert "would not in every case be called" in capsys.readouterr().err
            continue
        assert (found["verdict"], last) == ("inconclusive", "verdict: inconclusive (cases: 9 open)")
        assert said.err.startswith(
            "agreport: inconclusive: a change of 10 % would in no case surely be called; "
            "more pairs would not help, as they differ by a factor of "
        )
        assert said.err.endswith(" at the same time (--duet), or a larger --threshold\n")


@pytest.mark.parametrize(
    ("key", "spread", "noisy", "said"),
    [
        ("note__pair", 0.01, 0.01, r"\.\n"),
        ("note__pair", 0.01, 0.1, r"\. For 10 % in every case it takes about \d+ more pairs\.\n"),
        (
            "duet_pair", 0.01, 0.3,
            r"\. For 10 % in every case more duets would not help, as they differ by a factor of "
            r"[\d.]+ in one case: bind ranks, or ask for whole nodes\.\n",
        ),
        (
            "", 0.5, 0.5,
            r"\. For 10 % in half of the cases more launches would not help, as they differ by a "
            r"factor of [\d.]+ in the median case: bind ranks, or ask for whole nodes, or run both "
            r"sides at the same time \(--duet\)\.\n",
        ),
    ],
)  # fmt: skip
def test_advice_how_to_find_more_can_be_taken(
    tmp_path: Path, capsys: Capture, key: str, spread: float, noisy: float, said: str
) -> None:
    """One of twelve cases may be noisier. Nobody runs thousands of pairs, nor none more."""
    random = np.random.default_rng(1)
    for side in ("base", "new"):
        spreads = np.where(np.arange(12) == 5, noisy, spread)
        fake_launches.side(tmp_path / side, spreads * noise(random, 10, 12), key)
    code = main(["compare", *(f"--{side}={tmp_path / folder}" for side, folder in SIDES)])
    found = capsys.readouterr()
    first = r"\nDetectable, so called in 95% of such comparisons, is a change of [\d.]+ % in half "
    assert re.search(f"{first}of the cases, and of [\\d.]+ % in every case{said}", found.out)
    assert code == (2 if spread > 0.1 else 0)
    if code == 2:
        assert re.search("called; more launches would not help, as they differ by a ", found.err)


def test_no_advice_how_to_find_more_where_a_regression_was_found(
    sides: Path, capsys: Capture
) -> None:
    assert main(BOTH) == 1
    assert "Detectable" not in capsys.readouterr().out


def test_a_change_of_nothing_has_no_sign(tmp_path: Path, capsys: Capture) -> None:
    """Changes of less than half a percent in a figure, and of less than 0.005 % in a table."""
    random = np.random.default_rng(6)
    for side, by in (("base", 1.0), ("new", 0.99996)):
        for number in range(8):
            times = {
                ("ring", 2**case): [1000 * by * 1.001 ** random.normal()] * 3 for case in range(3)
            }
            fake_launches.launch(tmp_path / side / f"{number}.csv", times, duet_pair=f"p{number}")
    output = tmp_path / "a.svg"
    sides = [f"--{side}={tmp_path / folder}" for side, folder in SIDES]
    assert main(["compare", *sides, "-o", str(output)]) == 0
    drawn, out = output.read_text(), capsys.readouterr().out
    assert ">0<" in drawn and not re.search(r"[+\N{MINUS SIGN}-]0<", drawn)
    assert not re.search(r"-0\.00?\b", out)


def test_rows_are_in_the_order_of_numbers(tmp_path: Path, capsys: Capture) -> None:
    """Nodes, ranks and sizes are sorted as numbers in what is called, and in the rest."""
    for side in ("base", "new"):
        for number, (nodes, ranks) in enumerate(((16, 32), (4, 32), (4, 8))):
            for pair in range(12):
                sizes = (16384, 1, 64)
                us = {1: 100, 64: 200 if side == "new" else 100, 16384: 1000}
                late = 0.01 * (pair % 3) if side == "new" else 0  # some noise
                times = {("ring", size): [us[size] + late] * 6 for size in sizes}
                path = tmp_path / side / f"{number}-{pair}.csv"
                fake_launches.launch(path, times, note__pair=f"{number}-{pair}", nodes=str(nodes))
                text = path.read_text().replace("sequential,4,1,", f"sequential,{ranks},{nodes},")
                path.write_text(checksummed(text))
    assert main(["compare", *(f"--{s}={tmp_path / f}" for s, f in SIDES)]) == 1
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = [(*line[:2], *line[2:4]) for line in lines if line[1:2] == ["nodes"]]
    places = [("4", "nodes", "8"), ("4", "nodes", "32"), ("16", "nodes", "32")]
    assert found == [
        (*place, size) for sizes in (["64"], ["1", "16K"]) for place in places for size in sizes
    ]


def settings_of(tmp_path: Path, side: str, mpi: str, settings: str) -> str:
    fake_launches.launch(tmp_path / side / "0.csv", {("ring", 1): [5.0]}, mpi=mpi,
                         library_settings=settings)  # fmt: skip
    return str(tmp_path / side)


def test_another_setting_of_the_library_has_to_be_allowed(tmp_path: Path, capsys: Capture) -> None:
    base = settings_of(tmp_path, "base", "Open MPI v4.1.4", "OMPI_MCA_btl=self,tcp")
    new = settings_of(tmp_path, "new", "Open MPI v4.1.6", "none")
    asked = ["compare", "--baseline", base, "--new", new]
    assert main(asked) == 2
    said = capsys.readouterr().err
    assert "library_settings differs, and must not: 'OMPI_MCA_btl=self,tcp' in " in said
    assert "--allow library_settings compares all the same" in said
    main([*asked, "--allow", "library_settings"])
    assert "library_settings" in capsys.readouterr().out


def test_settings_of_two_libraries_are_part_of_the_comparison(tmp_path: Path) -> None:
    base = settings_of(tmp_path, "base", "Open MPI v4.1.4", "OMPI_MCA_btl=self,tcp")
    new = settings_of(tmp_path, "new", "MPICH Version: 4.0.2", "none")
    shown = {each["key"] for each in compared([base], [new])["differences"]}
    assert shown == {"mpi", "library_settings"}


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


def test_single_launches_of_several_numbers_of_ranks(tmp_path: Path) -> None:
    for side in ("base", "new"):
        for ranks in (4, 8):
            path = tmp_path / side / f"{ranks}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0 + i % 3 for i in range(20)]})
            path.write_text(
                checksummed(path.read_text().replace("sequential,4,", f"sequential,{ranks},"))
            )
    base, new = ([str(tmp_path / side)] for side in ("base", "new"))
    found = compared(base, new, "--allow", "single-launch")
    assert [case["verdict"] for case in found["cases"]] == ["open"] * 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", ["duet_pair", ""])
def test_single_launches_with_times_of_0(tmp_path: Path, key: str) -> None:
    """A clock that ticks each microsecond: all of the first case, and some of the second. The
    lowest times of the ranks are 1 us less than the means."""
    for side in ("base", "new"):
        times = {("ring", 1): [1.0] * 8, ("ring", 2): [1.0, 2.0, 2.0, 3.0] * 3}
        fake_launches.launch(tmp_path / f"{side}.csv", times, **({key: "p"} if key else {}))
    base, new = ([str(tmp_path / f"{side}.csv")] for side in ("base", "new"))
    found = compared(base, new, "--allow", "single-launch,missing", "--metric", "min")
    assert [case["bytes"] for case in found["cases"]] == [2]


def test_a_result_that_became_wrong_fails(tmp_path: Path) -> None:
    for number in range(2):
        for side in ("base", "new"):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0], ("bruck", 1): [5.0]})
            if side == "new":
                row = lines("bruck", status="wrong", reason="byte 0")[0]
                text = path.read_text().replace("allgather,bruck", "#allgather,bruck")
                path.write_text(checksummed(f"{text}{row}\n#@case_end=9\n"))
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])
    assert found["verdict"] == "wrong result" and found["exit_code"] == 1


ASK = "the two sides are given as --baseline FILES --new FILES"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--baseline", "base"], ["--new FILES is missing", ASK]),
        (["--new", "new"], ["--baseline FILES is missing", ASK]),
        ([], ["--baseline FILES is missing", ASK]),
        (["--save-baseline", "a"], ["--baseline FILES is missing: the launches that"]),
        (["base", "new"], ["'base' says no side", ASK]),
        (["--old", "base", "--new", "new"], ["'--old' says no side", ASK]),
        (["--before", "base", "--after", "new"], ["'--before' says no side", ASK]),
        (["--baseline", "base", "--threshold", "3", "new/00.csv"], ["'new/00.csv'", ASK]),
        ([*BOTH[1:], "--threshhold", "3"], ["unrecognized arguments: --threshhold 3"]),
        (["--baseline", "base", "--new", "base"], ["with --baseline and with --new"]),
        (["--baseline", "base", "--new", "nowhere"], ["nowhere", "no such file"]),
        ([*BOTH[1:], "--allow", "snyc"], ["--allow", "'snyc'", "(nearest: sync)"]),
        ([*BOTH[1:], "--save-baseline", "a"], ["--save-baseline", "--new"]),
        *(
            (["--baseline", "base", "--save-baseline", "a", *more], ["--save-baseline", more[0]])
            for more in (
                ["--bytes", "8"],
                ["--ranks", "4"],
                ["--ranks", "4,8"],
                ["--collective", "allgather"],
                ["--json", "a.json"],
                ["-o", "a.svg"],
                ["--gate", "detectable=10%"],
                ["--allow", "nonsense"],
                ["--metric", "min"],
                ["--keep-going"],
            )
        ),
        (["--baseline", "new", "--save-baseline", "../a"], ["'../a' is no name"]),
        (["--new", "new", "--baseline", "../a"], ["../a", "no such file"]),
        ([*BOTH[1:], "--threshold", "much"], ["--threshold", "'much'"]),
        ([*BOTH[1:], "--ranks", "5"], ["--ranks", "legal: 4"]),
    ],
)
def test_refusals(sides: Path, capsys: Capture, arguments: list[str], said: list[str]) -> None:
    line = refused(capsys, "compare", *arguments)
    assert [part for part in said if part not in line] == []
    assert not Path("baselines").exists()


@pytest.mark.parametrize("how", [[], ["--baseline"], ["--new"]])
@pytest.mark.parametrize("builds", [1, 2, 3])
def test_the_builds_of_a_data_set_are_the_sides(
    tmp_path: Path, capsys: Capture, how: list[str], builds: int
) -> None:
    """What `agsweep collect` makes of a sweep of several builds is one folder."""
    folder = tmp_path / "dataset"
    folder.mkdir()
    with Writer(folder) as writer:
        for build in [*"abc"][:builds]:
            path = fake_launches.launch(
                tmp_path / f"{build}.csv", {("ring", 1): [5.0]}, start=build
            )
            origin = {"build": build, "point": "p"}
            writer.add(*read(path, WHOLE_FILE), f"{build}/0.csv.gz", origin)
    line = refused(capsys, "compare", *how, folder)
    a, b, c = (folder / build for build in "abc")
    if builds == 2:
        assert line.endswith(f"the two sides are given as --baseline {a} --new {b}")
        assert main(["compare", "--baseline", str(a), "--new", str(b)]) == 2
        assert "too few launches" in capsys.readouterr().err
    else:
        one_each = f"; of {a} and {b} and {c} one each" if builds == 3 else ""
        assert line.endswith(ASK + one_each)


# Only one of keys with one beginning is here.
COMPARED = [
    f"{key.key}1" if key.prefix else key.key for key in catalogue().must_agree_to("compare")
]


@pytest.mark.parametrize("key", COMPARED)
def test_what_must_agree_is_named(tmp_path: Path, capsys: Capture, key: str) -> None:
    for side, value in (("base", "one"), ("new", "two")):
        for number in range(3):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0 + number]}, **{key: value})
    arguments = ["compare", "--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    assert main(arguments) == 2
    error = capsys.readouterr().err
    allowed = key.removesuffix("_1")
    assert f"{allowed} differs" in error and "'one'" in error and f"--allow {allowed}" in error
    assert main([*arguments, "--allow", allowed]) == 2
    assert capsys.readouterr().err.startswith("agreport: inconclusive: ")


@pytest.mark.parametrize(
    ("told", "agrees"), [({"buffers": "same"}, True), ({"buffers": "fresh"}, False)]
)
def test_a_file_without_the_key_had_the_same_buffers(
    tmp_path: Path, capsys: Capture, told: dict[str, str], agrees: bool
) -> None:
    for side, metadata in (("base", {}), ("new", told)):
        for number in range(3):
            path = tmp_path / side / f"{number}.csv"
            fake_launches.launch(path, {("ring", 1): [5.0 + number]}, **metadata)
    assert main(["compare", "--baseline", f"{tmp_path}/base", "--new", f"{tmp_path}/new"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("agreport: inconclusive: ") == agrees
    assert ("buffers differs, and must not: 'same' in" in error) != agrees


def test_seeds_may_differ(tmp_path: Path, capsys: Capture) -> None:
    for side in ("base", "new"):
        for number in range(3):
            path = tmp_path / side / f"{number}.csv"
            times = {("ring", 1): [5.0 + number]}
            fake_launches.launch(path, times, seed=f"{side}{number}")
    assert main(["compare", "--baseline", f"{tmp_path}/base", "--new", f"{tmp_path}/new"]) == 2
    assert capsys.readouterr().err.startswith("agreport: inconclusive: ")


def test_what_changes_a_time_must_agree() -> None:
    """The catalogue decides which keys do, and these must not leave it."""
    assert {"check_up_to", "validation", "sync", "hosts", "distribution_file_1"} <= set(COMPARED)


def test_a_suite_without_a_version_is_named(sides: Path, capsys: Capture) -> None:
    path = next((sides / "new").iterdir())
    path.write_text(
        checksummed(path.read_text().replace("suite=gatherbench 0.1.0", "suite=gatherbench"))
    )
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
    wrong = lines("ring", status="wrong")[0]
    path.write_text(checksummed(f"{path.read_text()}{wrong}\n#@case_end=9\n"))
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


def test_a_librarys_own_barrier_is_named(sides: Path, capsys: Capture) -> None:
    """Where two libraries are compared: how far apart it lets ranks go is in the times."""

    def warned(*, sync: str, library: str) -> bool:
        for folder in ("base", "new"):
            for path in (sides / folder).iterdir():
                rows = path.read_text().splitlines()
                kept = [line for line in rows if not line.startswith(("#@sync=", "#@mpi="))]
                mpi = library if folder == "new" else "Open MPI v4.1.4"
                text = "\n".join([f"#@sync={sync}", f"#@mpi={mpi}", *kept]) + "\n"
                path.write_text(checksummed(text))
        main(BOTH)
        out = capsys.readouterr().out
        return f"MPI library's own barrier brought the ranks together (--sync {sync})" in out

    other = "MPICH Version: 4.0.2"
    assert warned(sync="barrier", library=other)
    assert warned(sync="double-barrier", library=other)
    assert not warned(sync="barrier", library="Open MPI v4.1.4")
    assert not warned(sync="dissemination", library=other)


def test_what_was_loaded_is_named(sides: Path, capsys: Capture) -> None:
    """Two builds of one version say the same of themselves; a preload says nothing."""
    for folder, build in (("base", "01ab"), ("new", "02cd")):
        for path in (sides / folder).iterdir():
            told = f"#@mpi_build_id={build}\n" + "#@preload=/x.so\n" * (folder == "new")
            path.write_text(checksummed(told + path.read_text()))
    assert main(BOTH) == 1
    out = capsys.readouterr().out
    assert "mpi_build_id: 01ab -> 02cd" in out
    assert "preload: not given -> /x.so" in out


def start(minute: int) -> str:
    return f"2026-01-02T03:{minute:02}:00+0000"


def launches_at(
    folder: Path, minutes: list[int], us: float, cases: int = 2, iterations: int = 3
) -> str:
    """A launch at each of the minutes; times vary by a percent."""
    random = np.random.default_rng(len(folder.name))
    for number, minute in enumerate(minutes):
        times = {
            ("ring", 2**case): [us * np.exp(0.01 * random.standard_normal())] * iterations
            for case in range(cases)
        }
        fake_launches.launch(folder / f"{number:02}.csv", times, start=start(minute))
    return str(folder)


@pytest.mark.parametrize(
    ("base", "new", "code", "said"),
    [
        ([0, 3, 4, 7, 8, 11, 12], [1, 2, 5, 6, 9, 10, 13], 1, ""),
        ([*range(0, 20, 2)], [*range(1, 21, 2)], 2, "the sides took turns 19 times in 20 launches"),
        ([*range(10)], [*range(10, 20)], 2, "all launches of base began before those of new"),
        ([*range(10, 20)], [*range(10)], 2, "all launches of new began before those of base"),
        (
            [*range(5), *range(10, 15)],
            [*range(5, 10), *range(15, 20)],
            2,
            "the sides took turns only 3 times in 20 launches",
        ),
    ],
)
def test_blocks_have_no_verdict(
    tmp_path: Path, capsys: Capture, base: list[int], new: list[int], code: int, said: str
) -> None:
    """The new launches are slower by 30 %, or the machine is when they run."""
    sides = [launches_at(tmp_path / "base", base, 10), launches_at(tmp_path / "new", new, 13)]
    output = str(tmp_path / "a.json")
    arguments = ["compare", "--baseline", sides[0], "--new", sides[1], "--json", output]
    assert main(arguments) == code
    error = capsys.readouterr().err
    found = json.loads(Path(output).read_text())
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    if code == 1:
        assert error == "" and found["no_verdict_because"] == []
        return
    key = "order" if "19 times" in said else "blocks"
    advice = "draw the order by lot" if key == "order" else "alternate the launches"
    assert error.count("\n") == 1 and said in error and advice in error
    assert f"--allow {key} judges them" in error
    assert found["verdict"] == "inconclusive" and len(found["no_verdict_because"]) == 1
    assert {case["verdict"] for case in found["cases"]} == {"unclear"}
    judged = str(tmp_path / "b.json")
    assert main([*arguments[:-1], judged, "--allow", key]) == 1
    found = json.loads(Path(judged).read_text())
    assert found["no_verdict_because"] == []
    assert any(each.startswith(("All launches", "The sides")) for each in found["warnings"])


def test_launches_without_a_start_are_named(tmp_path: Path) -> None:
    base, new = ([launches_at(tmp_path / name, [*range(4)], 10)] for name in ("base", "new"))
    for path in (tmp_path / "new").iterdir():
        text = path.read_text().replace("#@start=", "#@note.start=")
        path.write_text(checksummed(text))
    warned = compared(base, new)["warnings"]
    assert any("do not say when they began: 4" in each for each in warned)


def test_one_base_launch_against_thirty_has_no_verdict(tmp_path: Path, capsys: Capture) -> None:
    base = launches_at(tmp_path / "base", [20], 10)
    new = launches_at(tmp_path / "new", [*range(20), *range(21, 31)], 20)
    for allowed in ([], ["--allow", "single-launch"]):
        assert main(["compare", "--baseline", base, "--new", new, *allowed]) == 2
        said = capsys.readouterr()
        assert "no verdict: too few launches" in said.err
        assert "One launch a side" not in said.out


@pytest.mark.parametrize("us", [10, 13])
def test_two_launches_a_side_have_no_verdict_whatever_their_iterations(
    tmp_path: Path, capsys: Capture, us: float
) -> None:
    """Nor have their tails, of which launches of 100 iterations have all."""
    base = launches_at(tmp_path / "base", [1, 4], 10, iterations=100)
    new = launches_at(tmp_path / "new", [2, 3], us, iterations=100)
    found = compared([base], [new], "--junit", str(tmp_path / "a.xml"))
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    assert (found["verdict"], found["exit_code"]) == ("too few launches", 2)
    assert [row["verdict"] for row in found["tails"]] == ["too few launches"] * 4
    said = capsys.readouterr()
    assert said.err.startswith("agreport: no verdict: too few launches: ")
    assert "none is called" not in said.out
    takes = "it takes 3 launches on each side, with 100 iterations in a launch."
    assert f"P99 was not tested in 2 of 2 cases: {takes}" in found["not_tested"]
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert suite.get("tests") == suite.get("skipped") == "8", "2 cases, their tails and stalls"


def test_tails_of_few_launches_decide_nothing_beside_others(tmp_path: Path) -> None:
    """Two launches of each side have iterations enough for a tail."""
    for side, last in (("base", [10.0] * 4), ("new", [30.0] * 4)):
        for number in range(9):
            us = 10 * 1.01 ** (number % 3)
            times = {("ring", 8): [us] * 36 + last if number < 2 else [us] * 5}
            fake_launches.launch(
                tmp_path / side / f"{number}.csv", times, start=start(number * 2 + (side == "new"))
            )
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")], "--allow", "order")
    assert [row["verdict"] for row in found["tails"]] == ["too few launches"]
    assert (found["verdict"], found["exit_code"]) == ("no regression", 0)


def test_cases_that_a_side_lost_are_no_success(tmp_path: Path, capsys: Capture) -> None:
    for side, cases in (("base", 12), ("new", 1)):
        random = np.random.default_rng(1)
        fake_launches.side(tmp_path / side, 0.01 * noise(random, 9, 12)[:, :cases], "note__pair")
    arguments = ["--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    assert main(["compare", *arguments]) == 2
    assert capsys.readouterr().err == (
        "agreport: no verdict: 11 cases not compared (first: ring, 2 bytes: only in base); "
        "--allow missing judges the others\n"
    )
    assert main(["compare", *arguments, "--allow", "missing"]) == 0
    assert capsys.readouterr().err == ""


def test_the_gate_asks_for_every_case(tmp_path: Path, capsys: Capture) -> None:
    """Ten pairs, one of twelve cases noisy; and what is no rule of a gate."""
    random = np.random.default_rng(1)
    spread = np.where(np.arange(12) == 5, 0.1, 0.01)
    for side in ("base", "new"):
        fake_launches.side(tmp_path / side, spread * noise(random, 10, 12), "note__pair")
    arguments = ["compare", "--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    assert main(arguments) == 0
    assert main([*arguments, "--gate", "detectable=10%"]) == 2
    error = capsys.readouterr().err
    assert "a change of 10 % would not in every case be called" in error and "more pairs" in error
    assert main([*arguments, "--gate", "detectable=90%"]) == 0
    assert main([*arguments, "--gate", "detectable=5%"]) == 2
    assert "larger than --threshold (5%)" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*arguments, "--gate", "called=10%"])
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and "'called=10%'" in error and "detectable=PERCENT" in error


@pytest.mark.parametrize(("slower", "code"), [(0.15, 2), (2.0, 1)])
def test_a_far_noisier_side_is_only_called_beyond_its_noise(
    tmp_path: Path, capsys: Capture, slower: float, code: int
) -> None:
    """10 launches with a spread of 0.01 against 10 with one of 0.1, in turns."""
    random = np.random.default_rng(11)
    for side, spread, shift in (("base", 0.01, 0.0), ("new", 0.1, slower)):
        logs = shift + spread * noise(random, 10, 12)
        fake_launches.side(tmp_path / side, logs)
    arguments = ["compare", "--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    assert main(arguments) == code
    error = capsys.readouterr().err
    assert error.count("\n") == (code == 2)
    if code == 2:
        assert "no verdict: the times of new spread " in error
        assert "times as much as those of base" in error


@pytest.mark.parametrize("key", ["duet_pair", "note__pair", ""])
def test_a_rare_stall_is_found_in_the_tail(tmp_path: Path, capsys: Capture, key: str) -> None:
    """Every fiftieth call of one case of new is 50 us late: no median changes."""
    random = np.random.default_rng(12)
    for side in ("base", "new"):
        for number in range(10):
            times = {}
            for case in range(3):
                us = 10 * np.exp(0.02 * random.standard_normal(100))
                late = (np.arange(100) % 50 == 7) & (side == "new") & (case == 1)
                times["ring", 2**case] = list(us + 50 * late)
            paired = {key: f"p{number}"} if key else {}
            fake_launches.launch(tmp_path / side / f"{number}.csv", times, **paired)
    base, new = ([str(tmp_path / side)] for side in ("base", "new"))
    found = compared(base, new, "--junit", str(tmp_path / "a.xml"))
    jsonschema.validate(found, json.loads(SCHEMA.read_text()))
    assert {case["verdict"] for case in found["cases"]} == {"no change"}
    called = {
        (row["measure"], row["bytes"]) for row in found["tails"] if row["verdict"] == "regression"
    }
    assert ("P99", 2) in called and {size for _, size in called} == {2}
    assert found["verdict"] == "regression" and found["exit_code"] == 1
    out = capsys.readouterr().out
    assert "P99 of ring, 2 bytes: +" in out
    assert "Calls over three medians of ring, 2 bytes: 0 -> 2 % of the calls" in out
    failed = ElementTree.parse(tmp_path / "a.xml").getroot().findall("testcase[failure]")
    assert "P99 of ring, 2 bytes" in {test.get("name") for test in failed}
    assert compared(base, new, "--bytes", "1,4")["exit_code"] == 0


def test_a_change_of_the_imbalance_is_said(tmp_path: Path) -> None:
    random = np.random.default_rng(13)
    for side, us in (("base", 0.1), ("new", 0.5)):
        for number in range(10):
            path = tmp_path / side / f"{number}.csv"
            times = {("ring", 1): [10 * np.exp(0.01 * random.standard_normal())] * 3}
            fake_launches.launch(path, times, note__pair=f"p{number}")
            apart = us * np.exp(0.05 * random.standard_normal())
            text = path.read_text().replace(",0.0,9.5,ok", f",{apart},9.5,ok")
            path.write_text(checksummed(text))
    found = compared([str(tmp_path / "base")], [str(tmp_path / "new")])
    assert found["exit_code"] == 0, "a warning, and no failure"
    warned = [
        each for each in found["warnings"] if each.startswith("imbalance_us changed in 1 of 1")
    ]
    assert len(warned) == 1 and "--sync dissemination" in warned[0]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("key", ["duet_pair", "note__pair", ""])
def test_a_median_of_0_is_named(tmp_path: Path, capsys: Capture, key: str) -> None:
    """A clock that ticks each microsecond: one case takes none, one always 5 or 6."""
    for side in ("base", "new"):
        for number in range(10):
            times = {("ring", 1): [1.0, 1.0, 2.0], ("ring", 2): [5.0, 5.0 + number % 2, 6.0]}
            paired = {key: f"p{number}"} if key else {}
            fake_launches.launch(tmp_path / side / f"{number}.csv", times, **paired)
    arguments = ["--baseline", str(tmp_path / "base"), "--new", str(tmp_path / "new")]
    arguments += ["--metric", "min"]
    assert main(["compare", *arguments]) == 2
    said = capsys.readouterr()
    assert "1 case not compared (first: ring, 1 byte: a median time is 0)" in said.err
    assert main(["compare", *arguments, "--allow", "missing"]) == (0 if key else 2)


def test_a_case_that_is_not_compared_has_a_name_of_its_own(tmp_path: Path) -> None:
    """The all-to-all of the same size and algorithm is only in base."""
    for side in ("base", "new"):
        for number in range(4):
            times = {("ring", 8): [100.0 + number] * 6}
            fake_launches.launch(tmp_path / side / f"{number}.csv", times, note__pair=f"p{number}")
    other = fake_launches.launch(tmp_path / "base" / "other.csv", {("ring", 8): [5.0]})
    text = other.read_text().replace("\nallgather,", "\nalltoall,")
    other.write_text(checksummed(text))
    junit = tmp_path / "junit.xml"
    sides = [str(tmp_path / side) for side in ("base", "new")]
    found = compared([sides[0]], [sides[1]], "--junit", str(junit))
    assert "(first: ring, 8 bytes, alltoall: only in base)" in found["no_verdict_because"][0]
    names = [str(each.get("name")) for each in ElementTree.parse(junit).iter("testcase")]
    assert len({*names}) == len(names) and "ring, 8 bytes, allgather" in names
