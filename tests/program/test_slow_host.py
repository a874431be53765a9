# SPDX-License-Identifier: BSD-3-Clause
"""agreport nodes of hosts of which one has a slow link."""

import json
from pathlib import Path

import pytest

from agreport.main import main

from .support.cluster import Cluster

pytestmark = pytest.mark.cluster


def test_the_host_with_the_slow_link_is_named(cluster: Cluster, tmp_path: Path) -> None:
    """Those that wait for it leave after it: in recursive doubling and Bruck's algorithm h0 does,
    in the others h3."""
    ended = cluster.shell(
        "4", "$bin/mpirun_here 4 $bin/allgather_bench --sizes 16K -i 20 -x 2 --record ranks "
        "--algorithms ring,recursive_doubling,bruck,sparbit,linear --output out.csv",
        "--rate", "50mbit", "--rate-of", "h2=10mbit", cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    document = tmp_path / "nodes.json"
    assert main(["nodes", str(tmp_path / "out.csv"), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    assert found["slow"] == ["h2"]
    assert {host["host"] for host in found["hosts"]} == {"h0", "h1", "h2", "h3"}
