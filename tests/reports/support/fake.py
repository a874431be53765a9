# SPDX-License-Identifier: BSD-3-Clause
"""A stand-in for allgather_schedule with known answers, and schedules to draw."""

from typing import Any

Document = dict[str, Any]

# Distributions: flat and falling; costs: ranks per node * nodes^2, doubled for bruck but at
# powers of two; skips recursive_doubling elsewhere.
PROGRAM = """
import json
import sys
from itertools import product
from pathlib import Path

given = sys.argv[1:]
with Path(__file__).with_name("calls.txt").open("a") as calls:
    print(*given, file=calls)


def value(option, otherwise=""):
    return given[given.index(option) + 1] if option in given else otherwise


def fail(text):
    print("launcher: not our line", file=sys.stderr)
    sys.exit(f"allgather_schedule: {text}")


def show():
    name, p = value("--algorithm"), int(value("--ranks"))
    if name != "ring":
        fail(f"--algorithm: '{name}' is no algorithm; legal: ring")
    steps = [
        [
            {
                "round": s,
                "sends": [{"peer": (r + 1) % p, "round": s, "blocks": [[(r - s) % p, 1]]}],
                "receives": [{"peer": (r - 1) % p, "round": s, "blocks": [[(r - s - 1) % p, 1]]}],
            }
            for s in range(p - 1)
        ]
        for r in range(p)
    ]
    print(json.dumps({"algorithm": name, "ranks": p, "rounds": p - 1, "schedules": steps}))


def distributions():
    p, size = int(value("--ranks")), int(value("--bytes"))
    print("# a comment\\ndistribution,rank,bytes")
    for name in value("--distributions", "flat,falling").split(","):
        for rank in range(p):
            print(name, rank, size if name == "flat" else size * 3 * (p - 1 - rank), sep=",")


def cost():
    first, _, last = value("--nodes").partition(":")
    low, _, high = value("--ranks-per-node").partition(":")
    counts = range(int(low), int(high) + 1) if high else [int(n) for n in low.split(",")]
    size = int(value("--bytes"))
    print("#@registry=ring,recursive_doubling,bruck,sparbit")
    print("model,algorithm,ranks,nodes,ranks_per_node,mapping,bytes,cost,unit,status,reason")
    for name in value("--algorithms").split(","):
        for nodes in range(int(first), int(last or first) + 1):
            even = nodes & (nodes - 1) == 0
            for count, mapping in product(counts, value("--mapping").split(",")):
                found = count * nodes**2 * size * (2 if name == "bruck" and not even else 1)
                end = [found, "byte hops", "ok", ""]
                if name == "recursive_doubling" and not even:
                    end = ["", "byte hops", "skipped", f"needs two; ranks = {nodes * count}"]
                row = [value("--model"), name, nodes * count, nodes, count, mapping, size, *end]
                print(*row, sep=",")


{"show": show, "distributions": distributions, "cost": cost}[given[0]]()
"""


def transfer(peer: int, *blocks: int, **more: object) -> Document:
    return {"peer": peer, "blocks": [[block, 1] for block in blocks], **more}


def step(sends: list[Document], receives: list[Document], **more: object) -> Document:
    return {"sends": sends, "receives": receives, **more}


def document(schedules: list[list[Document]], **more: object) -> Document:
    """A step without a round is in that of its number, and a message in its step's."""
    rounds = 0
    for steps in schedules:
        for index, one in enumerate(steps):
            one.setdefault("round", index)
            for message in (*one["sends"], *one["receives"]):
                message.setdefault("round", one["round"])
                rounds = max(rounds, message["round"] + 1)
            rounds = max(rounds, one["round"] + 1)
    head = {"algorithm": "made_up", "ranks": len(schedules), "rounds": rounds}
    return {**head, "schedules": schedules, **more}


def bruck(p: int) -> Document:
    """Loch 2021, 2.4.4: at doubling distances, to the left."""
    schedules: list[list[Document]] = [[] for _ in range(p)]
    distance = 1
    while distance < p:
        count = min(distance, p - distance)
        for r, steps in enumerate(schedules):
            own = [(r + k) % p for k in range(count)]
            others = [(r + distance + k) % p for k in range(count)]
            to, source = (r - distance) % p, (r + distance) % p
            steps.append(step([transfer(to, *own)], [transfer(source, *others)]))
        distance *= 2
    return document(schedules)
