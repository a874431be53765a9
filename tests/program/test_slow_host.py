# SPDX-License-Identifier: BSD-3-Clause
"""agreport nodes and steps of a launch on several hosts, of which one has a slow link."""

import json
from pathlib import Path

import pytest

from agreport.main import main

from .support.cluster import Cluster

pytestmark = pytest.mark.cluster


def test_every_host_of_a_launch_is_ranked(cluster: Cluster, tmp_path: Path) -> None:
    """Who is slow is the machine's affair, too: tests/reports/test_nodes.py plants one in files."""
    ended = cluster.shell(
        "4", "$bin/mpirun_here 4 $bin/allgather_bench --sizes 16K -i 10 -x 1 --record ranks "
        "--algorithms ring,recursive_doubling,bruck,sparbit,neighbor_exchange --output out.csv",
        "--rate", "20mbit", "--rate-of", "h2=2mbit", cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    document = tmp_path / "nodes.json"
    assert main(["nodes", str(tmp_path / "out.csv"), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    hosts = {"h0", "h1", "h2", "h3"}
    assert {host["host"] for host in found["hosts"]} == hosts >= {*found["slow"]}
    assert {host["iterations"] for host in found["hosts"]} == {5 * 10}
    cases = {(case["algorithm"], case["host"]) for case in found["cases"]}
    assert len(cases) == len(found["cases"]) == 5 * 4


def test_links_have_the_names_of_their_hosts(cluster: Cluster, tmp_path: Path) -> None:
    """Likewise: tests/reports/test_steps.py plants slow links in files."""
    ended = cluster.shell(
        "3", "$bin/mpirun_here 3 $bin/allgather_bench --sizes 16K -i 3 -x 1 --record steps "
        "--algorithms ring,shift --output out.csv",
        "--rate", "20mbit", "--rate-of", "h2=2mbit", cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    document = tmp_path / "steps.json"
    assert main(["steps", str(tmp_path / "out.csv"), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    for link in found["links"]:
        assert link["from_host"] == f"h{link['from_rank']}"
        assert link["to_host"] == f"h{link['to_rank']}"
    assert {(step["algorithm"], step["calls"]) for step in found["steps"]} == {
        ("ring", 3), ("shift", 3)
    }  # fmt: skip
