# SPDX-License-Identifier: BSD-3-Clause
"""With the rules that agreport tune writes, Open MPI chooses as they say.

Seen by who sends how large messages to whom, which Open MPI's own monitoring counts: of a launch
with the rules, and of one in which the algorithm is forced. No time is looked at: those that the
rules are made of are invented.
"""

from collections import Counter
from pathlib import Path

import pytest

from agreport.main import main

from .support.launch import Build

pytestmark = pytest.mark.slow

RANKS = 4
COLUMNS = (
    "collective,algorithm,distribution,arrival,mapping,ranks,nodes,bytes,total_bytes,iteration,"
    "min_us,avg_us,max_us,status,reason"
)
# The fastest at each size, and the library's own elsewhere.
FASTEST = {4096: "ring", 16384: "bruck"}
SLOWER = {4096: "bruck", 16384: "ring"}
BEYOND = 32768
COLLECTIVES = ("allgather", "allgatherv")

Traffic = Counter[tuple[str, str, int]]  # messages of a rank to another, by a power of two


@pytest.fixture
def rules(mpi: str, tmp_path: Path) -> Path:
    if not mpi.startswith("Open MPI v"):
        pytest.skip(f"{mpi[:20]} has no dynamic rules")
    rows = [
        f"{collective},{name},regular,none,sequential,{RANKS},1,{size},{RANKS * size},0,"
        f"{time},{time},{time},ok,"
        for collective in COLLECTIVES
        for size, fastest in FASTEST.items()
        for name, time in (
            ("native", 3),
            (f"native:{fastest}", 1),
            (f"native:{SLOWER[size]}", 2),
        )
    ]
    text = [f"#@mpi={mpi}", COLUMNS, *rows, "#@case_end=all", ""]
    (tmp_path / "times.csv").write_text("\n".join(text))
    found = tmp_path / "rules.conf"
    assert main(["tune", str(tmp_path / "times.csv"), "--openmpi", str(found)]) == 0
    return found


def traffic(build: Build, folder: Path, collective: str, size: int, **settings: str) -> Traffic:
    """Of ten calls: what a launch of 20 sends more than one of 10; options are sent too, so they
    are equally long."""
    counted = []
    for calls in (20, 10):
        output = folder / f"{len(list(folder.iterdir()))}"
        output.mkdir()
        settings |= {"use_dynamic_rules": "1"}
        env = {f"OMPI_MCA_coll_tuned_{key}": value for key, value in settings.items()} | {
            "OMPI_MCA_pml_monitoring_enable": "2",
            "OMPI_MCA_pml_monitoring_enable_output": "3",
            "OMPI_MCA_pml_monitoring_filename": str(output / "rank"),
        }
        ended = build.run(f"{collective}_bench", "--algorithms", "native", "--sizes", str(size),
                          "-i", str(calls), "-x", "0", ranks=RANKS, env=env)  # fmt: skip
        assert ended.exit_code == 0, ended.stderr
        counted.append(read_monitoring(output, size))
    many, one = counted
    many.subtract(one)
    return +many


def read_monitoring(folder: Path, smallest: int) -> Traffic:
    """Without what is smaller than a block: how often ranks synchronise, and how many iterations
    they reduce at once, depends on the time. These messages stay below 4 KiB."""
    files = sorted(folder.glob("rank*.prof"))
    if not files:
        pytest.skip("this Open MPI has no monitoring")
    assert len(files) == RANKS
    found: Traffic = Counter()
    for file in files:
        for line in file.read_text().splitlines():
            # Of the program's own messages and of the library's for collectives.
            if line.startswith(("E\t", "I\t")):
                _, sender, receiver, _, _, counts = line.split("\t")
                # Of 0 bytes, of 1, of 2 and 3, of 4 to 7, ...
                for power, messages in enumerate(counts.split(","), -1):
                    if 2**power >= smallest:
                        found[sender, receiver, power] += int(messages)
    return found


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("size", FASTEST)
def test_the_library_chooses_as_the_rules_say(
    build: Build, tmp_path: Path, rules: Path, collective: str, size: int
) -> None:
    forced = f"{collective}_algorithm"
    chosen = traffic(build, tmp_path, collective, size, dynamic_rules_filename=str(rules))
    assert chosen == traffic(build, tmp_path, collective, size, **{forced: FASTEST[size]})
    assert chosen != traffic(build, tmp_path, collective, size, **{forced: SLOWER[size]})


def test_where_nothing_was_measured_it_chooses_as_ever(
    build: Build, tmp_path: Path, rules: Path
) -> None:
    """Behind the largest size: the library's choice there is neither of the rules' two."""
    chosen = traffic(build, tmp_path, "allgather", BEYOND, dynamic_rules_filename=str(rules))
    assert chosen == traffic(build, tmp_path, "allgather", BEYOND)
    forced = traffic(build, tmp_path, "allgather", BEYOND, allgather_algorithm="bruck")
    assert chosen != forced
