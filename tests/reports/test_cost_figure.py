# SPDX-License-Identifier: BSD-3-Clause
"""Costs over the number of machines."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.lines import Line2D

from agreport.figure.sheet import ENDINGS, Sheet, looks
from agreport.main import main
from agreport.schedules import cost_figure
from agreport.schedules import costs as co
from agreport.schedules.cost_figure import Costs, choose_ticks
from agreport.schedules.costs import NORMALISED, Curve

from .test_figures import MAGIC, texts

Capture = pytest.CaptureFixture[str]
SPARBIT, BRUCK = Curve("sparbit", "sequential"), Curve("bruck", "cyclic")
DOUBLING = Curve("recursive_doubling", "cyclic")
KNOWN = ["ring", "recursive_doubling", "bruck", "sparbit"]

Draw = Callable[..., Sheet]


def rows(
    curve: Curve, costs: dict[int, float | None], cores: int = 2, model: str = "hop-bytes"
) -> pd.DataFrame:
    """One a number of machines; None is skipped."""
    return pd.DataFrame(
        {
            "model": model,
            "algorithm": curve.algorithm,
            "ranks": [machines * cores for machines in costs],
            "machines": list(costs),
            "cores": cores,
            "mapping": curve.mapping,
            "bytes": 1,
            "cost": [np.nan if cost is None else cost for cost in costs.values()],
            "unit": "byte hops",
            "status": ["skipped" if cost is None else "ok" for cost in costs.values()],
            "reason": ["needs two; ranks = 6" if cost is None else "" for cost in costs.values()],
        }
    )


def draw(*frames: pd.DataFrame, log: bool = False) -> Sheet:
    costs = pd.concat(frames, ignore_index=True)
    pairs = costs[["algorithm", "mapping"]].drop_duplicates().itertuples(index=False)
    curves = [Curve(*pair) for pair in pairs]
    chosen = co.normalise(co.select("here", costs, curves))
    return cost_figure.draw(Costs(chosen, curves, KNOWN), log)


def heights(line: Line2D) -> list[float]:
    return [float(y) for y in np.asarray(line.get_ydata())]


def test_a_panel_a_number_of_cores() -> None:
    sheet = draw(
        rows(SPARBIT, {1: 0, 2: 10, 3: 20}),
        rows(BRUCK, {1: 0, 2: 5, 3: 4_000_000}),
        rows(SPARBIT, {1: 0, 2: 40, 3: 80}, cores=1),
        rows(BRUCK, {1: 0, 2: 20, 3: 100}, cores=1),
    )
    found = texts(sheet)
    assert found[0] == "Communication cost over the number of machines"
    assert {
        "1 core a machine 1 = 100 byte hops",
        "2 cores a machine 1 = 4e6 byte hops",
        "machines",
        "cost / largest of the panel",
        "sparbit, sequential",
        "bruck, cyclic",
    } <= set(found)
    first = sheet.body.axes[0].get_lines()
    assert [heights(line) for line in first] == [[0, 0.4, 0.8], [0, 0.2, 1]]
    assert [line.get_color() for line in first] == [
        looks(KNOWN)[name].colour for name in ("sparbit", "bruck")
    ]
    assert [line.get_markevery() for line in first] == [[True, True, False]] * 2


def test_a_line_breaks_where_an_algorithm_is_skipped() -> None:
    sheet = draw(
        rows(SPARBIT, {2: 1, 3: 1, 4: 1, 6: 1}), rows(DOUBLING, {2: 1, 3: None, 4: 1, 6: 2})
    )
    line = sheet.body.axes[0].get_lines()[1]
    assert np.isnan(heights(line)).tolist() == [False, True, False, False]
    assert line.get_markevery() == [True, False, True, False]
    said = "recursive_doubling, cyclic: 1 point skipped (needs two)."
    assert any(text.endswith(said) for text in texts(sheet))


def test_a_point_alone_is_marked() -> None:
    line = draw(rows(DOUBLING, {5: None, 6: 2, 7: None})).body.axes[0].get_lines()[0]
    assert line.get_markevery() == [False, True, False]


def test_mappings_of_one_algorithm_differ_in_their_lines() -> None:
    other = Curve("bruck", "sequential")
    first, second = (
        draw(rows(BRUCK, {1: 0, 2: 1}), rows(other, {1: 0, 2: 2})).body.axes[0].get_lines()
    )
    assert first.get_color() == second.get_color()
    assert first.get_linestyle() != second.get_linestyle()


def test_a_logarithmic_scale_has_no_zero() -> None:
    sheet = draw(rows(BRUCK, {1: 0, 2: 1, 3: 100}), log=True)
    (axes,) = sheet.body.axes
    assert axes.get_yscale() == "log"
    assert np.isnan(heights(axes.get_lines()[0])).tolist() == [True, False, False]
    assert any("Costs of 0" in text for text in texts(sheet))


def test_costs_that_are_all_zero() -> None:
    (line,) = draw(rows(BRUCK, {1: 0})).body.axes[0].get_lines()
    assert heights(line) == [0]


def test_labels_have_room() -> None:
    powers = [1, 2, 4, 8, 16, 32, 64]
    assert choose_ticks(powers, range(1, 65)) == [8, 16, 32, 64]
    assert choose_ticks(powers[:3], range(1, 5)) == [1, 2, 4]
    assert choose_ticks([4], [4]) == [4]
    assert choose_ticks([], [3]) == []


@pytest.mark.slow
@pytest.mark.parametrize("ending", ENDINGS)
def test_files_of_each_kind(fake: Path, tmp_path: Path, ending: str) -> None:
    output, numbers = tmp_path / f"figure{ending}", tmp_path / "numbers.csv"
    command = f"cost --machines 1:4 --cores 2,3 -o {output} --csv {numbers}".split()
    assert main(command) == 0
    data = output.read_bytes()
    assert data.startswith(MAGIC[ending])
    frame = pd.read_csv(numbers)
    assert len(frame) == 2 * 2 * 4
    bruck = frame[frame["algorithm"].eq("bruck") & frame["cores"].eq(3)]
    assert bruck["cost"].tolist() == [3, 12, 54, 48]
    assert bruck[NORMALISED].tolist() == pytest.approx([3 / 54, 12 / 54, 1, 48 / 54])
    again = tmp_path / f"again{ending}"
    assert main(["cost", "--costs", str(numbers), "--cores", "1:9", "-o", str(again)]) == 0
    assert again.read_bytes().startswith(MAGIC[ending])
    assert main(command) == 0
    assert output.read_bytes() == data


def test_the_program_runs_once_a_mapping_and_number_of_cores(fake: Path, tmp_path: Path) -> None:
    command = "cost --machines 2 --cores 1,2 --curves bruck:cyclic,ring:x,sparbit:cyclic -o"
    assert main([*command.split(), str(tmp_path / "a.png")]) == 0
    end = "--bytes 1 --model hop-bytes --machines 2 --cores"
    assert (fake.parent / "calls.txt").read_text().splitlines() == [
        f"cost --algorithms bruck,sparbit {end} 1 --mapping cyclic",
        f"cost --algorithms bruck,sparbit {end} 2 --mapping cyclic",
        f"cost --algorithms ring {end} 1 --mapping x",
        f"cost --algorithms ring {end} 2 --mapping x",
    ]


def test_algorithms_are_drawn_with_both_mappings(fake: Path, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers.csv"
    command = f"cost --machines 2 --cores 2 --algorithms ring,bruck --csv {numbers} -o"
    assert main([*command.split(), str(tmp_path / "a.png")]) == 0
    frame = pd.read_csv(numbers)
    assert [*zip(frame["algorithm"], frame["mapping"], strict=True)] == [
        ("ring", "sequential"),
        ("ring", "cyclic"),
        ("bruck", "sequential"),
        ("bruck", "cyclic"),
    ]


def test_the_colours_are_the_registrys(fake: Path, tmp_path: Path) -> None:
    """As in the figures from result files, which name the registry."""
    with_registry, without = tmp_path / "1.csv", tmp_path / "2.csv"
    line = rows(BRUCK, {2: 1}).to_csv(index=False)
    with_registry.write_text(f"#@registry={','.join(KNOWN)}\n{line}")
    without.write_text(line)
    output = tmp_path / "a.svg"
    for given, known in (
        (["--machines", "2", "--cores", "2"], KNOWN),
        (["--costs", str(with_registry)], KNOWN),
        (["--costs", str(without)], ["bruck"]),
    ):
        assert main(["cost", *given, "--curves", "bruck:cyclic", "-o", str(output)]) == 0
        assert looks(known)["bruck"].colour.lower() in output.read_text()


def test_curves_may_have_parameters() -> None:
    assert co.parse_curves("shift_n_barriers:n=2:cyclic, ring:sequential,ring:sequential") == [
        Curve("shift_n_barriers:n=2", "cyclic"),
        Curve("ring", "sequential"),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--curves bruck", ["--curves", "'bruck'", "bruck:cyclic"]),
        ("--curves shift_n_barriers:n=2", ["--curves", "'shift_n_barriers:n=2'"]),
        ("--curves bruck:cyclic --algorithms ring", ["--algorithms", "not allowed", "--curves"]),
        ("--cores x", ["--cores", "'x'"]),
        ("--cores 1:61", ["--cores", "61", "60"]),
        ("--machines 2:1", ["--machines", "'2:1'"]),
        ("--machines 3 --cores 2 --curves recursive_doubling:cyclic",
         ["no cost of recursive_doubling:cyclic (needs two; ranks = 6); there are: none"]),
        ("--costs nowhere.csv", ["nowhere.csv"]),
        ("--costs a.csv --curves ring:cyclic",
         ["a.csv: no cost of ring:cyclic; there are: sparbit:sequential, bruck:cyclic"]),
        ("--costs a.csv --cores 7", ["no cost of sparbit:sequential; there are: none"]),
        ("--costs status.csv", ["status 'fine' is not one of ok, skipped"]),
        ("--costs lacks.csv", ["status ok has no cost, or a negative one"]),
        ("--costs models.csv", ["several values of model: hop-bytes, hockney"]),
        ("--costs twice.csv", ["several rows of sparbit:sequential at 2 machines with 2 cores"]),
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
        "twice.csv": pd.concat([good, good]),
        "foreign.csv": pd.DataFrame({"a": [1]}),
    }.items():
        frame.to_csv(name, index=False)
    try:
        code: object = main(["cost", *arguments.split(), "-o", "a.png"])
    except SystemExit as leaving:
        code = leaving.code
    printed = capsys.readouterr()
    assert (code, printed.out, printed.err.count("\n")) == (2, "", 1)
    for part in said:
        assert part in printed.err
    assert not (tmp_path / "a.png").exists()
