# SPDX-License-Identifier: BSD-3-Clause
"""agreport nodes and steps of a launch on several hosts, of which one has a slow link.

Who is slow is the machine's affair, too: test_nodes.py and test_steps.py in
tests/reports/diagnostics/ plant a slow host and slow links in files."""

import json
from pathlib import Path

import pytest

from agreport.main import main

from ..support.cluster import Cluster

pytestmark = pytest.mark.cluster


HOSTS = 3
ITERATIONS = 3


@pytest.fixture(scope="module")
def output(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ranks spin while they wait for messages, so these are small."""
    folder = tmp_path_factory.mktemp("slow_host")
    ended = cluster.shell(
        str(HOSTS), f"$bin/mpirun_here {HOSTS} $bin/allgather_bench --sizes 2K -i {ITERATIONS} "
        "-x 0 --record ranks,steps --algorithms ring,shift --output out.csv",
        "--rate", "20mbit", "--rate-of", "h2=2mbit", cwd=folder,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    return folder / "out.csv"


def test_every_host_of_a_launch_is_ranked(output: Path, tmp_path: Path) -> None:
    document = tmp_path / "nodes.json"
    assert main(["nodes", str(output), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    hosts = {f"h{number}" for number in range(HOSTS)}
    assert {host["host"] for host in found["hosts"]} == hosts >= {*found["slow"]}
    assert {host["iterations"] for host in found["hosts"]} == {2 * ITERATIONS}
    cases = {(case["algorithm"], case["host"]) for case in found["cases"]}
    assert len(cases) == len(found["cases"]) == 2 * HOSTS


def test_links_have_the_names_of_their_hosts(output: Path, tmp_path: Path) -> None:
    document = tmp_path / "steps.json"
    assert main(["steps", str(output), "--json", str(document)]) == 0
    found = json.loads(document.read_text())
    assert found["links"]
    for link in found["links"]:
        assert link["from_host"] == f"h{link['from_rank']}"
        assert link["to_host"] == f"h{link['to_rank']}"
    assert {(step["algorithm"], step["calls"]) for step in found["steps"]} == {
        ("ring", ITERATIONS), ("shift", ITERATIONS)
    }  # fmt: skip
