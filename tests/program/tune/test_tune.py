# SPDX-License-Identifier: BSD-3-Clause
"""With the rules that agreport tune writes, Open MPI chooses as they say.

Seen by who sends how large messages to whom, which Open MPI's own monitoring counts: of a launch
with the rules, and of one in which the algorithm is forced. No time is looked at: those that the
rules are made of are invented.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from agreport.main import main
from agreport.tune.openmpi_rules import IDS, TOTAL

from ..support.launch import Build

pytestmark = pytest.mark.slow

RANKS = 4
COLUMNS = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "min_us,avg_us,max_us,status,reason"
)
# The fastest at each size, and the library's own elsewhere.
FASTEST = {4096: "ring", 16384: "bruck"}
SLOWER = {4096: "bruck", 16384: "ring"}
# The sizes are so far apart that the messages of one, up to half of all blocks, are smaller than
# the next.
BEYOND = 65536
SIZES = (*FASTEST, BEYOND)
COLLECTIVES = ("allgather", "allgatherv")

# Messages of a rank to another, by a power of two, of each size of a block.
Traffic = dict[int, Counter[tuple[str, str, int]]]
Measure = Callable[..., Traffic]


@pytest.fixture(scope="module")
def rules(mpi: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    every = [
        (collective, size, fastest, SLOWER[size])
        for collective in COLLECTIVES
        for size, fastest in FASTEST.items()
    ]
    return rules_of(every, mpi, tmp_path_factory.mktemp("rules"))


def rules_of(cases: Sequence[tuple[str, int, str, str]], mpi: str, folder: Path) -> Path:
    """Returns the rules of these cases, each of a collective, a size, the fastest algorithm and a
    slower one."""
    if not mpi.startswith("Open MPI v"):
        pytest.skip(f"{mpi[:20]} has no dynamic rules")
    rows = [
        f"{collective},{name},regular,none,sequential,{RANKS},1,{size},{RANKS * size},0,"
        f"{time},{time},{time},ok,"
        for collective, size, fastest, slower in cases
        for name, time in (("native", 3), (f"native:{fastest}", 1), (f"native:{slower}", 2))
    ]
    text = [f"#@mpi={mpi}", COLUMNS, *rows, "#@case_end=all", ""]
    (folder / "times.csv").write_text("\n".join(text))
    found = folder / "rules.conf"
    assert main(["tune", str(folder / "times.csv"), "--openmpi", str(found)]) == 0
    return found


@pytest.fixture(scope="module")
def traffic(build: Build, tmp_path_factory: pytest.TempPathFactory) -> Measure:
    """Of ten calls of each size: what a launch of 20 sends more than one of 10; options are sent
    too, so they are equally long."""

    @cache
    def measured(collective: str, **settings: str) -> Traffic:
        counted = []
        for calls in (20, 10):
            output = tmp_path_factory.mktemp("traffic", numbered=True)
            given = {**settings, "use_dynamic_rules": "1"}
            env = {f"OMPI_MCA_coll_tuned_{key}": value for key, value in given.items()} | {
                "OMPI_MCA_pml_monitoring_enable": "2",
                "OMPI_MCA_pml_monitoring_enable_output": "3",
                "OMPI_MCA_pml_monitoring_filename": str(output / "rank"),
            }
            ended = build.run(f"{collective}_bench", "--algorithms", "native", "--sizes",
                              ",".join(map(str, SIZES)), "-i", str(calls), "-x", "0", ranks=RANKS,
                              env=env)  # fmt: skip
            assert ended.exit_code == 0, ended.stderr
            counted.append(read_monitoring(output, SIZES[0]))
        many, one = counted
        many.subtract(one)
        found: Traffic = {size: Counter() for size in SIZES}
        for (sender, receiver, power), messages in (+many).items():
            size = max(size for size in SIZES if size <= 2**power)
            found[size][sender, receiver, power] = messages
        return found

    return measured


def read_monitoring(folder: Path, smallest: int) -> Counter[tuple[str, str, int]]:
    """Without what is smaller than a block: how often ranks synchronise, and how many iterations
    they reduce at once, depends on the time. These messages stay below 4 KiB."""
    files = sorted(folder.glob("rank*.prof"))
    if not files:
        pytest.skip("this Open MPI has no monitoring")
    assert len(files) == RANKS
    found: Counter[tuple[str, str, int]] = Counter()
    for file in files:
        for line in file.read_text().splitlines():
            # These are the program's own messages and the library's for collectives.
            if line.startswith(("E\t", "I\t")):
                _, sender, receiver, _, _, counts = line.split("\t")
                # They are messages of 0 bytes, of 1, of 2 and 3, of 4 to 7, ...
                for power, messages in enumerate(counts.split(","), -1):
                    if 2**power >= smallest:
                        found[sender, receiver, power] += int(messages)
    return found


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("size", FASTEST)
def test_the_library_chooses_as_the_rules_say(
    traffic: Measure, rules: Path, collective: str, size: int
) -> None:
    forced = f"{collective}_algorithm"
    chosen = traffic(collective, dynamic_rules_filename=str(rules))[size]
    assert chosen and chosen == traffic(collective, **{forced: FASTEST[size]})[size]
    assert chosen != traffic(collective, **{forced: SLOWER[size]})[size]


@pytest.mark.parametrize("collective", ["bcast", "reduce"])
def test_chains_are_as_many_as_were_measured(
    traffic: Measure, mpi: str, tmp_path: Path, collective: str
) -> None:
    """A rule says how many; one alone is the pipeline."""
    size = SIZES[0]
    rules = rules_of([(collective, size, "chain", "pipeline")], mpi, tmp_path)
    chosen = traffic(collective, dynamic_rules_filename=str(rules))[size]
    forced = f"{collective}_algorithm"
    assert chosen and chosen == traffic(collective, **{forced: "chain"})[size]
    assert chosen != traffic(collective, **{forced: "pipeline"})[size]


def test_where_nothing_was_measured_it_chooses_as_ever(traffic: Measure, rules: Path) -> None:
    """Behind the largest size the library's choice is neither of the rules' two."""
    chosen = traffic("allgather", dynamic_rules_filename=str(rules))[BEYOND]
    assert chosen and chosen == traffic("allgather")[BEYOND]
    assert chosen != traffic("allgather", allgather_algorithm="bruck")[BEYOND]


# These collectives have a benchmark and are not tuned.
NAMES = [each.name for each in catalogue().collectives]
OTHERS = [name for name in NAMES if name in IDS and name not in COLLECTIVES]


@pytest.mark.parametrize("collective", OTHERS)
def test_the_size_that_open_mpi_compares(
    build: Build, mpi: str, tmp_path: Path, collective: str
) -> None:
    """By an algorithm that it has not, which ends the job: from the size on that is the message's,
    and not at one byte more. The rules are of more ranks: the first ones are also those of fewer.
    """
    if not mpi.startswith("Open MPI v"):
        pytest.skip(f"{mpi[:20]} has no dynamic rules")
    size = 4096
    message = size * RANKS if collective in TOTAL else size
    for first, runs in ((message, False), (message + 1, True)):
        rules = tmp_path / f"{first}.conf"
        rules.write_text(f"1\n{IDS[collective]}\n1\n{2 * RANKS}\n2\n0 0 0 0\n{first} 99 0 0\n")
        env = {
            "OMPI_MCA_coll_tuned_use_dynamic_rules": "1",
            "OMPI_MCA_coll_tuned_dynamic_rules_filename": str(rules),
        }
        ended = build.run(f"{collective}_bench", "--algorithms", "native", "--sizes", str(size),
                          "-i", "1", "-x", "0", ranks=RANKS, env=env)  # fmt: skip
        assert (ended.exit_code == 0) == runs, ended.stderr
