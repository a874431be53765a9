# SPDX-License-Identifier: BSD-3-Clause
"""Descriptions of machines: what becomes of them, and what is refused."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from agformats.errors import BadInput
from agsweep.launchers import LAUNCHERS, kind_of
from agsweep.launchers.request import Request
from agsweep.platforms import description, topology, xml
from jobs.sweeps import PYTHONPATH
from program.support.folders import ROOT

TORUS = """
name = "torus"
host_link = { bandwidth = "80Gbps", latency = "1us" }
[cluster]
topology = "torus:4x2x3"
"""
PAPERS = sorted((ROOT / "jobs" / "platforms").glob("*.toml"))
TWO = """
name = "two"
cores = 4
host_link = { bandwidth = "1Gbps", latency = "20us" }
switch_link = { bandwidth = "10Gbps", latency = "1us" }
[[switches]]
name = "top"
hosts = "a[0-1]"
switches = ["low"]
[[switches]]
name = "low"
hosts = "b0,b[2-3]"
"""


def described(folder: Path, text: str) -> description.Description:
    file = folder / "machine.toml"
    file.write_text(text)
    return description.load(file)


def path(root: ElementTree.Element, source: str, target: str) -> list[str]:
    """The cables of the only way there is."""
    ways = {(each.get("src", ""), each.get("dst", "")): each.find("link_ctn")
            for each in root.iter("route")}  # fmt: skip

    def go(at: str, seen: frozenset[str]) -> list[str] | None:
        if at == target and seen:
            return []
        for (start, end), link in ways.items():
            if start == at and end not in seen and link is not None:
                rest = go(end, seen | {at})
                if rest is not None:
                    return [f"{link.get('id')} {link.get('direction')}", *rest]
        return None

    found = go(source, frozenset())
    assert found is not None
    return found


def test_tree_becomes_links_of_two_directions(tmp_path: Path) -> None:
    root = ElementTree.fromstring(xml.text(described(tmp_path, TWO)).partition("\n")[2])
    links = {each.get("id"): each.get("bandwidth") for each in root.iter("link")}
    assert links["a0-top"] == "1Gbps"
    assert links["low-top"] == "10Gbps"
    assert path(root, "a0", "b3") == ["a0-top UP", "low-top DOWN", "b3-low DOWN"]
    assert path(root, "b3", "a1") == ["b3-low UP", "low-top UP", "a1-top DOWN"]
    assert path(root, "a0", "a0") == ["a0-loopback None"]
    assert {each.get("core") for each in root.iter("host")} == {"4"}


def test_memory_is_a_link_that_the_ranks_of_a_host_share(tmp_path: Path) -> None:
    machine = described(tmp_path, 'memory_bandwidth = "12GBps"\n' + TWO)
    root = ElementTree.fromstring(xml.text(machine).partition("\n")[2])
    links = {each.get("id"): (each.get("bandwidth"), each.get("sharing_policy"))
             for each in root.iter("link")}  # fmt: skip
    assert links["b0-loopback"] == ("3GBps", "FATPIPE")
    assert links["b0-memory"] == ("12GBps", "SHARED")
    (route,) = (each for each in root.iter("route") if each.get("src") == each.get("dst") == "b0")
    assert [each.get("id") for each in route] == ["b0-loopback", "b0-memory"]
    alone = ElementTree.fromstring(xml.text(described(tmp_path, TWO)).partition("\n")[2])
    assert not [each for each in alone.iter("link") if each.get("id", "").endswith("-memory")]


def test_hosts_are_filled_switch_by_switch_or_in_order(tmp_path: Path) -> None:
    assert described(tmp_path, TWO).hosts == ["a0", "a1", "b0", "b2", "b3"]
    ordered = described(tmp_path, 'order = "b[2-3],a0,b0,a1"\n' + TWO)
    assert ordered.hosts == ["b2", "b3", "a0", "b0", "a1"]


@pytest.mark.parametrize(
    ("listed", "hosts"),
    [
        ("a", "a"),
        ("a,b", "a b"),
        ("h[0-2,7],x", "h0 h1 h2 h7 x"),
        ("n[00-03]", "n00 n01 n02 n03"),
        ("n[08-11,3,004]", "n08 n09 n10 n11 n3 n004"),
        ("n[8-11]", "n8 n9 n10 n11"),
        ("n[1-2].a-b,m-1", "n1.a-b n2.a-b m-1"),
    ],
)
def test_names_of_hosts_are_those_of_slurm(listed: str, hosts: str) -> None:
    """Numbers keep the zeros that they are given."""
    assert description.hosts(listed) == tuple(hosts.split())


def test_a_source_may_have_hyphens(tmp_path: Path) -> None:
    """Two of them end a comment in XML."""
    given = "source = \"a -- b --> <host id='x'/> <!-- c---d -\"\n" + TWO.replace('"two"', '"t--o"')
    made = tmp_path / "made.xml"
    made.write_text(xml.text(described(tmp_path, given)))
    assert xml.hosts(made) == ["a0", "a1", "b0", "b2", "b3"]
    assert "<!-- t- -o: a - - b - -> <host id='x'/> <!- - c- - -d - -->" in made.read_text()


def test_topology_is_slurms(tmp_path: Path) -> None:
    assert topology.text(described(tmp_path, TWO)) == (
        "SwitchName=top Nodes=a0,a1 Switches=low\nSwitchName=low Nodes=b0,b2,b3 LinkSpeed=10\n"
    )


@pytest.mark.parametrize(
    ("host", "switch", "speed"),
    [("1Gbps", "1000Mbps", None), ("1GBps", "2Gbps", "0.25"), ("12.5MBps", "1Tbps", "10000")],
)
def test_link_speed_is_a_multiple_of_a_hosts_link(
    tmp_path: Path, host: str, switch: str, speed: str | None
) -> None:
    machine = described(tmp_path, TWO.replace("10Gbps", switch).replace("1Gbps", host))
    top, low = topology.text(machine).splitlines()
    assert "LinkSpeed" not in top  # nothing is above it
    assert low.partition("LinkSpeed=")[2] == (speed or "")


@pytest.mark.slow
def test_platform_writes_the_order_of_its_hosts(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text('order = "b[2-3],a0,b0,a1"\n' + TWO)

    def platform(*options: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "agsweep.main", "platform", "two.toml", *options]
        return subprocess.run(command, cwd=tmp_path, env={"PYTHONPATH": PYTHONPATH}, text=True,
                              capture_output=True, check=False)  # fmt: skip

    ended = platform("--hosts", "order", "--topology", "tree.conf")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (tmp_path / "order").read_text() == "b2\nb3\na0\nb0\na1\n"
    ended = platform("--hosts", "new", "--topology", "new")
    assert ended.returncode == 2
    assert "--hosts: 'new' is that of --topology; legal: another file" in ended.stderr
    assert not (tmp_path / "new").exists()


def test_torus_is_that_of_the_models(tmp_path: Path) -> None:
    """Row-major: SimGrid numbers hosts along its first side first."""
    machine = described(tmp_path, TORUS)
    (cluster,) = ElementTree.fromstring(xml.text(machine).partition("\n")[2]).iter("cluster")
    assert cluster.get("topology") == "TORUS"
    assert cluster.get("topo_parameters") == "3,2,4"
    assert (cluster.get("prefix"), cluster.get("radical")) == ("n", "0-23")
    assert machine.hosts == [f"n{number}" for number in range(24)]
    with pytest.raises(BadInput) as error:
        topology.text(machine)
    assert "allgather_schedule --topology torus:4x2x3 without a file" in str(error.value)


@pytest.mark.parametrize("file", PAPERS, ids=lambda file: str(file.stem))
def test_papers_machines(file: Path, tmp_path: Path) -> None:
    machine = description.load(file)
    made = tmp_path / "made.xml"
    made.write_text(xml.text(machine))
    assert sorted(xml.hosts(made)) == sorted(machine.hosts)
    counts = {"yahoo": 16, "cervino": 5, "tryton": 48, "faraj5": 32, "faraj6": 32}
    counts |= {"faraj-stage-b": 32, "faraj-stage-c": 32, "curie": 128, "curie-fat-tree": 128}
    assert len(machine.hosts) == counts.get(file.stem.removesuffix("-memory"), 16)
    assert machine.top.source


@pytest.mark.parametrize("name", ["faraj2", "faraj3", "faraj4", "faraj6", "faraj-stage-c"])
def test_neighbours_are_on_different_switches(name: str) -> None:
    """Faraj 2006, figures 3.23 and 3.24 (b): there the ring by rank crosses switches."""
    machine = description.load(ROOT / "jobs" / "platforms" / f"{name}.toml")
    on = {host: switch.name for switch in machine.switches for host in switch.hosts}
    neighbours = zip(machine.hosts, machine.hosts[1:] + machine.hosts[:1], strict=True)
    assert all(on[one] != on[other] for one, other in neighbours)


@pytest.mark.parametrize("name", ["faraj-stage-b", "faraj-stage-c"])
def test_switches_of_stage_are_a_star(name: str) -> None:
    """A chain could not be as fast as STAR's all-to-all on its topology (b)."""
    machine = description.load(ROOT / "jobs" / "platforms" / f"{name}.toml")
    assert [len(switch.hosts) for switch in machine.switches] == [8] * 4
    assert [list(switch.switches) for switch in machine.switches] == [
        ["s1", "s2", "s3"],
        [],
        [],
        [],
    ]


def test_hosts_of_a_cluster_in_xml(tmp_path: Path) -> None:
    file = tmp_path / "given.xml"
    inside = '<host id="x"/><cluster prefix="n" suffix=".c" radical="0-1,7"/>'
    file.write_text(f'<platform version="4.1"><zone>{inside}</zone></platform>')
    assert xml.hosts(file) == ["x", "n0.c", "n1.c", "n7.c"]


@pytest.mark.parametrize("radical", ["0-999999", f"0-{'9' * 5000}"])
def test_a_cluster_of_more_hosts_than_there_are(radical: str, tmp_path: Path) -> None:
    file = tmp_path / "given.xml"
    file.write_text(f'<platform version="4.1"><cluster prefix="n" radical="{radical}"/></platform>')
    with pytest.raises(BadInput, match=r"given\.xml: radical: "):
        xml.hosts(file)


@pytest.mark.parametrize("radical", ["0-1;7", "0-", "0,,1", "x", "0-1-2"])
def test_a_cluster_whose_hosts_are_no_list(radical: str, tmp_path: Path) -> None:
    file = tmp_path / "given.xml"
    file.write_text(f'<platform version="4.1"><cluster prefix="n" radical="{radical}"/></platform>')
    with pytest.raises(BadInput, match=f"radical: '{radical}' is no list; legal: numbers such as"):
        xml.hosts(file)


LINK = 'host_link = { bandwidth = "1Gbps", latency = "20us" }\n'
ONE = 'name = "x"\n' + LINK + '[[switches]]\nname = "s"\nhosts = "h[0-3]"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = ", "not TOML: "),
        (ONE.replace("1Gbps", "1G"), "host_link.bandwidth: '1G' is not legal; legal: a bandwidth"),
        (ONE.replace("20us", "20"), "host_link.latency: '20' is not legal; legal: a time such as"),
        (ONE.replace("h[0-3]", "h[0-"), "switches[0].hosts: 'h[0-' is not legal; legal: host"),
        (ONE.replace("h[0-3]", "h[0-99999999]"), "legal: host names such as h[0-3,7] or a,b; at"),
        (ONE.replace("h[0-3]", f"h[0-{'9' * 5000}]"), "with numbers of up to 9 digits"),
        (ONE.replace("h[0-3]", "h0,h0"), "switches[0].hosts: 'h0,h0' is not legal; legal: host"),
        *((ONE.replace("h[0-3]", each), f"switches[0].hosts: '{each}' is not legal; legal: host")
          for each in ("a[3-1],b", "h[0-2,]", "h[,0]", "h[]", "a,b],c", "a[b", "a,,b", "a,", ",a",
                       "h[0-1-2]", "h[0][1]", "a b")),
        (ONE.replace("h[0-3]", "a[3-1],b"), "or a,b, with the smaller number first"),
        (ONE + 'switches = ["t"]\n', "switches[0].switches: 't' is not legal; legal: s"),
        (ONE + '[[switches]]\nname = "t"\nhosts = "i"\n', "switches: 2 of them are below no other"),
        (ONE + '[[switches]]\nname = "s"\nhosts = "i"\n', "name: 's' is not legal; it stands"),
        (ONE + 'switches = ["s"]\n', "switches: 0 of them are below no other (none); legal:"),
        (ONE + 'ports = 4\n', "switches[0]: 'ports' is no key; legal: name, hosts, switches"),
        (ONE.replace('hosts = "h[0-3]"', ""), "s has neither hosts nor switches; legal: one of"),
        ('order = "h[0-2]"\n' + ONE, "order: '3 hosts' is not legal; legal: each of the 4 hosts"),
        ('memory_bandwidth = "12GB"\n' + ONE, "memory_bandwidth: '12GB' is not legal; legal: a b"),
        ('memory_bandwidth = "12GBps"' + TORUS,
         "memory_bandwidth: '12GBps' is not legal; legal: only with [[switches]]"),
        (TORUS + '[switch_link]\nbandwidth = "1Gbps"\nlatency = "1us"\n',
         "'latency': '1us'} is not legal; legal: only with [[switches]]"),
        ('cores = 0\n' + ONE, "cores: 0 is not legal; legal: a whole number from 1"),
        ('name = "x"\n' + LINK, "legal: either [[switches]] or [cluster]"),
        (ONE.replace(LINK, ""), "the table [host_link] is missing: from a host to its switch"),
        ('name = "x"\n' + LINK + '[cluster]\ntopology = "tree"\nparameters = "1"\nhosts = 4\n',
         "cluster.topology: 'tree' is not legal; legal: fat_tree, dragonfly, torus"),
        (TORUS + 'hosts = 16\n', "cluster: hosts is not for 'torus:4x2x3', which says it itself"),
        (TORUS + 'parameters = "4"\n', "cluster: parameters is not for 'torus:4x2x3', which"),
        (TORUS.replace("torus:4x2x3", "torus"), "cluster: the key parameters is missing"),
        (TORUS.replace(":4x2x3", ":4"), "'torus:4' is not legal; legal: a torus of two sides"),
        (TORUS.replace(":4x2x3", ":1x4"), "'torus:1x4' is not legal; legal: a torus of two sides"),
        (TORUS.replace(":4x2x3", ":4x"), "'torus:4x' is not legal; legal: a torus of two sides"),
        (TORUS.replace(":4x2x3", ":999x999"), "legal: a torus of at most 65536 hosts"),
        (TORUS.replace(":4x2x3", f":4x{'9' * 5000}"), "legal: a torus of two sides or more"),
    ],
)  # fmt: skip
def test_refused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        described(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path}/machine.toml: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def request_for(
    folder: Path, platform: str, nodes: int = 2, mapping: str = "sequential"
) -> Request:
    return Request(name="x", mpirun="smpirun", nodes=nodes, ranks=4, ranks_per_node=2,
                   mapping=mapping, binding="default", processors=0, root=False, folder=folder,
                   platform=platform)  # fmt: skip


@pytest.mark.parametrize(
    ("mapping", "hosts"), [("sequential", "a0 a0 a1 a1"), ("cyclic", "a0 a1 a0 a1")]
)
def test_mapping_is_the_hostfile(mapping: str, hosts: str, tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    request = request_for(tmp_path, str(tmp_path / "two.toml"), mapping=mapping)
    words = LAUNCHERS["smpirun"].command(request)
    assert words[0] == "smpirun"
    assert words[words.index("-np") + 1] == "4"
    assert Path(words[words.index("-hostfile") + 1]).read_text().split() == hosts.split()


def test_full_nodes_are_filled_again(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    request = replace(
        request_for(tmp_path, str(tmp_path / "two.toml")),
        ranks=5,
        overcommitted=True,
        simulation={"network/crosstraffic": "0"},
    )
    words = LAUNCHERS["smpirun"].command(request)
    hosts = Path(words[words.index("-hostfile") + 1]).read_text().split()
    assert hosts == ["a0", "a0", "a1", "a1", "a0"]
    assert "--cfg=network/crosstraffic:0" in words


@pytest.mark.parametrize(
    ("platform", "nodes", "said"),
    [
        ("", 2, "platform: is not given; legal: a platform file"),
        ("x.txt", 2, "platform: 'x.txt' is no platform; legal: FILE.xml, FILE.toml"),
        ("absent.xml", 2, "platform: there is no file 'absent.xml'; legal: FILE.xml"),
        ("two.toml", 6, "points.nodes: 6 is more than the platform 'two.toml' has; legal: up to 5"),
        ("bad.xml", 2, "bad.xml: is <zone>; legal: SimGrid's <platform>"),
        ("empty.xml", 2, "empty.xml: has no <host> and no <cluster>; legal: one at least"),
    ],
)
def test_refused_launch(
    platform: str, nodes: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    (tmp_path / "bad.xml").write_text("<zone/>")
    (tmp_path / "empty.xml").write_text("<platform/>")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as error:
        LAUNCHERS["smpirun"].command(request_for(tmp_path, platform, nodes))
    assert said in str(error.value)


def test_recognised() -> None:
    assert kind_of("SimGrid version 3.32\n") == "smpirun"


def test_platform_command_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO)
    kept = tmp_path / "kept.conf"
    kept.write_text("mine")
    done = subprocess.run(
        [sys.executable, "-m", "agsweep.main", "platform", "two.toml", "-o", "two.xml",
         "--topology", "kept.conf"],
        cwd=tmp_path, env={"PYTHONPATH": PYTHONPATH}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == ("agsweep platform: error: argument --topology: 'kept.conf' exists and "
                           "is not overwritten; legal: a new file\n")  # fmt: skip
    assert kept.read_text() == "mine"
    assert not (tmp_path / "two.xml").exists()
