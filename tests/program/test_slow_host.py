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
    in the ring and Sparbit h3. The link takes many times what a busy machine's scheduler does."""
    ended = cluster.shell(
        "4", "$bin/mpirun_here 4 $bin/allgather_bench --sizes 16K -i 10 -x 1 --record ranks "
        "--algorithms ring,recursive_doubling,bruck,sparbit,neighbor_exchange --output out.csv",
        "--rate", "20mbit", "--rate-of", "h2=2mbit", cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    document = tmp_path / "nodes.json"
    assert main(["nodes", str(tmp_path / "out.csv"), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    assert found["slow"] == ["h2"]
    assert {host["host"] for host in found["hosts"]} == {"h0", "h1", "h2", "h3"}
