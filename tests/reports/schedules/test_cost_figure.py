# SPDX-License-Identifier: BSD-3-Clause
"""Costs over the number of nodes."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.lines import Line2D

from agreport.figure.looks import looks
from agreport.figure.panels import panels_a_line
from agreport.figure.sheet import Sheet
from agreport.main import main
from agreport.reports.schedules import LINEAR, LOG, RELATIVE, SCALES
from agreport.schedules import cost_figure
from agreport.schedules import costs as co
from agreport.schedules.cost_figure import Costs, choose_ticks
from agreport.schedules.costs import NORMALISED

from ..support.commands import Capture, refused
from ..support.sheets import check_files, texts

SPARBIT, BRUCK = "sparbit:sequential", "bruck:cyclic"
DOUBLING = "recursive_doubling:cyclic"
KNOWN = ["ring", "recursive_doubling", "bruck", "sparbit"]

Draw = Callable[..., Sheet]


def rows(
    curve: str, costs: dict[int, float | None], ranks_per_node: int = 2, model: str = "hop-bytes"
) -> pd.DataFrame:
    """One a number of nodes; None is skipped."""
    algorithm, mapping = curve.split(":")
    return pd.DataFrame(
        {
            "model": model,
            "algorithm": algorithm,
            "ranks": [nodes * ranks_per_node for nodes in costs],
            "nodes": list(costs),
            "ranks_per_node": ranks_per_node,
            "mapping": mapping,
            "bytes": 1,
            "cost": [np.nan if cost is None else cost for cost in costs.values()],
            "unit": "byte hops",
            "status": ["skipped" if cost is None else "ok" for cost in costs.values()],
            "reason": ["needs two; ranks = 6" if cost is None else "" for cost in costs.values()],
        }
    )


def draw(*frames: pd.DataFrame, scale: str = LINEAR) -> Sheet:
    costs = pd.concat(frames, ignore_index=True)
    costs = costs.assign(curve=costs["algorithm"] + ":" + costs["mapping"])
    curves = costs["curve"].unique().tolist()
    chosen = co.select("here", costs, curves)
    return cost_figure.draw(Costs(chosen, curves, KNOWN), scale)


def heights(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def test_a_panel_a_number_of_ranks_per_node() -> None:
    sheet = draw(
        rows(SPARBIT, {1: 0, 2: 10, 3: 20}),
        rows(BRUCK, {1: 0, 2: 5, 3: 4_000_000}),
        rows(SPARBIT, {1: 0, 2: 40, 3: 80}, ranks_per_node=1),
        rows(BRUCK, {1: 0, 2: 20, 3: 100}, ranks_per_node=1),
    )
    found = texts(sheet)
    assert {
        "Communication cost over the number of nodes",
        "1 rank per node 1 = 100 byte hops",
        "2 ranks per node 1 = 4e6 byte hops",
        "nodes",
        "cost / largest of the panel",
        "sparbit, sequential",
        "bruck, cyclic",
    } <= set(found)
    first = sheet.figure.axes[0].get_lines()
    assert [heights(line) for line in first[:2]] == [[0, 0.4, 0.8], [0, 0.2, 1]]
    assert [line.get_color() for line in first[:2]] == [
        looks(KNOWN)[name].colour for name in ("sparbit", "bruck")
    ]
    assert [line.get_markevery() for line in first[:2]] == [[True, True, False]] * 2


def test_a_line_breaks_where_an_algorithm_is_skipped() -> None:
    sheet = draw(
        rows(SPARBIT, {2: 1, 3: 1, 4: 1, 6: 1}), rows(DOUBLING, {2: 1, 3: None, 4: 1, 6: 2})
    )
    line = sheet.figure.axes[0].get_lines()[1]
    assert np.isnan(heights(line)).tolist() == [False, True, False, False]
    assert line.get_markevery() == [True, False, True, False]
    said = "recursive_doubling:cyclic: 1 point skipped (needs two)."
    assert any(text.endswith(said) for text in texts(sheet))


def test_a_point_alone_is_marked() -> None:
    line = draw(rows(DOUBLING, {5: None, 6: 2, 7: None})).figure.axes[0].get_lines()[0]
    assert line.get_markevery() == [False, True, False]


def test_mappings_of_one_algorithm_differ_in_their_lines() -> None:
    other = "bruck:sequential"
    first, second = (
        draw(rows(BRUCK, {1: 0, 2: 1}), rows(other, {1: 0, 2: 2})).figure.axes[0].get_lines()
    )
    assert first.get_color() == second.get_color()
    assert first.get_linestyle() != second.get_linestyle()


def test_a_logarithmic_scale_has_no_zero() -> None:
    sheet = draw(rows(BRUCK, {1: 0, 2: 1, 3: 100}), scale=LOG)
    (axes,) = sheet.figure.axes
    assert axes.get_yscale() == "log"
    assert np.isnan(heights(axes.get_lines()[0])).tolist() == [True, False, False]
    assert any("Costs of 0" in text for text in texts(sheet))


@pytest.mark.parametrize("scale", SCALES)
def test_a_ring_marks_where_another_curve_is_cheaper_than_the_first(scale: str) -> None:
    sheet = draw(
        rows(SPARBIT, {1: 0, 2: 10, 3: 20, 4: None, 5: 8}),
        rows(BRUCK, {1: 0, 2: 5, 3: 40, 4: 1, 5: 8}),
        scale=scale,
    )
    _, second, ring = sheet.figure.axes[0].get_lines()
    assert np.asarray(ring.get_xdata()).tolist() == [2]
    assert heights(ring) == [heights(second)[1]]
    assert ring.get_markerfacecolor() == "none"
    assert "cheaper than sparbit, sequential" in texts(sheet)


def test_relative_costs() -> None:
    sheet = draw(
        rows(SPARBIT, {1: 0, 2: 10, 3: 20, 4: None}),
        rows(BRUCK, {1: 0, 2: 5, 3: 40, 4: 1}),
        scale=RELATIVE,
    )
    first, second, _ = sheet.figure.axes[0].get_lines()
    assert heights(first) == pytest.approx([np.nan, 1, 1, np.nan], nan_ok=True)
    assert heights(second) == pytest.approx([np.nan, 0.5, 2, np.nan], nan_ok=True)
    assert {"relative cost", "2 ranks per node"} <= set(texts(sheet))
    assert any("divided by those of sparbit, sequential" in text for text in texts(sheet))


def test_ten_panels_leave_none_alone() -> None:
    assert [panels_a_line(count) for count in (1, 2, 4, 5, 6, 7, 10)] == [1, 2, 2, 3, 3, 3, 2]


def test_costs_that_are_all_zero() -> None:
    (line,) = draw(rows(BRUCK, {1: 0})).figure.axes[0].get_lines()
    assert heights(line) == [0]


def test_labels_have_room() -> None:
    powers, share = [1, 2, 4, 8, 16, 32, 64], 0.09
    assert choose_ticks(powers, range(1, 65), share) == [8, 16, 32, 64]
    assert choose_ticks(powers[:3], range(1, 5), share) == [1, 2, 4]
    assert choose_ticks([4], [4], share) == [4]
    assert choose_ticks([], [3], share) == []


@pytest.mark.slow
def test_files_of_each_kind(fake: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    check_files(tmp_path, "cost --nodes 1:4 --ranks-per-node 2,3 --csv", numbers)
    frame = pd.read_csv(numbers)
    assert len(frame) == 2 * 2 * 4
    bruck = frame[frame["algorithm"].eq("bruck") & frame["ranks_per_node"].eq(3)]
    assert bruck["cost"].tolist() == [3, 12, 54, 48]
    assert bruck[NORMALISED].tolist() == pytest.approx([3 / 54, 12 / 54, 1, 48 / 54])
    check_files(tmp_path, "cost", "--costs", numbers, "--ranks-per-node", "1:9")


@pytest.mark.slow
def test_the_program_runs_once(fake: Path, tmp_path: Path) -> None:
    command = "cost --nodes 2 --ranks-per-node 1,2 --curves bruck:cyclic,ring:x,sparbit:cyclic -o"
    assert main([*command.split(), str(tmp_path / "a.png")]) == 0
    assert (fake.parent / "calls.txt").read_text().splitlines() == [
        "cost --algorithms bruck,ring,sparbit --bytes 1 --model hop-bytes --nodes 2 "
        "--ranks-per-node 1,2 --mapping cyclic,x"
    ]


@pytest.mark.slow
def test_algorithms_are_drawn_with_both_mappings(fake: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    command = f"cost --nodes 2 --ranks-per-node 2 --algorithms ring,bruck --csv {numbers} -o"
    assert main([*command.split(), str(tmp_path / "a.png")]) == 0
    frame = pd.read_csv(numbers)
    assert [*zip(frame["algorithm"], frame["mapping"], strict=True)] == [
        ("ring", "sequential"),
        ("ring", "cyclic"),
        ("bruck", "sequential"),
        ("bruck", "cyclic"),
    ]


@pytest.mark.slow
def test_the_colours_are_the_registrys(fake: Path, tmp_path: Path) -> None:
    """The figures from result files, which name the registry, have the same."""
    with_registry, without = tmp_path / "1.csv", tmp_path / "2.csv"
    line = rows(BRUCK, {2: 1}).to_csv(index=False)
    with_registry.write_text(f"#@registry={','.join(KNOWN)}\n{line}")
    without.write_text(line)
    output = tmp_path / "a.svg"
    for given, known in (
        (["--nodes", "2", "--ranks-per-node", "2"], KNOWN),
        (["--costs", str(with_registry)], KNOWN),
        (["--costs", str(without)], ["bruck"]),
    ):
        assert main(["cost", *given, "--curves", "bruck:cyclic", "-o", str(output)]) == 0
        assert looks(known)["bruck"].colour.lower() in output.read_text()


def test_curves_may_have_parameters() -> None:
    curves = "shift_n_barriers:n=2:cyclic, ring:sequential,ring:sequential"
    assert co.choose_curves(curves, None) == ["shift_n_barriers:n=2:cyclic", "ring:sequential"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--curves bruck", ["--curves", "'bruck'", "bruck:cyclic"]),
        ("--curves shift_n_barriers:n=2", ["--curves", "'shift_n_barriers:n=2'"]),
        ("--curves bruck:cyclic --algorithms ring", ["--algorithms", "not allowed", "--curves"]),
        ("--scale cubic", ["--scale", "'cubic'", "legal: log, linear, relative"]),
        ("--scale relative --curves bruck:cyclic --nodes 2 --ranks-per-node 2",
         ["--scale relative", "two curves", "bruck:cyclic alone"]),
        ("--ranks-per-node x", ["--ranks-per-node", "'x'"]),
        ("--ranks-per-node 1:61", ["--ranks-per-node", "61", "60"]),
        ("--nodes 2:1", ["--nodes", "'2:1'"]),
        ("--nodes 3 --ranks-per-node 2 --curves recursive_doubling:cyclic",
         ["no cost of recursive_doubling:cyclic (needs two; ranks = 6); there are: none"]),
        ("--costs nowhere.csv", ["nowhere.csv"]),
        ("--costs a.csv --curves ring:cyclic",
         ["a.csv: no cost of ring:cyclic; there are: sparbit:sequential, bruck:cyclic"]),
        ("--costs a.csv --ranks-per-node 7", ["no cost of sparbit:sequential; there are: none"]),
        ("--costs status.csv", ["status: 'fine' is not a status; legal: ok, late, skipped, wrong"]),
        ("--costs lacks.csv", ["status ok has no cost, or a negative one"]),
        ("--costs models.csv", ["several values of model: hop-bytes, hockney"]),
        ("--costs blocks.csv", ["several values of distribution: regular, spike"]),
        ("--costs twice.csv", ["several rows of sparbit:sequential at 2 nodes with 2 ranks"]),
        ("--costs foreign.csv", ["not a table of costs", "missing columns: model"]),
    ],
)  # fmt: skip
def test_bad_input(
    fake: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
    arguments: str,
    said: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    good = pd.concat([rows(SPARBIT, {2: 1}), rows(BRUCK, {2: 1})])
    for name, frame in {
        "a.csv": good,
        "status.csv": good.assign(status="fine"),
        "lacks.csv": good.assign(cost=np.nan),
        "models.csv": pd.concat([good, rows(BRUCK, {3: 1}, model="hockney")]),
        "blocks.csv": pd.concat(
            [good.assign(distribution="regular"), good.assign(distribution="spike")]
        ),
        "twice.csv": pd.concat([good, good]),
        "foreign.csv": pd.DataFrame({"a": [1]}),
    }.items():
        frame.to_csv(name, index=False)
    line = refused(capsys, "cost", *arguments.split(), "-o", "a.png")
    assert [part for part in said if part not in line] == []
    assert not (tmp_path / "a.png").exists()
