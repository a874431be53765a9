# SPDX-License-Identifier: BSD-3-Clause
"""The benchmarks built with SimGrid, run for real: smpirun, on platforms from descriptions.

GATHERBENCH_SIMGRID_BUILD names the build (build-simgrid); tools/test_mpis.sh makes one.
"""

import os
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from agsweep.platforms import description, topology
from jobs.simulation.test_platforms import TWO
from jobs.sweeps import Sweep, bench, build_table, written
from program.support.folders import ROOT
from program.support.launch import Build
from program.support.results import Row, read_results

pytestmark = [pytest.mark.simgrid, pytest.mark.rest]

OPTIONS = "iterations = 1\nwarmup = 0\n"
ONE_SWITCH = """
name = "one"
host_link = { bandwidth = "1Gbps", latency = "20us" }
[[switches]]
name = "s"
hosts = "h[0-7]"
"""
# Of SMPI's model, for messages of 64 KiB and more: what they get of a link's bandwidth and how
# often its latency counts; and the share of the other direction's acknowledgements.
BANDWIDTH_FACTOR, LATENCY_FACTOR, CROSS_TRAFFIC = 0.940694, 11.6436, 1.05


@pytest.fixture(scope="session")
def simgrid() -> Build:
    folder = ROOT / os.environ.get("GATHERBENCH_SIMGRID_BUILD", "build-simgrid")
    if not (folder / "bin" / "mpirun_here").exists():
        pytest.skip(f"no {folder.name}: make build MPI=simgrid BUILD={folder.name}")
    return Build(folder)


def sweep(folder: Path, build: Build, platform: str, points: str, *benches: str) -> Sweep:
    (folder / "platform.toml").write_text(platform)
    return written(folder, build_table("simgrid", build.folder), f"[[points]]\n{points}\n",
                   *benches, f'[simulation]\nplatform = "{folder}/platform.toml"\n')  # fmt: skip


def rows(done: Sweep, name: str) -> list[Row]:
    return read_results(done.file_of(f"{name}_simgrid_0.csv.gz")).rows


def test_every_algorithm_moves_every_byte_in_both_mappings(simgrid: Build, tmp_path: Path) -> None:
    here = sweep(
        tmp_path, simgrid, TWO,
        'nodes = 3\nranks_per_node = 4\nranks = 11\nmappings = ["sequential", "cyclic"]',
        bench('algorithms = "regular"\nsizes = ["3", "1K", "70000"]\nvalidation = true\n'
              + OPTIONS),
        bench('algorithms = "regular"\nsizes = "1K"\ndistributions = "all"\n' + OPTIONS,
              "allgatherv_bench"),
        *(bench('algorithms = "all,library-calls"\nsizes = ["3", "70000"]\nvalidation = true\n'
                + OPTIONS, f"{name}_bench") for name in ("alltoall", "bcast")),
    )  # fmt: skip
    here.ok("simulate")
    for mapping in ("sequential", "cyclic"):
        for program in ("allgather", "allgatherv"):
            found = rows(here, f"n3_p11_{mapping}_{program}")
            assert {row["mapping"] for row in found} == {mapping}
            assert {row["nodes"] for row in found} == {"3"}
            ok = {row["algorithm"] for row in found if row["status"] == "ok"}
            assert {"ring", "bruck", "sparbit", "leader", "lane", "linear", "native"} <= ok
            assert all(row["status"] in ("ok", "skipped") for row in found)
        for program, some in (("alltoall", {"shift", "bruck"}), ("bcast", {"flat", "binary"})):
            found = rows(here, f"n3_p11_{mapping}_{program}")
            ok = {row["algorithm"] for row in found if row["status"] == "ok"}
            assert {"native", "native_nonblocking", *some} <= ok
            assert all(row["status"] in ("ok", "skipped") for row in found)
            (reason,) = {row["reason"] for row in found if row["algorithm"] == "native_persistent"}
            assert reason == "needs the persistent collectives of MPI 4, which this library has not"


def test_ranks_of_a_host_share_its_memory(simgrid: Build, tmp_path: Path) -> None:
    """Two ranks have the rate of a message each, as long as the memory has twice that; eight
    share the memory. SMPI's messages get 94 % of both, less acknowledgements where they share."""
    here = sweep(
        tmp_path, simgrid, 'cores = 8\nmemory_bandwidth = "12GBps"' + ONE_SWITCH,
        "nodes = 1\nranks = 8\nranks_per_node = 8",
        bench('algorithms = "ring"\nsizes = "1"\nmeasure-model = true\n' + OPTIONS),
    )  # fmt: skip
    here.ok("simulate")
    file = here.file_of("n1_p8_sequential_allgather_simgrid_0.csv.gz")
    metadata = read_results(file).metadata
    assert metadata["host_window"].startswith("none: it needs ranks that run beside each other")
    found = dict(each.split("=") for each in metadata["host_memory"].split(","))
    assert float(found["copy_bandwidth"]) == pytest.approx(3e9 * BANDWIDTH_FACTOR, 0.02)
    shared = 12e9 * BANDWIDTH_FACTOR / CROSS_TRAFFIC
    assert float(found["memory_bandwidth"]) == pytest.approx(shared, 0.02)


def test_times_repeat_to_the_last_digit(simgrid: Build, tmp_path: Path) -> None:
    options = 'algorithms = "loch2021"\nsizes = ["1", "4K", "256K"]\narrival = "uniform:max=2ms"\n'
    found = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        here = sweep(tmp_path / name, simgrid, TWO, "nodes = 5\nranks_per_node = 2",
                     bench(options + 'iterations = 3\nwarmup = 1\n'))  # fmt: skip
        here.ok("simulate")
        found.append(rows(here, "n5_p10_sequential_allgather"))
    assert found[0] == found[1]
    assert {row["clock_error_us"] for row in found[0] if row["status"] == "ok"} == {"0.000"}
    # The delays are simulated time too, and so achieved exactly.
    delayed = [row for row in found[0] if row["arrival"] != "none" and row["status"] == "ok"]
    assert delayed
    assert all(float(row["delay_error_us"]) < 0.01 for row in delayed)
    assert any(float(row["asked_imbalance_us"]) > 100 for row in delayed)


@pytest.mark.parametrize("ranks", [2, 5, 8])
def test_ring_takes_what_the_model_says(ranks: int, simgrid: Build, tmp_path: Path) -> None:
    here = sweep(tmp_path, simgrid, ONE_SWITCH, f"nodes = {ranks}\nranks = {ranks}",
                 bench('algorithms = "ring"\nsizes = ["512K", "2M"]\n' + OPTIONS))  # fmt: skip
    here.ok("simulate")
    for row in rows(here, f"n{ranks}_p{ranks}_sequential_allgather"):
        latency_us = 2 * 20 * LATENCY_FACTOR
        transfer_us = int(row["bytes"]) / 125 * CROSS_TRAFFIC / BANDWIDTH_FACTOR
        assert float(row["min_us"]) == pytest.approx((ranks - 1) * (latency_us + transfer_us), 0.01)


def test_message_time_has_one_latency(simgrid: Build, tmp_path: Path) -> None:
    """What `t` stands for is an exchange of two ranks, and so is a ring of two: measured from when
    a rank is told to begin, it would have the latency of that word, too."""
    here = sweep(
        tmp_path, simgrid, ONE_SWITCH, "nodes = 2\nranks = 2",
        bench('algorithms = "ring"\nsizes = ["1", "64K"]\narrival = "delayed:rank=0,delay=1t"\n'
              + OPTIONS),
    )  # fmt: skip
    here.ok("simulate")
    found = {(row["bytes"], row["arrival"]): row
             for row in rows(here, "n2_p2_sequential_allgather")}  # fmt: skip
    for size in ("1", "65536"):
        message_us = float(found[size, "delayed:rank=0,delay=1t"]["message_us"])
        assert message_us == pytest.approx(float(found[size, "none"]["min_us"]), rel=0.05)


def test_ring_over_switches_is_as_fast_wherever_hosts_are(simgrid: Build, tmp_path: Path) -> None:
    """Faraj 2006, figure 3.24: with machines dealt out to four switches the ring by rank crosses
    each link eight times at once."""
    platforms = ROOT / "jobs" / "platforms"
    here = sweep(
        tmp_path, simgrid, (platforms / "faraj6.toml").read_text(), "nodes = 32\nranks = 32",
        bench('algorithms = ["ring", "topology_ring"]\nsizes = "128K"\ncheck-up-to = "1K"\n'
              f'topology = "{tmp_path}/faraj6.conf"\n' + OPTIONS),
    )  # fmt: skip
    (tmp_path / "faraj6.conf").write_text(
        topology.text(description.load(platforms / "faraj6.toml"))
    )
    here.ok("simulate")
    us = {row["algorithm"]: float(row["avg_us"])
          for row in rows(here, "n32_p32_sequential_allgather")}  # fmt: skip
    assert 7 < us["ring"] / us["topology_ring"] < 13


def times_on(
    simgrid: Build, folder: Path, platform: str, program: str, options: str
) -> dict[str, float]:
    """Returns the times of the slowest rank, of 32 ranks on a platform of ours."""
    platforms = ROOT / "jobs" / "platforms"
    (folder / "tree.conf").write_text(topology.text(description.load(platforms / platform)))
    here = sweep(
        folder, simgrid, (platforms / platform).read_text(), "nodes = 32\nranks = 32",
        bench(f'check-up-to = "1"\ntopology = "{folder}/tree.conf"\n{options}{OPTIONS}', program),
        '[simulation.options]\n"network/crosstraffic" = "0"\n',
    )  # fmt: skip
    here.ok("simulate")
    (file,) = (here.results / "launches").glob("*.csv.gz")
    return {row["algorithm"]: float(row["max_us"]) for row in read_results(file).rows}


def test_phases_of_an_alltoall_pay_with_tokens(simgrid: Build, tmp_path: Path) -> None:
    """Faraj 2006, 3.2.4, of large blocks: tokens of senders, then barriers after every 16, 8 and 4
    phases, then after each. And table 3.8: the ring is faster, the pairwise exchange slower. Unlike
    there, dummies are as good as tokens."""
    phases = "topology_phases_"
    by_speed = ["linear", "shift", f"{phases}dummy", f"{phases}sender",
                *(f"{phases}barrier_sender:n={n}" for n in (16, 8, 4)), f"{phases}barrier:n=1",
                "topology_phases", "pair"]  # fmt: skip
    us = times_on(simgrid, tmp_path, "faraj5.toml", "alltoall_bench",
                  f'algorithms = {by_speed}\nsizes = "1M"\n')  # fmt: skip
    assert sorted(us, key=lambda name: us[name]) == by_speed
    # 256 messages over the busiest link: with all in flight it is never idle.
    assert us["linear"] == pytest.approx(256 * 2**20 / 12.5 / BANDWIDTH_FACTOR, 0.002)


def test_broadcasts_over_switches_of_hosts_dealt_out(simgrid: Build, tmp_path: Path) -> None:
    """Faraj 2006, 3.4.3, topology (5): the linear tree is best of large blocks, the binary one of
    small ones, and what does not know the switches is far off."""
    trees = [f"{name}:segment=8K"
             for name in ("topology_linear", "topology_binary", "linear_pipeline")]  # fmt: skip
    for size, by_speed in (("512K", [*trees, "scatter_allgather"]), ("16K", [trees[1], trees[0]])):
        (tmp_path / size).mkdir()
        us = times_on(simgrid, tmp_path / size, "faraj6.toml", "bcast_bench",
                      f'algorithms = {by_speed}\nsizes = "{size}"\n')  # fmt: skip
        assert sorted(us, key=lambda name: us[name]) == by_speed
        if size == "512K":
            assert us["linear_pipeline:segment=8K"] > 3 * us["topology_linear:segment=8K"]


def reduced_us(simgrid: Build, folder: Path, options: str, gamma: str) -> dict[str, float]:
    """A vector of 1 MiB of 8 ranks; of the slowest rank, the root; by algorithm."""
    folder /= gamma or "none"
    folder.mkdir()
    charge = f'gamma = "{gamma}"\n' if gamma else ""
    here = sweep(folder, simgrid, ONE_SWITCH, "nodes = 8\nranks = 8",
                 bench(f'sizes = "1M"\n{options}{charge}{OPTIONS}', "reduce_bench"))  # fmt: skip
    here.ok("simulate")
    file = here.file_of("n8_p8_sequential_reduce_simgrid_0.csv.gz")
    metadata = read_results(file).metadata
    assert metadata["gamma"] == (f"{gamma} s" if gamma else "none")
    assert "clairvoyant" not in metadata["left_out"]  # which is the all-gather's
    found = rows(here, "n8_p8_sequential_reduce")
    assert all(row["status"] == "ok" for row in found)
    return {row["algorithm"]: float(row["max_us"]) for row in found}


@pytest.mark.parametrize("options", ["", 'check-up-to = "1"\n', 'op = "compose"\n'],
                         ids=["checked", "unchecked", "own operator"])  # fmt: skip
def test_combining_takes_the_time_that_is_asked_for(
    options: str, simgrid: Build, tmp_path: Path
) -> None:
    """What the slowest way from a rank to the root combines, of the vector's bytes. Binomial tree:
    whole vectors in log2 8 steps. Pipeline: an eighth in each of 8 + 8 - 2 steps. Clairvoyant: in
    each of 3 + 8 - 1 rounds, but that the root stores what it takes back. SMPI's own choice is a
    flat tree, whose root has all seven at once and then combines them."""
    vectors = {"binomial": 3, "linear_pipeline:segments=8": 14 / 8, "native": 7}
    if "compose" not in options:
        vectors["clairvoyant:segments=8"] = (10 - 1) / 8
    options += f"algorithms = {[*vectors]}\n"
    before = reduced_us(simgrid, tmp_path, options, "")
    after = reduced_us(simgrid, tmp_path, options, "2.5e-10")
    more = {name: after[name] - before[name] for name in vectors}
    assert more == pytest.approx({name: each * 262.144 for name, each in vectors.items()}, 1e-5)


def test_what_is_left_out_says_so(simgrid: Build, tmp_path: Path) -> None:
    listed = simgrid.run("allgather_bench", "--list", ranks=1).stdout
    assert "native:NAME not here: SMPI has no MPI_T" in listed
    threaded = catalogue().algorithm_set("arrival_aware").algorithms
    assert listed.count("not here: needs a thread beside each rank") == len(threaded) > 0
    assert "via=window not here: needs ranks that run beside each other" in listed
    window = simgrid.run("allgather_bench", "--algorithms", "ring:via=window", "--sizes", "1")
    assert window.exit_code == 2
    assert window.messages[0].startswith(
        "--algorithms: nothing is left to run: ring:via=window needs ranks that run beside"
    )
    refused = simgrid.run("allgather_bench", "--algorithms", "native:ring")
    assert refused.exit_code == 2
    assert refused.messages[0].startswith("--algorithms: 'native:ring' cannot be had: SMPI has no")
    file = tmp_path / "x.csv"
    simgrid.run("allgather_bench", "--algorithms", "ring,bdr", "--sizes", "1", "-i", "1",
                "--output", str(file))  # fmt: skip
    duet = simgrid.run("allgather_bench", "--algorithms", "ring", "--duet", "a@/tmp/none")
    assert duet.messages[0].startswith("--duet: takes turns in real time, and this is a simulation")
    work = simgrid.run("allgather_bench", "--algorithms", "ring", "--wait", "work")
    assert work.messages[0].startswith("--wait: 'work' takes a processor's time, and a simulation")
    counted = simgrid.run("allgather_bench", "--algorithms", "ring", "--record", "counters",
                          "--output", str(tmp_path / "counted.csv"))  # fmt: skip
    assert counted.messages[0].startswith("--record: 'counters' has nothing to record: a ")
    assert "#@left_out=native:NAME: SMPI has no MPI_T" in file.read_text()
    skipped = [row for row in read_results(file).rows if row["algorithm"] == "bdr"]
    assert [row["status"] for row in skipped] == ["skipped"]
    assert "needs a thread" in skipped[0]["reason"]


@pytest.mark.parametrize(
    ("kind", "parameters"), [("fat_tree", "2;4,4;1,2;1,2"), ("dragonfly", "2,2;2,2;2,2;2")]
)
def test_simgrids_own_clusters(kind: str, parameters: str, simgrid: Build, tmp_path: Path) -> None:
    platform = 'name = "c"\nhost_link = { bandwidth = "10Gbps", latency = "1us" }\n'
    platform += f'[cluster]\ntopology = "{kind}"\nparameters = "{parameters}"\nhosts = 16\n'
    here = sweep(tmp_path, simgrid, platform, "nodes = 16\nranks = 16",
                 bench('algorithms = "ring,sparbit"\nsizes = "1K"\n' + OPTIONS))  # fmt: skip
    here.ok("simulate")
    found = rows(here, "n16_p16_sequential_allgather")
    assert [row["status"] for row in found] == ["ok", "ok"]


def test_large_blocks_that_nobody_checks_take_no_memory(simgrid: Build, tmp_path: Path) -> None:
    """8 blocks of 16 MiB a rank, and a rank may have 4 MiB."""
    options = (
        'algorithms = ["ring", "sparbit"]\nsizes = ["1K", "16M"]\nmem-limit = "4M"\n' + OPTIONS
    )
    here = sweep(tmp_path, simgrid, ONE_SWITCH, "nodes = 8\nranks = 8",
                 bench(options + 'check-up-to = "1K"\n'))  # fmt: skip
    here.ok("simulate")
    found = rows(here, "n8_p8_sequential_allgather")
    assert [row["status"] for row in found] == ["ok"] * 4
    seconds = [float(row["avg_us"]) / 1e6 for row in found if row["bytes"] != "1024"]
    assert all(7 * 0.134 < each < 2 * 7 * 0.134 for each in seconds)  # 16 MiB at 1 Gbit/s: 0.134 s
