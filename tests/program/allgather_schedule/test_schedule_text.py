# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule's text against the papers' figures (Loch 2021, figures 4 to 7 and 13), its
table of proofs, and its errors."""

import re
from textwrap import dedent

import pytest

from ..support.algorithms import SCHEDULES, runs_at
from ..support.launch import Build

# Figure 4: everyone to the right, the own block first, then what came.
RING_6 = """\
    ring, 6 ranks
    step 0
      0 -> 1: 0
      1 -> 2: 1
      2 -> 3: 2
      3 -> 4: 3
      4 -> 5: 4
      5 -> 0: 5
    step 1
      0 -> 1: 5
      1 -> 2: 0
      2 -> 3: 1
      3 -> 4: 2
      4 -> 5: 3
      5 -> 0: 4
    step 2
      0 -> 1: 4
      1 -> 2: 5
      2 -> 3: 0
      3 -> 4: 1
      4 -> 5: 2
      5 -> 0: 3
    step 3
      0 -> 1: 3
      1 -> 2: 4
      2 -> 3: 5
      3 -> 4: 0
      4 -> 5: 1
      5 -> 0: 2
    step 4
      0 -> 1: 2
      1 -> 2: 3
      2 -> 3: 4
      3 -> 4: 5
      4 -> 5: 0
      5 -> 0: 1
    """

# Figure 5: even ranks exchange with the right, the left, the right.
NEIGHBOR_EXCHANGE_6 = """\
    neighbor_exchange, 6 ranks
    step 0
      0 -> 1: 0
      1 -> 0: 1
      2 -> 3: 2
      3 -> 2: 3
      4 -> 5: 4
      5 -> 4: 5
    step 1
      0 -> 5: 0-1
      1 -> 2: 0-1
      2 -> 1: 2-3
      3 -> 4: 2-3
      4 -> 3: 4-5
      5 -> 0: 4-5
    step 2
      0 -> 1: 4-5
      1 -> 0: 2-3
      2 -> 3: 0-1
      3 -> 2: 4-5
      4 -> 5: 2-3
      5 -> 4: 0-1
    """

# Figure 6: distances 1, 2, 4 by exclusive or, all that is held.
RECURSIVE_DOUBLING_8 = """\
    recursive_doubling, 8 ranks
    step 0
      0 -> 1: 0
      1 -> 0: 1
      2 -> 3: 2
      3 -> 2: 3
      4 -> 5: 4
      5 -> 4: 5
      6 -> 7: 6
      7 -> 6: 7
    step 1
      0 -> 2: 0-1
      1 -> 3: 0-1
      2 -> 0: 2-3
      3 -> 1: 2-3
      4 -> 6: 4-5
      5 -> 7: 4-5
      6 -> 4: 6-7
      7 -> 5: 6-7
    step 2
      0 -> 4: 0-3
      1 -> 5: 0-3
      2 -> 6: 0-3
      3 -> 7: 0-3
      4 -> 0: 4-7
      5 -> 1: 4-7
      6 -> 2: 4-7
      7 -> 3: 4-7
    """

# Figure 7: to r - 2^s the blocks from the own one on, as many as are held; in the last step the
# first 10 - 8 of them.
BRUCK_10 = """\
    bruck, 10 ranks
    step 0
      0 -> 9: 0
      1 -> 0: 1
      2 -> 1: 2
      3 -> 2: 3
      4 -> 3: 4
      5 -> 4: 5
      6 -> 5: 6
      7 -> 6: 7
      8 -> 7: 8
      9 -> 8: 9
    step 1
      0 -> 8: 0-1
      1 -> 9: 1-2
      2 -> 0: 2-3
      3 -> 1: 3-4
      4 -> 2: 4-5
      5 -> 3: 5-6
      6 -> 4: 6-7
      7 -> 5: 7-8
      8 -> 6: 8-9
      9 -> 7: 9 0
    step 2
      0 -> 6: 0-3
      1 -> 7: 1-4
      2 -> 8: 2-5
      3 -> 9: 3-6
      4 -> 0: 4-7
      5 -> 1: 5-8
      6 -> 2: 6-9
      7 -> 3: 7-9 0
      8 -> 4: 8-9 0-1
      9 -> 5: 9 0-2
    step 3
      0 -> 2: 0-1
      1 -> 3: 1-2
      2 -> 4: 2-3
      3 -> 5: 3-4
      4 -> 6: 4-5
      5 -> 7: 5-6
      6 -> 8: 6-7
      7 -> 9: 7-8
      8 -> 0: 8-9
      9 -> 1: 9 0
    """

# Figure 13, blocks in Algorithm 1's order (the figure sorts them): distances 4, 2, 1; what came in
# step 0 came to the leaves of its trees and stays there.
SPARBIT_5 = """\
    sparbit, 5 ranks
    step 0
      0 -> 4: 0
      1 -> 0: 1
      2 -> 1: 2
      3 -> 2: 3
      4 -> 3: 4
    step 1
      0 -> 2: 0
      1 -> 3: 1
      2 -> 4: 2
      3 -> 0: 3
      4 -> 1: 4
    step 2
      0 -> 1: 0 3
      1 -> 2: 1 4
      2 -> 3: 2 0
      3 -> 4: 3 1
      4 -> 0: 4 2
    """

SPARBIT_5_RANK_3 = """\
    sparbit, 5 ranks, rank 3
    step 0: sends {3} to 2; receives {4} from 4
    step 1: sends {3} to 0; receives {1} from 1
    step 2: sends {3 1} to 4; receives {2 0} from 2
    """


# Proficz 2021, figure 4(b): rank 0 comes two messages late, and is done after one step of its own.
BDR_4 = """\
    bdr, 4 ranks
    step 0
      1 -> 0: 1
      2 -> 1: 2
      3 -> 2: 3
    step 1
      1 -> 3: 1
      2 -> 0: 2
      3 -> 1: 3
    step 2
      0 -> 1: 0
      1 -> 2: 1
      2 -> 3: 2
      3 -> 0: 3
    step 3
      1 -> 2: 0
    step 4
      2 -> 3: 0
    steps in the background, of each rank: 2 0 0 0
    """

BDR_4_RANK_0 = """\
    bdr, 4 ranks, rank 0
    step 0: sends nothing; receives {1} from 1
    step 1: sends nothing; receives {2} from 2
    step 2: sends {0} to 1; receives {3} from 3
    steps in the background: 2
    """
LATE_0 = "--arrival-times 26,0,0,0 --message-time 13us"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (f"bdr --ranks 4 {LATE_0}", BDR_4),
        (f"bdr --ranks 4 {LATE_0} --rank 0", BDR_4_RANK_0),
        ("ring --ranks 6", RING_6),
        ("neighbor_exchange --ranks 6", NEIGHBOR_EXCHANGE_6),
        ("recursive_doubling --ranks 8", RECURSIVE_DOUBLING_8),
        ("bruck --ranks 10", BRUCK_10),
        ("bruck_in_place --ranks 10", BRUCK_10.replace("bruck", "bruck_in_place")),
        ("sparbit --ranks 5", SPARBIT_5),
        ("sparbit --ranks 5 --rank 3", SPARBIT_5_RANK_3),
    ],
)
def test_figures(build: Build, arguments: str, expected: str) -> None:
    ended = build.schedule("show", "--algorithm", *arguments.split())
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, dedent(expected), "")


@pytest.mark.slow
def test_proofs(build: Build) -> None:
    ended = build.schedule("prove", "--ranks", "1:64")
    assert (ended.exit_code, ended.stderr) == (0, "")
    head, *rows = ended.stdout.splitlines()
    assert head.split()[:6] == ["algorithm", "proven", "skipped", "ways", "seconds", "verdict"]
    assert [row.split()[0] for row in rows] == SCHEDULES
    for row in rows:
        name, proven, skipped, ways, _, verdict = row.split()[:6]
        # With k = 1, one of the values that are tried, k_ring runs at any p.
        runs = sum(runs_at("k_ring:k=1" if name == "k_ring" else name, p) for p in range(1, 65))
        assert (int(proven), int(skipped), verdict) == (runs, 64 - runs, "proven"), row
        # Several values of the parameter, placements or orders of the ranks.
        assert int(ways) > 1, row


def test_no_number_of_ranks_to_prove(build: Build) -> None:
    ended = build.schedule("prove", "--ranks", "3,7", "--algorithms", "pair,ring")
    assert ended.exit_code == 0
    _, pair, ring = ended.stdout.splitlines()
    assert pair.split()[:3] == ["pair", "0", "2"] and "no p to prove" in pair
    assert ring.split()[:3] == ["ring", "2", "0"] and "no p to prove" not in ring


def test_proof_of_some(build: Build) -> None:
    ended = build.schedule("prove", "--ranks", "3,100:200:50", "--algorithms", "sparbit,ring")
    assert ended.exit_code == 0
    _, *rows = ended.stdout.splitlines()
    assert [row.split()[:2] for row in rows] == [["sparbit", "4"], ["ring", "4"]]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        ("show --algorithm ringg --ranks 4", ["--algorithm", "'ringg'", "mean 'ring'", "legal: "]),
        ("show --algorithm ring,bruck --ranks 4", ["--algorithm", "more than one"]),
        ("show --algorithm native --ranks 4", ["--algorithm", "'native'", "no schedule"]),
        ("show --algorithm ring --ranks 0", ["--ranks", "'0'"]),
        ("show --algorithm ring --ranks 2:4", ["--ranks", "'2:4'"]),
        ("show --algorithm ring --ranks x", ["--ranks", "'x'"]),
        ("show --algorithm ring --ranks 99999999999", ["--ranks", "'99999999999'"]),
        ("show --algorithm ring --ranks 4 --rank 4", ["--rank", "'4'", "0 and 3"]),
        ("show --algorithm ring --ranks 4 --rank -1", ["--rank", "'-1'"]),
        ("show --algorithm ring --ranks 4 --format xml", ["--format", "xml", "text", "json"]),
        ("show --algorithm neighbor_exchange --ranks 5", ["even", "ranks = 5"]),
        ("show --algorithm recursive_doubling --ranks 6", ["power-of-two", "ranks = 6"]),
        (
            "show --algorithm bdr --ranks 4 --arrival-times 1,2",
            ["--arrival-times", "2 times for 4"],
        ),
        ("show --algorithm bdr --ranks 2 --arrival-times 1,x", ["--arrival-times", "'x'"]),
        ("show --algorithm bdr --ranks 2 --arrival-times 1,-1", ["--arrival-times", "'-1'"]),
        ("show --algorithm bdr --ranks 2 --message-time soon", ["--message-time", "'soon'"]),
        (
            "show --algorithm bdr:tau=1ms --ranks 2 --message-time 1us",
            ["--message-time", "tau=1ms"],
        ),
        ("show --algorithm bdr:tau=x --ranks 2", ["--algorithm bdr:tau", "'x'"]),
        ("show --algorithm ring --ranks 2 --arrival-times 1,2", ["--arrival-times", "no effect"]),
        ("show --algorithm ring --ranks 2 --message-time 1us", ["--message-time", "no effect"]),
        ("show --ranks 4", ["--algorithm"]),
        ("show --algorithm ring", ["--ranks"]),
        ("prove --ranks 4:2", ["--ranks", "'4:2'", "reversed"]),
        ("prove --ranks 1:4:0", ["--ranks", "'0'"]),
        ("prove --ranks 1:4 --algorithms sparbitt", ["--algorithms", "mean 'sparbit'"]),
        ("prove --ranks 1:4 --algorithms native", ["--algorithms", "'native'", "no schedule"]),
        ("prove --ranks 1:4 --nosuch", ["--nosuch"]),
        ("prove --ranks 1:4 --jobs 0", ["--jobs", "'0'", "1 and 4096"]),
        ("prove --ranks 1:4 --ranks-per-node 0", ["--ranks-per-node", "'0'"]),
        ("show --algorithm ring --ranks 4 --ranks-per-node x", ["--ranks-per-node", "'x'"]),
        ("show --algorithm ring --ranks 4 --bytes 0", ["--bytes", "'0'"]),
        ("prov --ranks 1:4", ["prov", "mean 'prove'"]),
        ("", ["prove, show, cost, time, mapping, locality, rings, distributions, arrivals"]),
        ("", ["command line: a command is missing; legal: prove, show, cost, "]),
        (
            "show ring 5",
            [
                "--algorithm: is required; legal: a name, as in: "
                "allgather_schedule show --algorithm sparbit --ranks 5"
            ],
        ),
        ("show --algorithm ring 5", ["--ranks: is required; legal: a number of ranks, as in: "]),
        ("prove ring", ["--ranks: is required; legal: 1:300, 8:256:8, 2,4,8, as in: "]),
        ("cost --algorithms ring", ["--model: is required; legal: hockney:alpha="]),
        (
            "cost --algorithms ring --model hockney:alpha=1,beta=1",
            ["--ranks: is needed for this --model; legal: "],
        ),
        ("mapping", ["--nodes: is required; legal: numbers of nodes: 1:64, as in: "]),
        (
            "rings --algorithms ring --ranks 4 --model links",
            ["'--model' is no option of rings, but an option of cost, time; legal: the options"],
        ),
        (
            "rings --algorithms ring --ranks 4 --iteration 4",
            ["'--iteration' is no option (did you mean '--iterations' of "],
        ),
    ],
)
def test_bad_input(build: Build, arguments: str, parts: list[str]) -> None:
    ended = build.schedule(*arguments.split())
    assert ended.exit_code == 2
    assert ended.stdout == ""
    (message,) = ended.messages
    assert ended.stderr.count("\n") == 1
    for part in parts:
        assert part in message


def test_help(build: Build) -> None:
    ended = build.schedule("--help")
    assert ended.exit_code == 0
    for command, options in {
        "prove": ["--ranks", "--algorithms", "--ranks-per-node", "--topology", "--hosts", "--jobs"],
        "show": ["--algorithm", "--ranks", "--rank", "--bytes", "--arrival-times",
                 "--message-time", "--ranks-per-node", "--topology", "--hosts",
                 "--nodes", "--mapping", "--format"],
        "cost": ["--algorithms", "--ranks", "--bytes", "--model", "--nodes",
                 "--mapping", "--ranks-per-node", "--topology", "--hosts"],
        "mapping": ["--nodes", "--ranks-per-node", "--ranks", "--mapping"],
        "locality": ["--algorithms", "--nodes", "--ranks-per-node", "--mapping", "--hosts",
                     "--bytes"],
        "rings": ["--algorithms", "--ranks"],
        "distributions": ["--ranks", "--bytes", "--distributions"],
        "catalogue": ["--json"],
    }.items():  # fmt: skip
        assert command in ended.stdout
        text = build.schedule(command, "--help")
        assert text.exit_code == 0
        assert all(option in text.stdout for option in options)


def test_each_command_has_an_example_that_runs(build: Build) -> None:
    listed = build.schedule("--help").stdout.partition("Subcommands:\n")[2]
    commands = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)
    assert len(commands) == 10
    for command in commands:
        told = build.schedule(command, "--help").stdout
        (example,) = re.findall(r"^Example: allgather_schedule (.*)$", told, re.MULTILINE)
        assert example.startswith(command + " ")
        assert build.schedule(*example.split()).exit_code == 0
