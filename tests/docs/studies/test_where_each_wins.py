# SPDX-License-Identifier: BSD-3-Clause
"""The map of where each algorithm wins."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from program.conftest import build
from program.support.folders import ROOT
from program.support.launch import Build

__all__ = ["build"]
STUDY = ROOT / "docs" / "studies" / "where_each_wins.py"


@pytest.fixture(autouse=True)
def studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(STUDY.parent))


def costs(**us: float) -> pd.DataFrame:
    """Returns the prices of one case, the plainest first."""
    rows = [{"algorithm": name, "cost": cost} for name, cost in us.items()]
    return pd.DataFrame(rows).assign(network="n", ranks=16, distribution="regular", bytes=1)


def test_the_plainest_of_the_near_ones_is_picked() -> None:
    from pricing import picks

    (found,) = picks(costs(bruck=30, ring=20, sparbit=10.1, bine=10)).to_numpy().tolist()
    assert found == ["n", 16, "regular", 1, "sparbit", 10.1, 2, 1]
    (found,) = picks(costs(bruck=30, ring=20, sparbit=10.3, bine=10)).to_numpy().tolist()
    assert found[4:] == ["bine", 10, 2, 0]


def test_what_is_tried() -> None:
    """The plain ones first, then parameters, then orders, then windows where ranks share nodes;
    each once, and no library call."""
    from pricing import candidates, networks

    for network in networks(64):
        names = candidates(network, 64, equal=False)
        assert len(names) == len(set(names))
        assert names.index("bine") < names.index("bruck:k=4") < names.index("ring@paired")
        assert not {"file", "bdr", "linear_gather_bcast", "native"} & set(names)
        assert ("ring@switch" in names) == ("scattered" in network.title)
        by_window = [name for name in names if name.endswith(":via=window")]
        assert names[-len(by_window) :] == by_window if network.has_nodes else not by_window


def test_labels() -> None:
    from where_each_wins import label_of

    assert label_of("ring", 1) == "ring\nx 1.00"
    assert label_of("bruck@switch:k=4", 1.234) == "bruck\n@switch:k=4 x 1.23"
    assert label_of("circulant:segments=16", 2) == "circulant\n:16 x 2.00"
    assert label_of("ring@cyclic:via=window", 2) == "ring\n@cyclic+w x 2.00"


MEASURED = pd.DataFrame({"network": ["n", "4:1 tree, ranks in order"], "ranks": 16,
                         "map_bytes": [1, 1 << 20], "bytes": [4, 1 << 16], "near": 3, "alike": 1,
                         "pick": ["bine", "ring"], "regret": [1.25, 1.5], "least": 1.25, "most": 2,
                         "rank_correlation": 0.5, "best": "swing", "best_us": 1000, "native": 2,
                         "model": "contention:alpha=1"})  # fmt: skip


def test_a_cell_is_measured_if_its_algorithm_was_the_pick() -> None:
    from pricing import picks
    from where_each_wins import table, with_regrets

    case = costs(bine=10, bruck=30, ring=20)
    for network, algorithm, text in (
        ("n", "bine", "`bine` 2.00 **(1.25)**"),
        ("n", "swing", "`swing` 2.00"),
        ("other", "bine", "`bine` 2.00"),
    ):
        chosen = picks(case.replace({"bine": algorithm, "n": network}))
        assert list(table(with_regrets(chosen, MEASURED)))[2:] == [f"| {network} | 16 | {text} |"]


def test_prices_are_computed_once(tmp_path: Path) -> None:
    from where_each_wins import kept

    computed = [costs(ring=1)]
    for _ in range(2):
        found = kept(tmp_path / "new", "prices.csv", computed.pop)
        assert found["algorithm"].tolist() == ["ring"]


@pytest.mark.slow
def test_a_small_map(build: Build, tmp_path: Path) -> None:
    """A ring in the order of the switches is best on a tree, with large equal blocks."""
    page = tmp_path / "page.md"
    measured = tmp_path / "measured.csv"
    MEASURED.to_csv(measured, index=False)
    given = ["--build", str(build.folder), "--ranks", "16", "--bytes", "1048576",
             "--page", str(page), "--figures", str(tmp_path), "--measured", str(measured),
             "--kept", str(tmp_path / "kept")]  # fmt: skip
    subprocess.run([sys.executable, str(STUDY), *given], check=True, cwd=ROOT, timeout=300)
    assert len(list(tmp_path.glob("where-each-wins-*.png"))) == 3
    lines = page.read_text(encoding="utf-8").splitlines()
    assert "| 4:1 tree, ranks in order | 16 | `ring` 1.01 **(1.50)** |" in lines
    assert "| 4:1 tree, ranks scattered | 16 | `topology_ring` 3.96 |" in lines
    # All of what was priced is held against the fluid simulation.
    assert any(line.startswith("| one switch | 16 | 3 | 3 |") for line in lines)
    assert len(list((tmp_path / "kept").iterdir())) == 2 * 5
