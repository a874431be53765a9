# SPDX-License-Identifier: BSD-3-Clause
"""Sizes of the whole gathered vector: found again from rounded blocks, filtered, on axes."""

from argparse import Namespace
from pathlib import Path

import pytest

from agreport.arrivals import absorption, arrival, arrival_table
from agreport.arrivals.absorption_table import Comparison, absorption_table
from agreport.arrivals.experiments import experiments
from agreport.data.load import Results
from agreport.data.total_sizes import TOTAL, with_totals
from agreport.main import main

from ..support.commands import Capture, refused
from ..support.fake_arrivals import case, write
from ..support.loading import load
from ..support.sheets import texts
from .test_arrival import points

PATTERN = "uniform:max=1ms"
# A third of a total, and a twelfth, to the nearest byte: 43691 * 12 is 524292.
BLOCKS = {3: (174763, 349525), 12: (43691, 87381), 16: (32768, 65536)}
NOTE, ASKED = "note.sizes_times_ranks", "524288,1048576"


def sweep(folder: Path, asked: str = "", count: int = 3) -> list[str]:
    """Makes a launch for each number of ranks; the elapsed time is the block over 1024, and the
    ranks."""
    metadata = {NOTE: asked} if asked else {}
    return [
        str(
            write(
                folder / f"{ranks}.csv",
                *(
                    case(
                        pattern,
                        {"ring": [size // 1024 + ranks + n % 3 - 1 for n in range(count)]},
                        ranks=ranks,
                        size=size,
                    )
                    for pattern in ("none", PATTERN)
                    for size in sizes
                ),
                **metadata,
            )
        )
        for ranks, sizes in BLOCKS.items()
    ]


def totals(results: Results) -> dict[tuple[int, int], int]:
    rows = with_totals(results).rows[["ranks", "bytes", TOTAL]].drop_duplicates()
    return {(ranks, size): total for ranks, size, total in rows.to_numpy().tolist()}


def test_the_total_is_the_one_that_was_asked_for(tmp_path: Path) -> None:
    assert totals(load(sweep(tmp_path, ASKED))) == {
        (ranks, size): total
        for ranks, sizes in BLOCKS.items()
        for size, total in zip(sizes, (524288, 1048576), strict=True)
    }


def test_without_a_note_it_is_ranks_times_block(tmp_path: Path) -> None:
    assert totals(load(sweep(tmp_path))) == {
        (ranks, size): ranks * size for ranks, sizes in BLOCKS.items() for size in sizes
    }


def test_a_note_is_of_its_own_launch(tmp_path: Path) -> None:
    """A block of 43690 bytes is no twelfth of what was asked for."""
    asked = sweep(tmp_path, ASKED)
    other = write(tmp_path / "b.csv", case(PATTERN, {"ring": [1]}, ranks=12, size=43690))
    # Near to 524288, but asked of other ranks.
    third = write(
        tmp_path / "c.csv", case(PATTERN, {"ring": [1]}, ranks=5, size=104858), **{NOTE: "524290"}
    )
    found = totals(load([*asked, str(other), str(third)]))
    assert found[12, 43691] == found[3, 174763] == 524288
    assert found[12, 43690] == 12 * 43690
    assert found[5, 104858] == 524290


def test_two_totals_of_one_block(tmp_path: Path, capsys: Capture) -> None:
    files = [
        str(
            write(
                tmp_path / f"{asked}.csv",
                case(PATTERN, {"ring": [1]}, ranks=12, size=43691),
                **{NOTE: asked},
            )
        )
        for asked in ("524288", "524290")
    ]
    assert main(["arrival", *files]) == 0
    capsys.readouterr()
    assert main(["arrival", *files, "--size-by", "total"]) == 2
    said = capsys.readouterr().err
    assert "blocks of 43691 bytes on 12 ranks are of the totals 524288 and 524290" in said


def test_ranks_that_have_no_such_total_are_named(tmp_path: Path, capsys: Capture) -> None:
    """Without a note the blocks of 3 and of 12 ranks are parts of 524289 and of 524292 bytes."""
    output = tmp_path / "10.csv"
    command = ["arrival", *sweep(tmp_path), "--total-bytes", "512K", "--csv", str(output)]
    assert main(command) == 0
    said = capsys.readouterr().err
    assert "warning: --total-bytes 512K: no such case of 3, 12 ranks" in said
    assert main([*command[:4], "--total-bytes", "524289,524292,512K"]) == 0
    assert "no such case" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--size-by all", "--size-by: 'all' is not legal; legal: block, total"),
        ("--total-bytes 524292", "--total-bytes: '524292' is not in these files; legal: 524288, "),
        ("--total-bytes x", "--total-bytes: 'x' is none of numbers"),
    ],
)
def test_bad_options(tmp_path: Path, capsys: Capture, options: str, said: str) -> None:
    files = sweep(tmp_path, ASKED)
    output = tmp_path / "a.png"
    assert said in refused(capsys, "arrival", *files, *options.split(), "-o", output)
    assert not output.exists()


@pytest.mark.slow
def test_a_bad_note(tmp_path: Path, capsys: Capture) -> None:
    files = sweep(tmp_path, "512K,")
    assert main(["arrival", *files]) == 0
    capsys.readouterr()
    assert main(["arrival", *files, "--size-by", "total"]) == 2
    assert "3.csv: note sizes_times_ranks: '512K,'; legal: numbers of b" in capsys.readouterr().err


def test_a_total_of_which_all_was_wrong(tmp_path: Path, capsys: Capture) -> None:
    (path, *_) = sweep(tmp_path)
    lines = Path(path).read_text().splitlines()
    wrong = [f"{line.removesuffix('ok,')}wrong,byte 0" for line in lines if ",524289,0," in line]
    more = write(tmp_path / "w.csv", wrong)
    assert main(["arrival", path, str(more), "--total-bytes", "524289"]) == 2
    said = capsys.readouterr().err
    assert "no ok rows but of what was wrong in the same case left after --total-bytes" in said


def test_blocks_that_differ_have_another_total(tmp_path: Path, capsys: Capture) -> None:
    rows = [line.replace(",regular,", ",spike,") for line in case("none", {"ring": [1]})]
    path = str(write(tmp_path / "a.csv", rows, case(PATTERN, {"ring": [1]})))
    assert main(["arrival", path, "--size-by", "total"]) == 2
    said = capsys.readouterr().err
    assert "distribution 'spike' differ in size; legal: --distribution regular" in said
    assert main(["arrival", path, "--size-by", "total", "--distribution", "regular"]) == 0


@pytest.mark.parametrize("asked", [["--size-by", "total"], ["--total-bytes", "4K"]])
@pytest.mark.parametrize("collective", ["bcast", "reduce", "allreduce"])
def test_one_vector_is_no_gathered_vector(
    tmp_path: Path, capsys: Capture, collective: str, asked: list[str]
) -> None:
    rows = [
        line.replace("allgather,", f"{collective},")
        for line in case(PATTERN, {"native": [1], "binomial": [2]})
    ]
    path = write(tmp_path / "a.csv", rows)
    line = refused(capsys, "arrival", path, *asked)
    assert f"total sizes: {collective} has one vector, and no block for each rank" in line
    assert line.endswith("legal: --collective allgather,allgatherv,alltoall")
    both = [path, write(tmp_path / "b.csv", case(PATTERN, {"ring": [1], "native": [1]}))]
    assert "total sizes: " in refused(capsys, "arrival", *both, *asked)
    assert main(["arrival", *map(str, both), *asked, "--collective", "allgather"]) == 0


def drawn(x: str) -> Namespace:
    return Namespace(x=x, wins=False, first=None, start=1, size_by="total", statistic="median")


@pytest.mark.slow
def test_lines(tmp_path: Path) -> None:
    results = with_totals(load(sweep(tmp_path, ASKED)))
    found = experiments(results)
    sheet = arrival.draw(results, found, drawn("ranks"))
    titles = [axes.get_title() for axes in sheet.figure.axes]
    assert titles == [
        f"arrival {pattern}, {size} in total"
        for pattern in ("none", PATTERN)
        for size in ("512 KiB", "1 MiB")
    ]
    assert points(sheet)["ring"] == [(3, 173), (12, 54), (16, 48)]
    sheet = arrival.draw(results, found, drawn("bytes"))
    assert points(sheet)["ring"] == [(524288, 173), (1048576, 344)]
    assert {"512K", "1M", "total size (bytes)"} <= set(texts(sheet))
    sheet = arrival.draw(results, found, drawn("delay"))
    assert "3 ranks, 512 KiB in total" in [axes.get_title() for axes in sheet.figure.axes]


@pytest.mark.slow
def test_wins(tmp_path: Path) -> None:
    results = with_totals(load(sweep(tmp_path, ASKED)))
    sheet = arrival_table.draw_wins(results, experiments(results), drawn("delay"), TOTAL)
    _, by_size = sheet.figure.axes
    assert by_size.get_xlabel() == "total size (bytes)"
    assert [label.get_text() for label in by_size.get_xticklabels()] == ["512K", "1M"]
    assert {bar.get_height() for bar in by_size.patches} == {6}  # type: ignore[attr-defined]


def test_wins_of_two_machines_are_apart(tmp_path: Path) -> None:
    paths = [
        write(tmp_path / f"{host}.csv", case(PATTERN, {"ring": [1]}), hosts=host)
        for host in ("a1", "b1")
    ]
    results = load([str(path) for path in paths])
    sheet = arrival_table.draw_wins(results, experiments(results), drawn("delay"))
    assert [axes.get_title("left") for axes in sheet.figure.axes[::2]] == ["a#", "b#"]


def test_tables(tmp_path: Path, capsys: Capture) -> None:
    files = sweep(tmp_path, ASKED)
    command = ["arrival", *files, "--size-by", "total", "--total-bytes", "1M", "--ranks", "12"]
    assert main(command) == 0
    _, head, cells = capsys.readouterr().out.splitlines()[:3]
    assert head.split() == ["total_bytes", "0", "1ms"]
    assert cells.split() == ["1M", "ring", "ring"]


@pytest.mark.slow
def test_absorption(tmp_path: Path, capsys: Capture) -> None:
    files = sweep(tmp_path, ASKED, 90)
    results = with_totals(load(files))
    comparison = Comparison("ring", True, 1000)
    options = Namespace(
        x="imbalance",
        comparison=comparison,
        imbalance="asked",
        first=None,
        start=1,
        size_by="total",
    )
    sheet = absorption.draw(results, absorption_table(results, comparison), options)
    titles = [axes.get_title("left") for axes in sheet.figure.axes]
    assert "3 ranks, 512\N{NO-BREAK SPACE}KiB in total" in titles
    assert main(["absorption", *files, "--size-by", "total", "--permutations", "1000"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "by total size" in lines[0]
    assert lines[1].split() == ["algorithm", "512K", "1M"]
