# SPDX-License-Identifier: BSD-3-Clause
"""Files beside result files are of the launch that wrote the result file."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agformats.files.data_set_sums import MANIFEST, SUMS, write_sums
from agreport.data.rank_delays import load_elapsed
from agreport.main import main

from ..diagnostics import test_counters, test_nodes, test_steps
from ..diagnostics.test_steps import equal
from ..support.commands import Capture
from .test_data_set import collected

Kind = Callable[..., Path]
# Each report has what writes a result file with such a file beside it.
KINDS: dict[str, tuple[str, Kind]] = {
    "steps": (".steps.csv", lambda path, **said: test_steps.launch(path, equal, said=said)),
    "counters": (".counters.csv", test_counters.launch),
    "nodes": (".ranks.csv", lambda path, **said: test_nodes.launch(path, **said)),
}


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.stem + suffix)


@pytest.mark.parametrize("report", KINDS)
@pytest.mark.parametrize("key", ["start", "command"])
def test_of_another_launch(tmp_path: Path, capsys: Capture, report: str, key: str) -> None:
    suffix, launch = KINDS[report]
    own, other = (launch(tmp_path / f"{name}.csv", **{key: name}) for name in ("own", "other"))
    assert main([report, str(own)]) == 0
    capsys.readouterr()
    beside(other, suffix).replace(beside(own, suffix))
    assert main([report, str(own)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == (
        f"agreport: error: {beside(own, suffix)}: is of another launch than own.csv: its {key} is "
        "'other', not 'own'; legal: the file that the launch wrote\n"
    )


def test_compressed_and_by_its_own_name(tmp_path: Path, capsys: Capture) -> None:
    own, other = (
        test_counters.launch(tmp_path / f"{name}.csv", start=name) for name in ("own", "other")
    )
    counters = tmp_path / "own.counters.csv.gz"
    (tmp_path / "own.csv.gz").write_bytes(gzip.compress(own.read_bytes()))
    counters.write_bytes(gzip.compress(beside(other, ".counters.csv").read_bytes()))
    assert main(["counters", str(counters)]) == 2
    assert f"{counters}: is of another launch than own.csv.gz: " in capsys.readouterr().err


@pytest.mark.parametrize("report", KINDS)
def test_a_launch_is_counted_once(tmp_path: Path, capsys: Capture, report: str) -> None:
    """A copy in another folder is the same launch."""
    suffix, launch = KINDS[report]
    own = launch(tmp_path / "own.csv", start="1")
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in (own, beside(own, suffix)):
        (copy / path.name).write_bytes(path.read_bytes())
    if report == "nodes":  # delays and computation read these files by their names too
        found = [[str(beside(folder / "own.csv", suffix))] for folder in (tmp_path, copy)]
        with pytest.raises(BadInput, match="the same launch as"):
            load_elapsed([*found[0], *found[1]])
        return
    assert main([report, str(own), str(copy)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err == (
        f"agreport: error: {beside(copy / 'own.csv', suffix)}: the same launch as "
        f"{beside(own, suffix)}; give one of them\n"
    )


def test_results_without_such_a_file_are_named(tmp_path: Path, capsys: Capture) -> None:
    """The files beside other results are read; a file of another kind is no result that lacks
    one."""
    for name in ("a", "b", "c"):
        test_counters.launch(tmp_path / f"{name}.csv", start=name)
    for name in ("b", "c"):
        beside(tmp_path / f"{name}.csv", ".counters.csv").unlink()
    (tmp_path / "a.steps.csv").write_text("")
    assert main(["counters", str(tmp_path)]) == 0
    assert capsys.readouterr().err == (
        "agreport: note: 2 of 3 result files have no counters beside them, and are left out (the "
        f"first is {tmp_path / 'b.csv'})\n"
    )
    assert main(["counters", str(tmp_path / "a.csv")]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("file", ["a.csv", "a.ranks.csv"])
def test_altered_cases_are_left_out_and_told(tmp_path: Path, capsys: Capture, file: str) -> None:
    """The exit code tells it, whichever of the two files was altered."""
    test_nodes.launch(tmp_path / "a.csv", start="1")
    path = tmp_path / file
    text = path.read_text()
    end = text.rindex("#@case_end=", 0, text.rindex("#@case_end="))
    path.write_text(text[:end] + text[end:].replace(",39,", ",40,", 1))
    document = tmp_path / "all.json"
    words = ["nodes", str(tmp_path / "a.csv"), "--keep-going", "--json", str(document)]
    assert main(words) == 3
    said = capsys.readouterr().err
    assert said.count("these rows are left out") == 1 and f"{path}:" in said
    (told,) = json.loads(document.read_text())["left_out"]
    assert f"agreport: warning: {told}\n" == said
    found = load_elapsed([str(tmp_path / "a.ranks.csv")], keep_going=True)
    assert found.left_out == [told] and capsys.readouterr().err == said
    assert set(found.rows["bytes"]) == {1024}, "nothing tells which of the others were late"


@pytest.mark.parametrize("report", KINDS)
def test_a_damaged_file_is_left_out_beside_others(
    tmp_path: Path, capsys: Capture, report: str
) -> None:
    """The numbers of the others remain; without --keep-going the report ends."""
    suffix, launch = KINDS[report]
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        launch(tmp_path / name / "run.csv", start=name)
    damaged = tmp_path / "b" / f"run{suffix}"
    damaged.write_text(damaged.read_text().replace("#@start=b", "#@start=x"))
    others, every = tmp_path / "others.csv", tmp_path / "every.csv"
    folders = {name: str(tmp_path / name / "run.csv") for name in ("a", "b", "c")}
    assert main([report, folders["a"], folders["c"], "--csv", str(others)]) == 0
    capsys.readouterr()
    assert main([report, *folders.values(), "--csv", str(every)]) == 2
    said = capsys.readouterr().err
    assert f"{damaged}" in said and not every.exists()
    assert main([report, *folders.values(), "--keep-going", "--csv", str(every)]) == 3
    said = capsys.readouterr().err
    assert said.count("warning: left out: ") == 1 and f"{damaged}" in said
    assert every.read_text() == others.read_text()
    one = [report, folders["b"], "--keep-going"]
    assert main(one) == 2, "nothing else is there"


def test_results_beside_steps_that_cannot_be_read(tmp_path: Path, capsys: Capture) -> None:
    """The times of the calls are not known, as where there is no result file."""
    path = test_steps.launch(tmp_path / "a.csv", equal)
    path.write_text("no result file\n")
    steps = str(beside(path, ".steps.csv"))
    document = tmp_path / "all.json"
    assert main(["steps", steps]) == 2
    capsys.readouterr()
    assert main(["steps", steps, "--keep-going", "--json", str(document)]) == 3
    assert f"{path}" in capsys.readouterr().err
    found = json.loads(document.read_text())
    assert {one["timed_us"] for one in found["algorithms"]} == {None}


def test_altered_counters_do_not_hide_the_others(tmp_path: Path, capsys: Capture) -> None:
    """diagnostics reads them beside the results; of one case they are as they were written."""
    planted = {("h1", 1024, "tcp/RetransSegs"): 7}
    path = test_counters.launch(tmp_path / "a.csv", planted, sizes=(1024, 4096))
    assert main(["diagnostics", str(path)]) == 0
    assert "TCP sent segments again" in capsys.readouterr().out
    counters = beside(path, ".counters.csv")
    text = counters.read_text()
    counters.write_text(text[:-200] + text[-200:].replace(f",{test_counters.CALLS},", ",7,"))
    assert main(["diagnostics", str(path)]) == 0
    assert "Counters are not looked at:" in capsys.readouterr().out
    assert main(["diagnostics", str(path), "--keep-going"]) == 3
    printed = capsys.readouterr()
    assert f"{counters}:" in printed.err and "these rows are left out" in printed.err
    assert "TCP sent segments again" in printed.out
    assert "Counters are not looked at" not in printed.out


def test_steps_tell_of_altered_results(tmp_path: Path, capsys: Capture) -> None:
    """Their times are beside those of the steps; there are none of cases that are left out."""
    path = test_steps.launch(tmp_path / "a.csv", equal)
    text = path.read_text()
    end = text.rindex("#@case_end=", 0, text.rindex("#@case_end="))
    path.write_text(text[:end] + text[end:].replace(",300.0,", ",30.0,", 1))
    document = tmp_path / "all.json"
    assert main(["steps", str(path), "--keep-going", "--json", str(document)]) == 3
    said = capsys.readouterr().err
    assert said.count("these rows are left out") == 1 and f"{path}:" in said
    found = json.loads(document.read_text())
    assert {one["bytes"]: one["timed_us"] for one in found["algorithms"]} == {1024: 300, 4096: None}
    assert f"agreport: warning: {found['left_out'][0]}\n" == said


def test_what_only_one_of_them_says_is_no_difference(tmp_path: Path, capsys: Capture) -> None:
    own = test_counters.launch(tmp_path / "own.csv")
    test_counters.launch(tmp_path / "other.csv", start="2")
    beside(tmp_path / "other.csv", ".counters.csv").replace(beside(own, ".counters.csv"))
    assert main(["counters", str(own)]) == 0
    assert capsys.readouterr().err == ""


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A data set of two launches, as collect writes it."""
    files = {
        f"a/{number}.csv": test_nodes.launch(tmp_path / f"{number}.csv", start=str(number))
        for number in range(2)
    }
    folder = collected(tmp_path / "set", files)
    (folder / "a").mkdir()
    for name, path in files.items():
        beside(path, ".ranks.csv").rename(beside(folder / name, ".ranks.csv"))
    (folder / MANIFEST).write_text('{"rows": 1}\n')
    write_sums(folder)
    return folder


def exchange(stored: Path) -> Path:
    """The per-rank files of its launches; the first of them."""
    first, second = (stored / f"a/{number}.ranks.csv" for number in range(2))
    second.replace(stored / "other")
    first.replace(second)
    return (stored / "other").replace(first)


def test_sums_are_of_all_files_of_a_data_set(stored: Path, capsys: Capture) -> None:
    names = [line.split("  ")[1] for line in (stored / SUMS).read_text().splitlines()]
    assert names == [
        "a/0.ranks.csv", "a/1.ranks.csv", "launches.parquet", MANIFEST, "results.parquet",
    ]  # fmt: skip
    assert main(["nodes", str(stored)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("has_sums", [True, False])
def test_exchanged_in_a_data_set(stored: Path, capsys: Capture, has_sums: bool) -> None:
    first = exchange(stored)
    if not has_sums:
        (stored / SUMS).unlink()
    assert main(["nodes", str(stored)]) == 2
    said = "was altered: it has not the checksum in" if has_sums else "is of another launch than 0"
    assert f"{first}: {said}" in capsys.readouterr().err


def test_an_altered_manifest(stored: Path, capsys: Capture) -> None:
    (stored / MANIFEST).write_text('{"rows": 2}\n')
    assert main(["summary", str(stored)]) == 2
    assert f"{stored / MANIFEST}: was altered: it has not the" in capsys.readouterr().err


def test_sums_of_earlier_versions_are_of_the_two_files(stored: Path, capsys: Capture) -> None:
    lines = (stored / SUMS).read_text().splitlines(keepends=True)
    (stored / SUMS).write_text("".join(line for line in lines if line.endswith(".parquet\n")))
    (stored / MANIFEST).write_text('{"rows": 2}\n')
    assert main(["nodes", str(stored)]) == 0
    assert capsys.readouterr().err == ""


def test_a_data_set_without_sums_is_told(stored: Path, capsys: Capture) -> None:
    """It is told as of files without checksums, in reports, in diagnostics, and in what is kept of
    it."""
    (stored / SUMS).unlink()
    said = (
        "2 of 2 files have no checksums, so nothing tells whether they were altered (the first is "
        f"{stored / 'a/0.csv'})"
    )
    assert main(["summary", str(stored)]) == 0
    assert capsys.readouterr().err == f"agreport: note: {said}\n"
    assert main(["diagnostics", str(stored)]) == 0
    assert said in " ".join(capsys.readouterr().out.split())
    kept = stored.parent / "baselines"
    words = [
        "compare",
        "--baseline",
        str(stored),
        "--save-baseline",
        "v1",
        "--baselines",
        str(kept),
    ]
    assert main(words) == 0
    capsys.readouterr()
    assert main(["summary", str(kept / "v1")]) == 0
    assert "2 of 2 files have no checksums" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["8.ranks.csv", "8.steps.csv.gz", "8.counters.csv"])
@pytest.mark.parametrize("is_given", [True, False])
def test_results_with_the_name_of_a_companion(
    tmp_path: Path, capsys: Capture, name: str, is_given: bool
) -> None:
    """Nothing may leave out silently what --output $ranks.ranks.csv wrote."""
    own = test_counters.launch(tmp_path / "8.csv", start="1")
    other = test_counters.launch(tmp_path / "other.csv", start="2").read_bytes()
    (tmp_path / "other.csv").unlink()
    path = tmp_path / name
    path.write_bytes(gzip.compress(other) if name.endswith(".gz") else other)
    assert main(["summary", str(own), str(path) if is_given else str(tmp_path)]) == 2
    printed = capsys.readouterr()
    suffix = name.removeprefix("8").removesuffix(".gz")
    assert printed.out == "" and printed.err == (
        f"agreport: error: {path}: has results, and the name of a file beside results "
        f"(*{suffix}); legal: another name\n"
    )


def alter_last(path: Path, old: str, new: str) -> None:
    """Alters a number in the last case of a file."""
    text = path.read_text()
    end = text.rindex("#@case_end=", 0, text.rindex("#@case_end="))
    assert old in text[end:]
    path.write_text(text[:end] + text[end:].replace(old, new, 1))


def test_an_altered_result_is_told_once_on_a_page(tmp_path: Path, capsys: Capture) -> None:
    """The rows of its ranks are read, too."""
    delayed = test_nodes.DELAYED
    path = tmp_path / "a.csv"
    test_nodes.launch(path, arrivals=("none", delayed), start="1")
    alter_last(path, ",39,", ",40,")
    page = tmp_path / "page.html"
    assert main(["page", str(path), "--keep-going", "-o", str(page)]) == 3
    assert capsys.readouterr().err.count("these rows are left out") == 1
    text = page.read_text()
    assert text.count(f"{path}:") == 1 and "Whether ranks arrived as asked" in text
    assert "delays: half are within" in text
