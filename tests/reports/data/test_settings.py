# SPDX-License-Identifier: BSD-3-Clause
"""Launches that must not be averaged are kept apart, by as little as it takes, or refused."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from agreport.data.load import Results, read_files
from agreport.data.machines import machine_texts
from agreport.main import main
from agreport.stats.times import times_of
from shared.checksums import checksummed

from ..support.commands import Capture, Rows, Write
from ..support.loading import load
from ..support.pages import draw_only

Metadata = dict[str, str]


@pytest.fixture
def pair(write: Write, rows: Rows) -> Callable[..., list[str]]:
    """Two launches of the same case, with metadata each: ring takes 1 and 9 us."""

    def files(*launches: Metadata) -> list[str]:
        return [
            str(
                write(
                    f"{us}.csv",
                    rows("ring", [us], nodes=int(metadata.get("nodes", 1))),
                    rows("sparbit", [2 * us], nodes=int(metadata.get("nodes", 1))),
                    **metadata,
                )
            )
            for us, metadata in zip((1, 9), launches, strict=True)
        ]

    return files


def settings(results: Results) -> list[str]:
    found: pd.Series[str] = results.rows.groupby("launch")["setting"].first()
    return [str(each) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, ["", ""]),
        # A scheduler gives each launch other hosts.
        ({"hosts": "c1,c2"}, {"hosts": "c7,c11"}, ["", ""]),
        ({"hosts": "c1"}, {"hosts": "yahoo3"}, ["c#", "yahoo#"]),
        ({"env.SLURM_CLUSTER_NAME": "a"}, {"env.SLURM_CLUSTER_NAME": "b"}, ["a", "b"]),
        (
            {"noncontiguous": "packed"},
            {"noncontiguous": "pipelined"},
            ["noncontiguous=packed", "noncontiguous=pipelined"],
        ),
        ({"in_place": "yes"}, {}, ["in_place=yes", "in_place=not given"]),
        # Before there was the key, nothing was done to buffers between calls.
        ({"buffers": "fresh"}, {}, ["buffers=fresh", "buffers=same"]),
        ({"buffers": "same"}, {}, ["", ""]),
        ({"size_order": "given"}, {}, ["", ""]),
        # Each launch draws its own; and some algorithms have launches of their own.
        ({"seed": "1"}, {"seed": "2"}, ["", ""]),
        ({"algorithms": "ring"}, {"algorithms": "ring,sparbit"}, ["", ""]),
        ({"simulated": "yes"}, {"simulated": "no"}, ["simulated", "measured"]),
        # What a model computed is neither a run's nor another simulation's.
        ({"computed": "hockney"}, {}, ["computed=hockney", "computed=no"]),
        (
            {"simulated": "yes", "computed": "hockney"},
            {"simulated": "yes"},
            ["simulated, computed=hockney", "simulated, computed=no"],
        ),
        ({"nodes": "2"}, {"nodes": "4"}, ["2 nodes", "4 nodes"]),
        # A note that tells as much as all the rest is what people call it by.
        (
            {"hosts": "c1", "kernel": "5", "note.cluster": "yahoo"},
            {"hosts": "d1", "kernel": "6", "note.cluster": "cervino"},
            ["yahoo", "cervino"],
        ),
        # The sweep's own notes tell every launch from every other one.
        (
            {"kernel": "5", "note.launch": "0"},
            {"kernel": "6", "note.launch": "1"},
            ["kernel=5", "kernel=6"],
        ),
        ({"note.launch": "0"}, {"note.launch": "1"}, ["", ""]),
        (
            {"mpi": "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"},
            {"mpi": "Open MPI v5.0.11, package: Debian OpenMPI, ident: 5.0"},
            ["mpi=Open MPI v4.1.4", "mpi=Open MPI v5.0.11"],
        ),
    ],
)
def test_by_as_little_as_it_takes(
    pair: Callable[..., list[str]],
    first: Metadata,
    second: Metadata,
    expected: list[str],
    capsys: Capture,
) -> None:
    results = load(pair(first, second))
    assert settings(results) == expected
    times = times_of(results, "avg", "mean").us["ring"].tolist()
    assert sorted(times) == ([5] if expected[0] == "" else [1, 9])
    assert ("kept apart" in capsys.readouterr().err) == (expected[0] != "")


def test_two_facts_where_one_is_not_enough(write: Write, rows: Rows) -> None:
    files = [
        str(write(f"{kernel}{mpi}.csv", rows("ring", [1]), kernel=kernel, mpi=mpi))
        for kernel in "56"
        for mpi in "AB"
    ]
    found = settings(load(files))
    assert len(set(found)) == 4
    assert sorted(found[0].split(", ")) == ["kernel=5", "mpi=A"]


def test_other_cases_may_differ(write: Write, rows: Rows) -> None:
    """Each number of ranks of a sweep has its nodes; nothing is averaged."""
    files = [
        write("a.csv", rows("ring", [1], nodes=1), nodes="1"),
        write("b.csv", rows("ring", [1], ranks=8, nodes=2), nodes="2", ranks="8"),
    ]
    assert settings(load([str(each) for each in files])) == ["", ""]


def test_named_by_the_user(pair: Callable[..., list[str]], capsys: Capture) -> None:
    files = pair({"note.cluster": "a", "kernel": "5"}, {"note.cluster": "b", "kernel": "6"})
    assert settings(read_files(files).apart(["cluster", "mapping"])) == ["a", "b"]
    assert settings(read_files(files).apart(["kernel"])) == ["kernel=5", "kernel=6"]
    pooled = read_files(files).apart(None, ["kernel"])
    assert settings(pooled) == ["", ""] and pooled.pooled == ["kernel"]
    assert main(["table", *files, "--by", "nodes"]) == 2
    said = capsys.readouterr().err
    assert "--by nodes: launches of one case differ in kernel (5 | 6)" in said
    assert "legal: --by nodes,kernel, or --pool kernel" in said
    assert main(["table", *files, "--by", "clustr"]) == 2
    assert "nearest: cluster" in capsys.readouterr().err
    assert main(["table", *files, "--pool", "clustr"]) == 2
    assert "--pool: 'clustr' is not what launches must agree in" in capsys.readouterr().err


def test_a_note_may_be_spelled_as_in_the_file(
    pair: Callable[..., list[str]], capsys: Capture
) -> None:
    """History and the files themselves name a note with this prefix."""
    files = pair({"note.cluster": "a"}, {"note.cluster": "b"})
    assert settings(read_files(files).apart(["note.cluster"])) == ["a", "b"]
    rows = []
    for key in ("cluster", "note.cluster"):
        words = ["--by", key, "--where", f"{key}=a", "--format", "csv"]
        assert main(["summary", *files, *words]) == 0
        rows.append(capsys.readouterr().out)
    assert rows[0] == rows[1] and rows[0].count("\nb,") == 0
    assert main(["table", *files, "--by", "note.clustr"]) == 2
    assert "'note.clustr' is not a fact or a note" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["machine", "nodes", "kernel", "mapping"])
def test_a_note_with_the_name_of_a_fact(
    pair: Callable[..., list[str]], capsys: Capture, key: str
) -> None:
    """The name is that of the fact, so such a note has the name that it has in the file."""
    files = pair({f"note.{key}": "old"}, {f"note.{key}": "new"})
    assert len({*settings(read_files(files).apart([key]))}) == 1
    assert settings(read_files(files).apart([f"note.{key}"])) == ["old", "new"]
    assert main(["summary", *files, "--where", f"note.{key}=old", "--format", "csv"]) == 0
    assert ",1.0," in capsys.readouterr().out


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"note.x": "a, b", "note.y": "c"}, {"note.x": "a", "note.y": "b, c"}),
        # A long text that is like no other is called by its number.
        ({"note.x": "#2", "note.y": "c"}, {"note.x": "a" * 50, "note.y": "c"}),
    ],
)
def test_two_settings_are_never_called_the_same(
    pair: Callable[..., list[str]], first: Metadata, second: Metadata
) -> None:
    found = settings(read_files(pair(first, second)).apart(["x", "y"]))
    assert found == [f"x={each['note.x']!r}, y={each['note.y']!r}" for each in (first, second)]


@pytest.mark.slow
def test_tables_have_a_column_of_it(pair: Callable[..., list[str]], capsys: Capture) -> None:
    files = pair({"note.cluster": "a", "kernel": "5"}, {"note.cluster": "b", "kernel": "6"})
    assert main(["table", *files, "--format", "csv"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("setting,collective,mapping,")
    assert [line.split(",")[0] for line in lines[1:]] == ["a"] * 3 + ["b"] * 3
    assert main(["table", files[0], "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("collective,mapping,")


@pytest.mark.slow
@pytest.mark.parametrize("chosen", [["--where", "oversubscribed=no"], ["--ranks", "8"]])
def test_launches_that_are_not_chosen_are_not_there(
    pair: Callable[..., list[str]],
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
    chosen: list[str],
) -> None:
    """Neither in tables nor in what is said of the launches, whose numbers have no gaps."""
    draw_only(monkeypatch)
    files = pair({"oversubscribed": "yes"}, {"oversubscribed": "no"})
    second = Path(files[1])
    second.write_text(checksummed(second.read_text().replace("sequential,4,", "sequential,8,")))
    output = tmp_path / "a.json"
    assert main(["export", *files, *chosen, "-o", str(output)]) == 0
    document = json.loads(output.read_text())
    assert [launch["path"] for launch in document["launches"]] == [files[1]]
    assert document["results"][0]["samples"]["launch"] == [0]
    assert document["results"][0]["samples"]["avg_us"] == [9]
    assert main(["diagnostics", *files, *chosen]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Oversubscribed" not in said and "One launch only" in said
    page = tmp_path / "a.html"
    assert main(["page", *files, *chosen, "-o", str(page)]) == 0
    assert "9.csv" in page.read_text() and "1.csv says" not in page.read_text()


def test_simulations_are_pooled(pair: Callable[..., list[str]], capsys: Capture) -> None:
    results = load(pair({"simulated": "yes"}, {"simulated": "yes"}))
    assert settings(results) == ["simulated", "simulated"]
    assert times_of(results, "avg", "mean").us["ring"].tolist() == [5]
    assert capsys.readouterr().err == ""
    mixed = read_files(pair({"simulated": "yes"}, {"simulated": "no"}))
    assert settings(mixed.apart(None, ["simulated"])) == ["", ""]


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        *("heatmap --algorithm ring", "boxplot --algorithm ring", "venn --algorithm ring"),
        *("loss --algorithm ring", "selection", "scaling", "speedup --baseline ring", "variation"),
        *("series", "table --algorithm ring", "summary"),
    ],
)
def test_every_report_says_that_times_are_simulated(
    write: Write, rows: Rows, tmp_path: Path, capsys: Capture, command: str
) -> None:
    case = [*rows("ring", [1.0, 2.0]), *rows("sparbit", [2.0, 3.0])]
    path, output = write("a.csv", case, simulated="yes"), tmp_path / "a.svg"
    figure = command not in ("table --algorithm ring", "summary")
    drawn = ["-o", str(output)] if figure else []
    assert main([*command.split(), str(path), *drawn]) == 0
    said = output.read_text() if figure else capsys.readouterr().out
    assert "simulated" in said


def test_an_mpi_library_is_called_by_its_name_and_version(write: Write, rows: Rows) -> None:
    """Others say all of what they were configured with, in one paragraph."""
    long = " configure: --prefix=/usr --with-pm=hydra CFLAGS=-g -O2 FCFLAGS=-g LDFLAGS=-Wl"
    mpich = f"MPICH Version: 4.0.2 MPICH Release date: Thu Apr 7 MPICH Device: ch4:ofi MPICH{long}"
    open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26"
    paths = [
        write(f"{place}.csv", rows("ring", [10.0]), mpi=mpi, start=str(place))
        for place, mpi in enumerate((mpich, open_mpi))
    ]
    found = load([str(path) for path in paths])
    assert set(found.rows["setting"]) == {"mpi=MPICH 4.0.2", "mpi=Open MPI v4.1.4"}
    assert machine_texts(found) == ["MPICH 4.0.2, Open MPI v4.1.4"]
