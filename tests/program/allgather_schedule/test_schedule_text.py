# SPDX-License-Identifier: BSD-3-Clause
"""allgather_schedule's text, its table of proofs, and its errors. tests/algorithms/patterns.txt has
what it prints of the algorithms."""

import re
from textwrap import dedent

import pytest

from ..support.algorithms import SCHEDULES, runs_at
from ..support.folders import ROOT
from ..support.launch import Build

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
    [(f"bdr --ranks 4 {LATE_0}", BDR_4), (f"bdr --ranks 4 {LATE_0} --rank 0", BDR_4_RANK_0)],
)
def test_figures(build: Build, arguments: str, expected: str) -> None:
    ended = build.schedule("show", "--algorithm", *arguments.split())
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, dedent(expected), "")


@pytest.mark.parametrize("arguments", ["ring --ranks 6", "sparbit --ranks 5 --rank 0"])
def test_patterns_of_the_papers(build: Build, arguments: str) -> None:
    """The C++ tests hold the function that prints against all of them."""
    name, _, ranks, *rank = arguments.split()
    head = f"{name}, {ranks} ranks" + (f", rank {rank[1]}" if rank else "")
    patterns = (ROOT / "tests" / "algorithms" / "patterns.txt").read_text()
    (steps,) = re.findall(rf"^{head}\n((?:.+\n)+)", patterns, re.MULTILINE)
    ended = build.schedule("show", "--algorithm", *arguments.split())
    assert (ended.exit_code, ended.stdout, ended.stderr) == (0, f"{head}\n{steps}", "")


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
        (
            "show --algorithm bdr --ranks 2 --arrival-times 1,2",
            ["--arrival-times: '1,2' has no effect", "--message-time, or bdr:tau=TIME"],
        ),
        (
            "show --algorithm bdr --ranks 2 --message-time 1us",
            ["--message-time: '1us' has no effect", "with --arrival-times"],
        ),
        (
            "show --algorithm bslb --ranks 2 --arrival-times 1,2 --message-time 1us",
            ["--message-time: '1us' has no effect: bslb does not depend on it"],
        ),
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
