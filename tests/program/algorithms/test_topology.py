# SPDX-License-Identifier: BSD-3-Clause
"""--topology: what is wrong with a file is told in one line; with a good one, the rings run."""

import socket
from pathlib import Path

import pytest

from ..support.algorithms import TOPOLOGY_RINGS
from ..support.launch import Build, Ended
from ..support.refusals import GATHER, GATHERV, listing, refused
from ..support.results import Results, read_results, read_tables
from ..support.switch_trees import CHAIN, CLUSTER, Tree

pytestmark = pytest.mark.slow

FILE = "tree.conf"
HERE = socket.gethostname().partition(".")[0]
RINGS = ",".join(TOPOLOGY_RINGS)
QUICK = ("--sizes", "1,100", "-i", "2", "-x", "0", "-c", "--output", "out.csv")

# A row has what is wrong, the lines of the file, and what the message has to hold. There are 2
# ranks on 2 hosts. tests/algorithms/topology has what else a line can have wrong.
WRONG: list[tuple[str, list[str], list[str]]] = [
    ("a cycle", ["SwitchName=s0 Nodes=a Switches=s1", "SwitchName=s1 Nodes=b Switches=s0"],
     [":1: ", "cycle", "'s0'", "'s1'"]),
    ("a list without names", ["SwitchName=s0 Nodes="], [": no switch has a host", "Nodes=HOSTS"]),
    ("two trees", ["SwitchName=s0 Nodes=a", "SwitchName=s1 Nodes=b"],
     ["--topology", "1 hosts", "2 ranks", "no switch joins all of"]),
    ("all hosts, pretended", ["SwitchName=s0 Nodes=ALL"], [":1: ", "'s0'", "all hosts", "n[0-15]"]),
    ("a file that includes none", ["SwitchName=s0 Nodes=a,b", "Include racks.conf"],
     [":2: ", "Include", "racks.conf", "legal: that file"]),
    ("a file that includes itself", ["SwitchName=s0 Nodes=a,b", f"Include {FILE}"],
     [":2: ", "Include", "includes too much"]),
    ("YAML with another key", ["- topology: t", "  trees: {}"], [":2: ", "'trees'", "mean 'tree'"]),
    ("comments alone", ["# SwitchName=s0 Nodes=a,b"], [": the file has no switch", "SwitchName="]),
    ("too few hosts", ["SwitchName=s0 Nodes=a"], ["--topology", "1 hosts", "2 ranks"]),
]  # fmt: skip
# The file itself has these faults.
UNREADABLE = ["missing", "empty", "a folder"]

SCHEDULE = {
    "prove": ("prove", "--ranks", "1:2"),
    "show": ("show", "--algorithm", "ring", "--ranks", "2"),
    "cost": ("cost", "--algorithms", "ring", "--ranks", "1:2", "--model", "links"),
}


def make(folder: Path, name: str) -> None:
    if name == "a folder":
        (folder / FILE).mkdir()
    elif name != "missing":
        lines = next((lines for other, lines, _ in WRONG if other == name), [])
        (folder / FILE).write_text("".join(f"{line}\n" for line in lines))


def parts_of(name: str) -> list[str]:
    if name in UNREADABLE:
        return ["--topology", f"'{FILE}'", "cannot be read"]
    return next(parts for other, _, parts in WRONG if other == name)


NAMES = [*(name for name, _, _ in WRONG), *UNREADABLE]


def check_message(message: str, name: str) -> None:
    first, *parts = parts_of(name)
    assert message.startswith(f"{FILE}{first}" if first.startswith(":") else f"{first}: ")
    for part in parts:
        assert part in message


@pytest.mark.parametrize("name", ["a cycle", "two trees", "all hosts, pretended", "missing"])
def test_the_benchmark_refuses(build: Build, tmp_path: Path, name: str) -> None:
    """Its ranks have the text from rank 0, and the parser that the other program has."""
    make(tmp_path, name)
    before = listing(tmp_path)
    ended = build.run(GATHER, *QUICK, "--algorithms", "ring", "--ranks-per-node", "1",
                      "--topology", FILE, cwd=tmp_path)  # fmt: skip
    check_message(refused(ended), name)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("name", NAMES)
def test_the_schedules_refuse(build: Build, tmp_path: Path, name: str) -> None:
    make(tmp_path, name)
    for arguments in SCHEDULE.values():
        message = refused(build.schedule(*arguments, "--topology", FILE, cwd=tmp_path))
        check_message(message, name)


@pytest.mark.parametrize("command", SCHEDULE)
def test_no_file_name(build: Build, command: str) -> None:
    message = refused(build.schedule(*SCHEDULE[command], "--topology", ""))
    assert "--topology" in message and "''" in message


def test_a_host_of_the_launch_that_the_file_lacks(build: Build, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(CHAIN.text())
    before = listing(tmp_path)
    ended = build.run(GATHERV, *QUICK, "--algorithms", RINGS, "--topology", FILE, cwd=tmp_path)
    message = refused(ended)
    for part in ("--topology", FILE, f"'{HERE}", "no host", "legal: a0, a1, a2, b0"):
        assert part in message
    assert listing(tmp_path) == before


def run(
    build: Build, folder: Path, *arguments: str, tree: Tree = CHAIN, ranks: int, bench: str = GATHER
) -> tuple[Ended, Results]:
    (folder / FILE).write_text(tree.text())
    ended = build.run(bench, *QUICK, "--topology", FILE, *arguments, ranks=ranks, cwd=folder)
    assert ended.exit_code == 0, ended.stderr
    return ended, read_results(folder / "out.csv")


def check_all_ok(results: Results, cases: int) -> None:
    assert len(results.cases) == cases
    assert {row["status"] for row in results.rows} == {"ok"}
    assert set(results.counts().values()) == {2}
    assert len(results.counts()) == cases * len(TOPOLOGY_RINGS)


@pytest.mark.parametrize("ranks", [1, 2, 3, 5, 8])
def test_pretended_hosts(build: Build, tmp_path: Path, ranks: int) -> None:
    arguments = ("--ranks-per-node", "1", "--algorithms", RINGS)
    _, results = run(build, tmp_path, *arguments, ranks=ranks)
    check_all_ok(results, 2)
    assert results.metadata["topology"] == FILE
    assert results.metadata["pretended_ranks_per_node"] == "1"


def test_several_ranks_on_a_host(build: Build, tmp_path: Path) -> None:
    """However they are numbered; a spike's blocks are of two sizes."""
    arguments = ("--ranks-per-node", "2", "--algorithms", RINGS, "--mapping", "sequential,cyclic",
                 "--distributions", "spike,half_full")  # fmt: skip
    _, results = run(build, tmp_path, *arguments, ranks=7, bench=GATHERV)
    check_all_ok(results, 2 * 2 * 2)
    assert {row["mapping"] for row in results.rows} == {"sequential", "cyclic"}


def test_the_host_that_this_is(build: Build, tmp_path: Path) -> None:
    tree = Tree([("top", "", ["other0"]), ("below", "top", ["other1", HERE, "other2"])])
    _, results = run(build, tmp_path, "--algorithms", RINGS, tree=tree, ranks=3)
    check_all_ok(results, 2)
    assert results.metadata["pretended_ranks_per_node"] == "none"


def test_no_two_hop_ring(build: Build, tmp_path: Path) -> None:
    arguments = ("--ranks-per-node", "1", "--algorithms", RINGS, "--table", "osu")
    ended, results = run(build, tmp_path, *arguments, tree=CLUSTER, ranks=3)
    rows = results.of("topology_ring_two_hop")
    assert {row["status"] for row in rows} == {"skipped"}
    (reason,) = {row["reason"] for row in rows}
    assert "switch spine has 0 participating hosts and 2 neighbour switches" in reason
    (table,) = [t for t in read_tables(ended.stdout) if t.algorithm == "topology_ring_two_hop"]
    assert table.rows == [] and any("switch spine" in note for note in table.notes)
    for name in ("topology_ring", "topology_ring_optimal"):
        assert {row["status"] for row in results.of(name)} == {"ok"}


def test_switches_that_take_no_part(build: Build, tmp_path: Path) -> None:
    """Two hosts of one leaf have a two-hop ring, whatever is above them."""
    arguments = ("--ranks-per-node", "1", "--algorithms", RINGS)
    _, results = run(build, tmp_path, *arguments, tree=CLUSTER, ranks=2)
    check_all_ok(results, 2)


def test_no_file(build: Build, tmp_path: Path) -> None:
    ended = build.run(GATHER, *QUICK, "--algorithms", f"{RINGS},ring", cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    results = read_results(tmp_path / "out.csv")
    for name in TOPOLOGY_RINGS:
        told = {(row["status"], row["reason"]) for row in results.of(name)}
        assert told == {("skipped", "needs a switch tree: --topology FILE")}
    assert {row["status"] for row in results.of("ring")} == {"ok"}


def test_resume_after_the_file_changed(build: Build, tmp_path: Path) -> None:
    """The name is the same, but not what it says: those cases do not belong together."""
    arguments = ("--ranks-per-node", "1", "--algorithms", RINGS)
    _, results = run(build, tmp_path, *arguments, ranks=2)
    assert results.metadata["topology_tree"] == (
        "top: a0 a1 a2, middle below top: b0 b1 b2, end below middle: c0 c1"
    )
    command = (GATHER, *QUICK, "--topology", FILE, *arguments, "--resume")
    (tmp_path / FILE).write_text("# the same\n" + CHAIN.text())
    ended = build.run(*command, cwd=tmp_path)
    assert ended.exit_code == 0 and "nothing is left to run" in ended.stdout, ended.stderr
    before = {path: text for path, text in listing(tmp_path).items() if not path.endswith(FILE)}
    for other, part in (
        (CLUSTER.text(), "leaf0"),
        (CHAIN.text().replace("=end ", "=end LinkSpeed=0.5 "), "end below middle at speed 0.5: c0"),
    ):
        (tmp_path / FILE).write_text(other)
        message = refused(build.run(*command, cwd=tmp_path))
        assert "--resume" in message and "topology_tree" in message and part in message
    assert before.items() <= listing(tmp_path).items()


ISLANDS = "SwitchName=s0 Nodes={here},other\nSwitchName=s1 Nodes=far[1-3]\n"


def test_of_several_trees_the_one_with_the_hosts(build: Build, tmp_path: Path) -> None:
    """The decision is told once, and what the other tree is does not matter."""
    (tmp_path / FILE).write_text(ISLANDS.format(here=HERE))
    command = (GATHER, *QUICK, "--algorithms", "topology_ring", "--topology", FILE)
    ended = build.run(*command, ranks=2, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    assert (ended.stdout + ended.stderr).count("only the 2 hosts below 's0' (line 1) count") == 1
    results = read_results(tmp_path / "out.csv")
    assert {row["status"] for row in results.rows} == {"ok"}
    assert results.metadata["topology_tree"] == f"s0: {HERE} other"


def test_files_in_a_file(build: Build, tmp_path: Path) -> None:
    """Names are relative to the file that includes them; errors name the included file."""
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc" / FILE).write_text("# racks\nInclude racks/all.conf # them\nSwitchName=t "
                                         "Switches=s[0-1]\nOops=1\n")  # fmt: skip
    (tmp_path / "etc" / "racks").mkdir()
    racks = tmp_path / "etc" / "racks" / "all.conf"
    racks.write_text("SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=b\n")
    command = ("cost", "--algorithms", "ring", "--ranks", "2", "--model", "links", "--topology")
    assert refused(build.schedule(*command, f"etc/{FILE}", cwd=tmp_path)).startswith(
        f"etc/{FILE}:4: 'Oops' is no key"
    )
    with racks.open("a") as file:
        file.write("Nope=1\n")
    assert refused(build.schedule(*command, f"etc/{FILE}", cwd=tmp_path)).startswith(
        "etc/racks/all.conf:3: 'Nope' is no key"
    )


HOST_FILES = {
    "Nodes=ALL": "SwitchName=s0 Nodes=ALL\n",
    "flat": "- topology: s0\n  flat: true\n",
    "blocks": "BlockName=s0 Nodes={here}\nBlockSizes=1\n",
    "scontrol": "SwitchName=s0 Level=0 LinkSpeed=1 Nodes={here}\n",
    "a domain": "SwitchName=s0 Nodes={here}.cluster.local\n",
    "upper case": "SwitchName=s0 Nodes={upper}\n",
    "YAML": "- topology: x\n  tree:\n    switches:\n    - switch: s0\n      nodes: {here}\n",
}


@pytest.mark.parametrize("name", HOST_FILES)
def test_a_site_s_file(build: Build, tmp_path: Path, name: str) -> None:
    (tmp_path / FILE).write_text(HOST_FILES[name].format(here=HERE, upper=HERE.upper()))
    command = (GATHER, *QUICK, "--algorithms", RINGS, "--topology", FILE)
    ended = build.run(*command, ranks=2, cwd=tmp_path)
    assert ended.exit_code == 0, ended.stderr
    tree = read_results(tmp_path / "out.csv").metadata["topology_tree"]
    assert tree.lower().startswith(f"s0: {HERE.lower()}")


def test_the_schedules_tell_what_was_decided(build: Build, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(ISLANDS.format(here="a"))
    ended = build.schedule(
        *SCHEDULE["show"], "--topology", FILE, "--hosts", "a,other", cwd=tmp_path
    )
    assert ended.exit_code == 0
    assert [line.partition(" all of ")[0] for line in ended.messages] == ["note: no switch joins"]
    message = refused(build.schedule(*SCHEDULE["show"], "--topology", FILE, "--hosts", "a,far2",
                                     cwd=tmp_path))  # fmt: skip
    for part in (":2: ", "no switch joins 's0'", "'a'", "'far2'", "Switches=s0,s1"):
        assert part in message
