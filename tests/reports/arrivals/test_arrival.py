# SPDX-License-Identifier: BSD-3-Clause
"""Times under arrival patterns: gains that were planted, the table, the lines, the wins."""

from argparse import Namespace
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from agreport.arrivals import arrival, arrival_table
from agreport.arrivals.experiments import experiments, with_balanced
from agreport.data.load import Results
from agreport.diagnostics.answers import answers
from agreport.diagnostics.arrival_caveats import arrival_caveats, late_share
from agreport.figure.sheet import Sheet
from agreport.main import main

from ..support.commands import Capture
from ..support.fake_arrivals import case, write
from ..support.loading import load
from ..support.sheets import check_files, texts

# The same arrival times make this of every algorithm, so that pairs are far more alike than others.
PATTERN = "uniform:max=1ms"
BASE = np.random.default_rng(1).uniform(100, 300, 40)
NOISE = np.random.default_rng(2).normal(1, 0.05, 40)


def rows(results: Results) -> dict[tuple[str, str], dict[Hashable, Any]]:
    records = experiments(results).reset_index().to_dict("records")
    return {(row["arrival"], row["algorithm"]): row for row in records}


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """ring is the best without delays; bdr gains 1.20 at 5 ms, nothing sure at 10 ms."""
    return write(
        tmp_path / "a.csv",
        case("none", {"ring": BASE, "bruck": BASE * 1.5, "bdr": BASE * 1.25}),
        case(
            "uniform:max=5ms",
            {"ring": 1.2 * BASE, "bruck": BASE * 1.3, "bdr": BASE, "bslb:k=2": BASE * 1.1},
            asked=4500,
        ),
        case("uniform:max=10ms", {"ring": BASE, "bruck": BASE * 2, "bdr": BASE * NOISE * 0.999}),
    )


@pytest.mark.parametrize(("simulated", "entry"), [("yes", "bdr 1.11"), ("no", "bdr 1.11~")])
def test_gains_without_noise_are_sure(
    tmp_path: Path, capsys: Capture, simulated: str, entry: str
) -> None:
    """However few they are."""
    path = write(
        tmp_path / "a.csv",
        case(PATTERN, {"ring": [333.0] * 3, "bdr": [300.0] * 3}),
        case("none", {"ring": [300.0] * 3, "bdr": [300.0] * 3}),
        simulated=simulated,
    )
    found = rows(load([str(path)]))[PATTERN, "bdr"]
    assert found["gain"] == pytest.approx(1.11)
    assert found["sure"] is found["lead_sure"] is (simulated == "yes")
    if found["sure"]:
        assert found["gain_low"] == found["gain"] == found["gain_high"]
    assert main(["arrival", str(path)]) == 0
    assert entry in capsys.readouterr().out.splitlines()[2].split("  ")


def test_gains(planted: Path) -> None:
    found = rows(load([str(planted)]))
    best = found["uniform:max=5ms", "bdr"]
    assert best["gain"] == pytest.approx(1.2)
    assert (best["gain_low"], best["gain_high"]) == pytest.approx((1.2, 1.2))
    assert (best["regular"], best["pairs"], best["sure"]) == ("ring", 40, True)
    assert (best["second"], best["lead"]) == ("bslb:k=2", pytest.approx(1.1))
    assert found["uniform:max=5ms", "bruck"]["gain"] == pytest.approx(1.2 / 1.3)
    assert found["uniform:max=5ms", "ring"]["regular"] == "bruck"
    unsure = found["uniform:max=10ms", "bdr"]
    assert unsure["gain_low"] < 1 < unsure["gain_high"]
    assert not unsure["sure"]
    winners = [key for key, row in found.items() if row["fastest"]]
    assert winners == [("none", "ring"), ("uniform:max=5ms", "bdr"), ("uniform:max=10ms", "bdr")]
    assert found["none", "ring"]["fastest"]
    assert found["none", "bdr"]["gain"] == pytest.approx(0.8)


def test_mean_and_deviation_are_over_the_iterations(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", case("none", {"ring": [1, 3, 8]}))
    ring = rows(load([str(path)]))["none", "ring"]
    assert ring["mean_us"] == 4
    assert ring["stddev_us"] == pytest.approx(13**0.5)  # (9 + 1 + 16) / 2
    assert np.isnan(ring["gain"]), "there is no other"


def test_late_iterations_count_nowhere(tmp_path: Path) -> None:
    slow = [*BASE[:30], *[1e6] * 10]
    path = write(
        tmp_path / "a.csv",
        case("uniform:max=1ms", {"ring": 1.1 * BASE, "bdr": slow}, late={"bdr": range(30, 40)}),
    )
    results = load([str(path)])
    bdr = rows(results)["uniform:max=1ms", "bdr"]
    assert (bdr["iterations"], bdr["late"], bdr["pairs"]) == (30, 10, 30)
    assert bdr["mean_us"] == pytest.approx(BASE[:30].mean())
    assert bdr["gain"] == pytest.approx(1.1), "the ring's last ten have no pair"
    assert [*late_share(results, answers(results))] == [], "the two are further apart"
    only = case("uniform:max=1ms", {"bdr": slow}, late={"bdr": range(30, 40)})
    results = load([str(write(tmp_path / "b.csv", only))])
    said = next(late_share(results, answers(results))).text
    assert "10 of 40 (25 %), over 10 % of them for 1 of 1 pairs" in said


def test_pairs_are_of_one_launch(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", case("uniform:max=1ms", {"ring": BASE}))
    second = write(tmp_path / "b.csv", case("uniform:max=1ms", {"bdr": BASE / 2}))
    bdr = rows(load([str(first), str(second)]))["uniform:max=1ms", "bdr"]
    assert (bdr["gain"], bdr["pairs"], bdr["sure"]) == (pytest.approx(2), 0, False)


@pytest.mark.slow
def test_the_table(planted: Path, capsys: Capture) -> None:
    assert main(["arrival", str(planted)]) == 0
    title, head, cells, *rest = filter(None, capsys.readouterr().out.splitlines())
    assert title == "allgather, sequential, regular, 4 ranks, arrival uniform"
    assert head.split() == ["bytes", "0", "5ms", "10ms"]
    assert cells.split("  ")[0] == "1K"
    assert "ring  bdr 1.20  bdr 1.0" in cells
    assert cells.endswith("~")
    assert rest[:2] == [arrival_table.LEGEND, arrival_table.PREDICTION]
    predictions = [line.split() for line in rest[2:6]]
    assert predictions == [
        ["arrival", "ranks", "bytes", "algorithm", "off_us", "off_t", "largest_us", "helper_us"],
        *(
            [pattern, "4", "1024", "bdr", "19.5", "1.95", "39", "20"]
            for pattern in ("none", "uniform:max=5ms", "uniform:max=10ms")
        ),
    ]
    assert rest[6] == arrival_table.PREDICTION_LEGEND
    assert rest[7] == "How far the worst rank of an iteration was from the asked delay"
    assert [line.split()[:3] for line in rest[9:]] == [
        ["uniform:max=5ms", "4", "4500.00"],
        ["uniform:max=10ms", "4", "0.00"],
    ]
    assert main(["arrival", str(planted), "--format", "markdown"]) == 0
    assert "| 1K | ring | bdr 1.20 |" in capsys.readouterr().out


def test_delay_errors_of_two_settings_are_apart(tmp_path: Path, capsys: Capture) -> None:
    for kernel, error in (("5", 1.0), ("6", 9.0)):
        write(tmp_path / f"{kernel}.csv", case(PATTERN, {"ring": BASE}, error=error), kernel=kernel)
    assert main(["arrival", str(tmp_path)]) == 0
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first.split()[0] == "kernel=5" and first.split()[-1] == "1.00"
    assert second.split()[0] == "kernel=6" and second.split()[-1] == "9.00"


@pytest.mark.slow
def test_a_regular_winner_has_a_mark_too(tmp_path: Path, capsys: Capture) -> None:
    path = write(
        tmp_path / "a.csv",
        case("delayed:rank=3,delay=1ms", {"ring": BASE, "bdr": BASE * NOISE * 1.01}),
        case("delayed:rank=3,delay=2ms", {"ring": BASE[:5], "bdr": BASE[:5] * 2}),
        case("delayed:rank=3,delay=3ms", {"ring": BASE, "bdr": BASE * 2}),
        case("delayed:rank=3,delay=4ms", {"bdr": BASE}),
        case("delayed:rank=3,delay=5ms", {"ring": BASE}),
        case("delayed:rank=3,delay=6ms", {"ring": BASE}, size=4096),
    )
    assert main(["arrival", str(path)]) == 0
    _, head, *cells = capsys.readouterr().out.splitlines()[:4]
    assert head.split() == ["bytes", "1ms", "2ms", "3ms", "4ms", "5ms", "6ms"]
    # Five pairs are too few to be sure of anything.
    assert cells[0].split() == ["1K", "ring~", "ring~", "ring", "bdr", "ring", "-"]
    assert cells[1].split() == ["4K", *"-----", "ring"]


@pytest.mark.slow
def test_a_section_for_each_number_of_ranks_and_pattern(planted: Path, tmp_path: Path) -> None:
    other = write(
        tmp_path / "b.csv",
        case("uniform:max=5ms", {"ring": BASE}, ranks=8),
        case("delayed:rank=1,delay=5ms", {"ring": BASE}),
    )
    found = experiments(load([str(planted), str(other)]))
    sections = dict(arrival_table.sections(found))
    common = "allgather, sequential, regular"
    assert list(sections) == [
        f"4 ranks, arrival delayed:rank=1, {common}",
        f"4 ranks, arrival uniform, {common}",
        f"8 ranks, arrival uniform, {common}",
    ]
    assert [list(frame)[1:] for frame in sections.values()] == [
        ["0", "5ms"],
        ["0", "5ms", "10ms"],
        ["5ms"],
    ]
    balanced = with_balanced(found)
    assert balanced[balanced["arrival"] == "none"]["family"].value_counts().to_dict() == {
        "delayed:rank=1": 3,
        "uniform": 3,
    }


def points(sheet: Sheet, panel: int = 0) -> dict[str, list[tuple[float, float]]]:
    """Returns the points by colour, since the legend has the names."""
    named = {
        str(handle.get_color()): str(handle.get_label())
        for handle in sheet.figure.findobj(Line2D)
        if isinstance(handle, Line2D) and not str(handle.get_label()).startswith("_")
    }
    return {
        named[str(line.get_color())]: [
            (float(x), round(float(y), 6))
            for x, y in zip(*map(np.asarray, line.get_data()), strict=True)
        ]
        for line in sheet.figure.axes[panel].get_lines()
    }


def drawn(x: str, first: int | None = None) -> Namespace:
    return Namespace(x=x, wins=False, first=first, start=1, size_by="block", statistic="median")


def of_means(x: str) -> Namespace:
    return Namespace(**{**vars(drawn(x)), "statistic": "mean"})


def bars_of(axes: Axes) -> list[Any]:
    lines = [one for one in axes.collections if isinstance(one, LineCollection)]
    return [path for one in lines for path in one.get_paths()]


def two_times(first: float) -> list[float]:
    return [first, first + 2]


def test_lines_against_the_delay(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        case("none", {"ring": two_times(9), "bdr": two_times(19)}),
        case("uniform:max=2ms", {"ring": two_times(49), "bdr": two_times(29)}),
        case("uniform:max=500us", {"ring": two_times(39)}),
    )
    results = load([str(path)])
    sheet = arrival.draw(results, experiments(results), of_means("delay"))
    assert points(sheet) == {"ring": [(0, 10), (500, 40), (2000, 50)], "bdr": [(0, 20), (2000, 30)]}
    found = texts(sheet)
    assert (
        "Average elapsed time under arrival patterns allgather, sequential, regular, 4 ranks, "
        "blocks of 1 KiB, arrival uniform"
    ) in found
    assert {"maximum delay (ms)", "average elapsed time (\N{MICRO SIGN}s)", "0", "0.5", "2"} <= set(
        found
    )
    assert any(text.startswith("Mean over all iterations of 1 launch of") for text in found)
    bars = bars_of(sheet.figure.axes[0])
    assert np.asarray(bars[0].vertices)[:, 1].tolist() == pytest.approx([9 + 0.32, 11 - 0.32])


def test_one_slow_iteration_does_not_stretch_a_bar(tmp_path: Path) -> None:
    """A bar of the standard deviation would go below 0, and off a logarithmic axis."""
    slow = [10.0] * 19 + [1000.0]
    path = write(
        tmp_path / "a.csv", case("none", {"ring": [1.0]}), case("uniform:max=1ms", {"ring": slow})
    )
    results = load([str(path)])
    (axes,) = arrival.draw(results, experiments(results), of_means("delay")).figure.axes
    ends = [np.asarray(one.vertices)[:, 1] for one in bars_of(axes)]
    assert [one.tolist() for one in ends] == [[1, 1], [10, 10]]
    assert axes.get_ylim()[0] > 0.5


def test_lines_are_medians_and_stand_at_their_delays(tmp_path: Path) -> None:
    """As everywhere else; one slow iteration of eight does not move them, nor their intervals."""
    ring, bruck = [9.0, 9, 10, 10, 11, 11, 10, 500], [19.0, 19, 20, 20, 21, 21, 20, 900]
    path = write(
        tmp_path / "a.csv",
        *(case(f"uniform:max={n}us", {"ring": ring, "bruck": bruck}) for n in (1, 2, 4)),
    )
    results = load([str(path)])
    sheet = arrival.draw(results, experiments(results), drawn("delay"))
    assert points(sheet) == {name: [(n, t) for n in (1, 2, 4)] for name, t in
                             (("ring", 10), ("bruck", 20))}  # fmt: skip
    assert [len(bars) for bars in (bars_of(sheet.figure.axes[0]),)] == [6], "at every point of both"
    assert any("95 % confidence interval" in text for text in texts(sheet))


def test_wins_are_of_means(planted: Path, tmp_path: Path, capsys: Capture) -> None:
    given = ["arrival", str(planted), "--wins", "--statistic", "mean"]
    assert main([*given, "-o", str(tmp_path / "a.png")]) == 2
    assert "--statistic mean: does not go with --wins" in capsys.readouterr().err


@pytest.mark.slow
def test_delays_in_messages(tmp_path: Path) -> None:
    """In t as long as all are; with others in a unit of time, by message_us of each case."""
    in_t = [
        case(f"delayed:rank=1,delay={n}t", {"ring": two_times(n)}, message=20, size=size)
        for n in (1, 4)
        for size in (1024, 2048)
    ]
    results = load([str(write(tmp_path / "a.csv", *in_t))])
    sheet = arrival.draw(results, experiments(results), drawn("delay"))
    assert points(sheet, 1)["ring"] == [(1, 2), (4, 5)]
    assert "delay (t = 20 \N{MICRO SIGN}s)" in texts(sheet)
    mixed = case("delayed:rank=1,delay=60us", {"ring": two_times(1)}, message=20)
    results = load([str(write(tmp_path / "b.csv", *in_t, mixed))])
    sheet = arrival.draw(results, experiments(results), drawn("delay"))
    assert points(sheet)["ring"] == [(20, 2), (60, 2), (80, 5)]
    assert points(sheet, 1)["ring"] == [(1, 2), (4, 5)]
    assert "delay (\N{MICRO SIGN}s; t = 20 \N{MICRO SIGN}s)" in texts(sheet)


def test_a_trace_stands_at_its_asked_imbalance(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        case("none", {"ring": two_times(9)}),
        case("trace:run.txt", {"ring": two_times(19)}, asked=300),
    )
    results = load([str(path)])
    found = experiments(results)
    sheet = arrival.draw(results, found, drawn("delay"))
    assert points(sheet)["ring"] == [(0, 10), (300, 20)]
    assert "asked imbalance (\N{MICRO SIGN}s)" in texts(sheet)
    ((title, table),) = arrival_table.sections(found)
    assert title.endswith("arrival trace:run.txt")
    assert table.to_dict("list") == {"bytes": ["1K"], "0": ["ring"], "as asked": ["ring"]}


@pytest.mark.slow
def test_lines_against_bytes_and_ranks(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        *(
            case(
                f"uniform:max={delay}",
                {"ring": two_times(size / 512 + ranks)},
                ranks=ranks,
                size=size,
            )
            for delay in ("9ms", "10ms")
            for ranks in (4, 16)
            for size in (1024, 65536)
        ),
    )
    results = load([str(path)])
    found = experiments(results)
    sheet = arrival.draw(results, found, drawn("bytes"))
    assert points(sheet)["ring"] == [(1024, 7), (65536, 133)]
    assert [axes.get_title() for axes in sheet.figure.axes] == [
        "arrival uniform:max=9ms, 4 ranks",
        "arrival uniform:max=9ms, 16 ranks",
        "arrival uniform:max=10ms, 4 ranks",
        "arrival uniform:max=10ms, 16 ranks",
    ]
    assert {"1K", "64K", "block size (bytes)"} <= set(texts(sheet))
    sheet = arrival.draw(results, found, drawn("ranks"))
    assert points(sheet)["ring"] == [(4, 7), (16, 19)]
    assert {"4", "16", "ranks"} <= set(texts(sheet))


def test_one_rank_count_on_several_numbers_of_nodes(tmp_path: Path) -> None:
    paths = [
        write(
            tmp_path / f"{nodes}.csv",
            case("uniform:max=1ms", {"ring": two_times(1)}, ranks=4, nodes=nodes),
        )
        for nodes in (1, 2)
    ]
    results = load([str(path) for path in paths])
    sheet = arrival.draw(results, experiments(results), drawn("ranks"))
    assert [axes.get_title() for axes in sheet.figure.axes] == ["1 node", "2 nodes"]


@pytest.mark.slow
def test_too_many_panels(tmp_path: Path, capsys: Capture) -> None:
    path = write(
        tmp_path / "a.csv", *(case("none", {"ring": [1]}, size=size) for size in range(1, 26))
    )
    output = tmp_path / "a.png"
    assert main(["arrival", str(path), "--from", "26", "-o", str(output)]) == 2
    assert "--from: '26' is beyond the last; legal: 1 to 25" in capsys.readouterr().err
    assert not output.exists()
    assert main(["arrival", str(path), "--bytes", "1,2", "-o", str(output)]) == 0
    results = load([str(path)])
    for first, start, count, told in (
        (3, 1, 3, ("Drawn: 1 to 3 of 25 panels, ", "; agreport arrival --from 4 draws more.")),
        (None, 25, 1, ("Drawn: 25 to 25 of 25 panels", "arrival --from 1 draws the first.")),
    ):
        options = drawn("delay", first)
        options.start = start
        sheet = arrival.draw(results, experiments(results), options)
        assert len(sheet.figure.axes) == count
        assert any(told[0] in text and text.endswith(told[1]) for text in texts(sheet))


def test_wins(planted: Path) -> None:
    results = load([str(planted)])
    sheet = arrival_table.draw_wins(results, experiments(results), drawn("delay"))
    by_delay, by_size = sheet.figure.axes

    def bars(axes: Axes) -> list[tuple[float, float, bool]]:
        """Place, height, and whether it is filled."""
        found = [bar for bar in axes.patches if isinstance(bar, Rectangle)]
        return [
            (
                round(bar.get_x() + bar.get_width() / 2),
                bar.get_height(),
                to_rgb(bar.get_facecolor()) != (1, 1, 1),
            )
            for bar in found
        ]

    # ring without delays, bdr at 5 ms, bdr at 10 ms too, but not surely: hollow.
    assert bars(by_delay) == [(0, 1, True), (1, 1, True), (2, 1, False)]
    assert bars(by_size) == [(0, 1, True), (0, 1, True), (0, 1, False)]
    assert {"maximum delay", "5 ms", "10 ms", "block size (bytes)", "1K", "experiments"} <= set(
        texts(sheet)
    )


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--x=delay", "--x=bytes", "--wins"])
def test_files_of_each_kind(planted: Path, tmp_path: Path, option: str) -> None:
    numbers = tmp_path / "numbers.csv"
    check_files(tmp_path, "arrival", planted, option, "--csv", numbers)
    frame = pd.read_csv(numbers)
    assert {"mean_us", "stddev_us", "gain", "gain_low", "gain_high", "pairs"} <= set(frame)
    assert len(frame) == 10


@pytest.mark.slow
def test_only_some_algorithms(planted: Path, capsys: Capture) -> None:
    assert main(["arrival", str(planted), "--algorithms", "bruck,bdr", "--pattern", "uniform"]) == 0
    assert "bdr 1.30" in capsys.readouterr().out
    assert main(["arrival", str(planted), "--algorithms", "brucc"]) == 2
    assert "--algorithms: 'brucc'" in capsys.readouterr().err
    assert main(["arrival", str(planted), "--pattern", "unifrom"]) == 2
    assert "legal: none, uniform (nearest: uniform)" in capsys.readouterr().err


def test_caveats(tmp_path: Path) -> None:
    good = case("uniform:max=5ms", {"ring": BASE, "bdr": BASE * 2}, asked=5000, error=2, clock=1)
    assert arrival_caveats(load([str(write(tmp_path / "a.csv", good))])) == []
    bad = case("uniform:max=9us", {"ring": BASE, "bdr": BASE + 1}, asked=8, error=16, clock=2)
    said = arrival_caveats(load([str(write(tmp_path / "b.csv", good, bad))]))
    assert len(said) == 4
    assert "over 10 % of the asked imbalance in 1 of 2 cases, at most 2 times as long" in said[0]
    assert "over 100 % of the time of one block's message in 1 of 2 cases" in said[1]
    assert "The clock error is over 10 % of the asked imbalance in 1 of 2 cases" in said[2]
    assert "over the second in 1 of 2 cases" in said[3]


@pytest.mark.slow
def test_an_older_file(tmp_path: Path, capsys: Capture) -> None:
    """The file lacks the columns of arrival patterns; its times are there all the same."""
    columns = (
        "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,"
        "iteration,min_us,avg_us,max_us,status,reason"
    )
    lines = [
        f"allgather,{name},regular,{pattern},sequential,4,1,8,32,{i},1,{time},9,ok,"
        for pattern in ("none", "uniform:max=1ms")
        for name, time in (("ring", 6), ("bdr", 5))
        for i in range(20)
    ]
    path = write(tmp_path / "a.csv", lines, columns=columns)
    output = tmp_path / "a.png"
    assert main(["arrival", str(path), "-o", str(output)]) == 0
    assert "bdr 1.20" in capsys.readouterr().out
    assert main(["absorption", str(path)]) == 2
    assert "no row has run_us and imbalance_us" in capsys.readouterr().err
