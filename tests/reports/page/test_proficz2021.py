# SPDX-License-Identifier: BSD-3-Clause
"""Tables 3 and 4 and figures 6 to 10 from times that give what the paper has printed there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agformats.errors import BadInput
from agreport.arrivals import arrival_table
from agreport.main import main
from agreport.page.proficz2021 import ITEMS

from ..support.fake_arrivals import case, write

pytestmark = pytest.mark.slow
NAMES = {
    "RING": "ring",
    "NEX": "neighbor_exchange",
    "LNBC": "linear_gather_bcast",
    "BDR": "bdr",
    "BSLB": "bslb",
}
# Some cells of tables 3 and 4 of Proficz (2021): nodes and K of floats; ms, algorithm and gain.
PUBLISHED: dict[tuple[int, int], dict[int, tuple[str, float]]] = {
    (12, 128): {0: ("RING", 0), 5: ("BDR", 1.36), 100: ("BDR", 1.02)},
    (12, 512): {100: ("BDR", 1.14)},
    (20, 128): {0: ("NEX", 0), 10: ("BDR", 1.01)},
    (28, 256): {0: ("RING", 0), 5: ("BDR", 1.90), 10: ("BDR", 1.74)},
    (28, 512): {100: ("BSLB", 1.16)},
    (32, 256): {0: ("RING", 0), 1: ("BDR", 1.01), 100: ("BDR", 1.04)},
    (32, 512): {0: ("LNBC", 0), 5: ("BSLB", 1.13), 100: ("LNBC", 0)},
    (36, 128): {100: ("NEX", 0)},
    (36, 2048): {100: ("BSLB", 1.48)},
    (48, 2048): {0: ("RING", 0), 50: ("BSLB", 1.52)},
}
# Every iteration has its own, the same for all algorithms, as with the same arrival times.
BASE = np.random.default_rng(3).uniform(1000, 2000, 12)


def times(fastest: str, gain: float) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Makes times of the paper's five, and of one that it has not, which would win everywhere."""
    slow = {"ring": 2.2, "neighbor_exchange": 2.0, "linear_gather_bcast": 2.1}
    regular = dict.fromkeys(slow, gain) if gain else slow
    factors = {**regular, "bdr": 1.9, "bslb": 1.8, NAMES[fastest]: 1, "native": 0.5}
    return {name: factor * BASE for name, factor in factors.items()}


def sweep(folder: Path, ranks: list[int]) -> str:
    """Makes a sweep as agsweep leaves it: a launch for each number of nodes, blocks of 1/p of the
    totals."""
    for p in ranks:
        write(
            folder / f"{p}.csv",
            *(
                case(
                    f"uniform:max={delay}ms" if delay else "none",
                    times(fastest, gain),
                    asked=1000 * delay,
                    ranks=p,
                    nodes=p,
                    size=round(floats * 4096 / p),
                )
                for (nodes, floats), row in PUBLISHED.items()
                if nodes == p
                for delay, (fastest, gain) in row.items()
            ),
            **{
                "note.sizes_times_ranks": "524288,1048576,2097152,4194304,8388608",
                "nodes": str(p),
                "registry": ",".join([*NAMES.values(), "native"]),
            },
        )
    return str(folder)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    output = data.with_name("out")
    sweep(data, sorted({nodes for nodes, _ in PUBLISHED}))
    assert main(["proficz2021", str(data), "-o", str(output)]) == 0
    return output


def test_tables_have_what_the_paper_has(whole: Path) -> None:
    found = {}
    for name, nodes in (("table3", range(4, 25)), ("table4", range(25, 49))):
        rows = pd.read_csv(whole / f"{name}.csv")
        assert set(rows["ranks"]) <= set(nodes)
        for row in rows.to_dict("records"):
            gain = row["gain_over_best_regular"]
            found[row["ranks"], row["total_bytes"] / 4096, row["delay_us"] / 1000] = (
                row["fastest"],
                0 if np.isnan(gain) else round(gain, 2),
            )
    assert found == {
        (*key, delay): (NAMES[fastest], gain)
        for key, row in PUBLISHED.items()
        for delay, (fastest, gain) in row.items()
    }


def test_tables_to_read(whole: Path) -> None:
    lines = (whole / "table3.md").read_text().splitlines()
    assert lines[0] == "| ranks | total_bytes | 0 | 5ms | 10ms | 100ms |"
    assert lines[2] == "| 12 | 512K | ring | bdr 1.36 | - | bdr 1.02 |"
    assert lines[4] == "| 20 | 512K | neighbor_exchange | - | bdr 1.01 | - |"
    latex = (whole / "table4.tex").read_text()
    assert "32 & 2M & linear\\_gather\\_bcast & - & bslb 1.13 & - & - & linear" in latex


def test_everything_is_there_in_the_papers_order(whole: Path) -> None:
    page = (whole / "index.html").read_text()
    assert "Not in this data set" not in page
    places = [page.index(f"<h2>{item.heading}: ") for item in ITEMS]
    assert places == sorted(places)
    assert len(places) == 7
    assert "agreport arrival FILES --collective allgather --algorithms proficz2021" in page
    for item in ITEMS:
        endings = (".csv", ".md", ".tex") if item.tables else (".png",)
        assert {path.suffix for path in whole.glob(f"{item.name}.*")} == {*endings}


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    output = tmp_path / "out"
    assert main(["proficz2021", sweep(tmp_path, [12, 20]), "-o", str(output)]) == 0
    page = (output / "index.html").read_text()
    assert page.count("Not in this data set") == 4
    assert "--ranks: &#x27;25:&#x27; is not in these files; legal: 12, 20" in page
    assert "--ranks: &#x27;36&#x27; is not in these files; legal: 12, 20" in page
    made = {path.stem for path in output.iterdir()}
    assert made == {"table3", "figure6", "figure10", "index"}


def test_ranks_that_a_figure_lacks_are_named(tmp_path: Path) -> None:
    """There is no vector of 512K floats of 36 nodes."""
    output = tmp_path / "out"
    assert main(["proficz2021", sweep(tmp_path, [12, 36]), "-o", str(output)]) == 0
    page = (output / "index.html").read_text()
    figure10 = page[page.index("<h2>Figure 10") :]
    assert "<p>Not in it: --total-bytes 2M: no such case of 36 ranks</p>" in figure10
    assert page.count("Not in it") == 1


def test_what_cannot_be_drawn_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise BadInput("that many bars")

    monkeypatch.setattr(arrival_table, "draw_wins", refuse)
    output = tmp_path / "out"
    assert main(["proficz2021", sweep(tmp_path, [12]), "-o", str(output)]) == 0
    page = (output / "index.html").read_text()
    assert "Not drawn: that many bars" in page
    assert not (output / "figure6.png").exists()
    assert (output / "figure10.png").exists()
