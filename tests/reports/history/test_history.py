# SPDX-License-Identifier: BSD-3-Clause
"""agreport history: made-up launches of many versions, through the command."""

import json
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from agreport.main import main

from ..support.commands import Capture, Rows, Write, refused

VERSIONS, LAUNCHES, ITERATIONS = 16, 3, 5
SIZES = (8, 1024, 65536)
Make = Callable[..., Path]


@pytest.fixture
def make(write: Write, rows: Rows, tmp_path: Path) -> Make:
    def launches(
        factor: Callable[[int, str, int], float] = lambda *_: 1.0,
        metadata: Callable[[int], dict[str, str]] = lambda _: {},
        versions: int = VERSIONS,
    ) -> Path:
        """factor: of a version's times of an algorithm and size; metadata: of a version."""
        random = np.random.default_rng(7)
        for version in range(versions):
            for launch in range(LAUNCHES):
                cases = [
                    [
                        line
                        for algorithm, us in (("ring", 10.0), ("bruck", 20.0), ("native", 30.0))
                        for line in rows(
                            algorithm,
                            us * size**0.5 * factor(version, algorithm, size)
                            * np.exp(random.normal(0, 0.02))
                            * np.exp(random.normal(0, 0.01, ITERATIONS)),
                            size=size,
                        )
                    ]
                    for size in SIZES
                ]  # fmt: skip
                said = {
                    "start": f"2026-11-{version + 1:02}T0{launch}:00:00+0000",
                    "note.commit": f"c{version:02}",
                    **metadata(version),
                }
                write(f"nightly/{version:02}-{launch}.csv", *cases, **said)
        return tmp_path / "nightly"

    return launches


def run(capsys: Capture, *arguments: object, code: int = 0) -> str:
    given = ["history", *map(str, arguments), "--by", "note.commit"]
    assert main(given) == code
    return capsys.readouterr().out


def test_nothing_changed(make: Make, capsys: Capture) -> None:
    said = run(capsys, make(), "--gate")
    assert "16 versions with 48 launches, 9 cases" in said
    assert "No change is found." in said
    assert "The newest version, c15 (2026-11-16), is neither slower nor faster" in said


def test_changes_of_many_cases_are_one_finding(make: Make, capsys: Capture, tmp_path: Path) -> None:
    """With what changed in the same version, and nothing that differs from launch to launch."""
    folder = make(
        lambda version, algorithm, size: (
            1.15 if version >= 9 and algorithm != "native" and size > 8 else 1.0
        ),
        lambda version: {"library_settings": "UCX_TLS=tcp" if version >= 9 else "none"},
    )
    said = run(capsys, folder, "--gate", "--json", tmp_path / "a.json")
    (line,) = [line for line in said.splitlines() if line.startswith("Since ")]
    assert line.startswith("Since c09 (2026-11-10): 4 of 9 cases slower, allgather, bruck, ring, "
                           "1K to 64K bytes, +1")  # fmt: skip
    assert "with it: library_settings: none -> UCX_TLS=tcp" in said
    assert "with it: start" not in said
    (finding,) = json.loads((tmp_path / "a.json").read_text())["findings"]
    assert finding["since"] == "c09" and finding["slower"]
    assert finding["with_it"] == [
        {"key": "library_settings", "before": "none", "after": "UCX_TLS=tcp"}
    ]
    for case in finding["cases"]:
        assert case["low_percent"] < 15 < case["high_percent"] and case["p"] <= 0.01


def test_change_that_is_taken_back(make: Make, capsys: Capture) -> None:
    """Both are told, the newest first."""
    said = run(capsys, make(lambda version, *_: 1.2 if 5 <= version < 10 else 1.0))
    lines = [line for line in said.splitlines() if line.startswith("Since ")]
    assert [line.split()[1] for line in lines] == ["c10", "c05"]
    assert "9 of 9 cases faster" in lines[0] and "9 of 9 cases slower" in lines[1]


def test_bad_night_is_no_change(make: Make, capsys: Capture) -> None:
    said = run(capsys, make(lambda version, *_: 1.5 if version == 6 else 1.0), "--gate")
    assert "No change is found." in said
    assert "Odd: c06 (2026-11-07) alone, in 9 of 9 cases" in said


def test_gate(make: Make, capsys: Capture, tmp_path: Path) -> None:
    folder = make(lambda version, algorithm, _: 1.3 if (version, algorithm) == (15, "ring") else 1)
    said = run(capsys, folder, "--gate", "--junit", tmp_path / "a.xml", code=1)
    assert "The newest version, c15 (2026-11-16), is slower in 3 of 9 cases" in said
    suite = ElementTree.parse(tmp_path / "a.xml").getroot()
    assert suite.attrib["tests"] == "9" and suite.attrib["failures"] == "3"
    failed = [
        test.attrib["name"] for test in suite.iter("testcase") if test.find("failure") is not None
    ]
    assert all(name.startswith("ring, ") for name in failed)
    assert run(capsys, folder)  # it is the gate that has an exit code


def test_too_few_versions_for_the_gate(make: Make, capsys: Capture) -> None:
    said = run(capsys, make(versions=4), "--gate", code=2)
    assert "is not judged: it takes 4 versions at one level before it" in said


def test_table_of_medians(make: Make, capsys: Capture, tmp_path: Path) -> None:
    folder = make(lambda version, *_: 1.2 if version >= 8 else 1.0)
    run(capsys, folder, "--csv", tmp_path / "a.csv", "--markdown", tmp_path / "a.md")
    table = pd.read_csv(tmp_path / "a.csv")
    assert len(table) == VERSIONS * 9
    assert table.groupby("version")["level"].first().tolist() == [1] * 8 + [2] * 8
    first = table[(table["algorithm"] == "ring") & (table["bytes"] == 1024)]
    assert first["avg_us"].iloc[0] == pytest.approx(320, rel=0.1)
    assert "## Since c08 (2026-11-09): 9 of 9 cases slower" in (tmp_path / "a.md").read_text()


@pytest.mark.slow
def test_figure(make: Make, capsys: Capture, tmp_path: Path) -> None:
    folder = make(lambda version, algorithm, _: 1.4 if version >= 8 and algorithm == "ring" else 1)
    run(capsys, folder, "-o", tmp_path / "a.svg")
    drawn = (tmp_path / "a.svg").read_text()
    assert "History, version by version" in drawn and "slower since" in drawn
    assert drawn.index("ring, ") < drawn.index("bruck, ")


def test_order_of_a_repository_and_of_a_list(make: Make, capsys: Capture, tmp_path: Path) -> None:
    """A version is the beginning of a commit's name."""
    repository = tmp_path / "repository"
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(repository)]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    commits = []
    for number in range(6):
        words = ["commit", "-q", "--allow-empty", "-m", f"{number}"]
        subprocess.run([*git, *words], check=True)
        done = subprocess.run(
            [*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
        )
        commits.append(done.stdout.strip())
    # Measured in the other order.
    folder = make(versions=6, metadata=lambda version: {"note.commit": commits[5 - version][:10]})
    names = tmp_path / "names"
    names.write_text("\n".join(commit[:10] for commit in commits) + "\n")
    for order in (f"git:{repository}", f"list:{names}"):
        run(capsys, folder, "--order", order, "--csv", tmp_path / "a.csv")
        table = pd.read_csv(StringIO((tmp_path / "a.csv").read_text()))
        assert table["version"].head(6).tolist() == [commit[:10] for commit in commits]
    names.write_text("other\n")
    said = refused(capsys, "history", folder, "--by", "note.commit", "--order", f"list:{names}")
    assert f"--order list:{names}: has none for the version '" in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "note.comit"], "--by: "),
        (["--by", "note.commit", "--order", "date"], "--order: 'date' is no order; legal: git:"),
        (["--by", "note.commit", "--order", "git:/nowhere"], "--order git:/nowhere: "),
        (["--by", "note.commit", "--order", "list:/nowhere"], "--order list:/nowhere: "),
        (["--by", "suite"], "one version alone, 'gatherbench 0.1.0', has no history"),
    ],
)
def test_refusals(make: Make, capsys: Capture, arguments: list[str], said: str) -> None:
    assert said in refused(capsys, "history", make(versions=3), *arguments)


def test_launches_that_were_measured_otherwise(make: Make, capsys: Capture) -> None:
    folder = make(metadata=lambda version: {"buffers": "same" if version else "fresh"}, versions=3)
    told = refused(capsys, "history", folder, "--by", "note.commit")
    assert "buffers: " in told and "legal: one of them (--where buffers=VALUE)" in told
    assert main(["history", str(folder), "--by", "note.commit", "--where", "buffers=same"]) == 0
