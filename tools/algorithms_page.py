#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Write the table of docs/reference/algorithms.md: tools/algorithms_page.py BUILD.

`make catalogue` runs it. The table is the catalogue's, and stands between two comments of the page;
the rest of the page is written by hand. On the site (docs/site/conf.py) the table's names lead to
drawn schedules, which are made here, too.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "algorithms.md"
BEGIN, END = "<!-- begin: tools/algorithms_page.py -->\n", "<!-- end -->\n"
SCHEDULES = "schedules.md"  # beside the page
COLUMNS = ("algorithm", "what", "steps", "messages", "bytes", "needs", "default of", "source")
TOPOLOGY = "docs/examples/two_switches.conf"
# Four nodes of two ranks, dealt out to two switches: algorithms that know nodes or switches show it
# there.
PLACEMENT = ["--ranks-per-node", "2", "--topology", TOPOLOGY, "--hosts", "a0,b0,a1,b1"]
PLACED_RANKS = 8
LATE = ["--arrival-times", "0,0,0,250,0,0"]  # of six ranks
MESSAGE_TIME = ["--message-time", "100us"]  # for algorithms that depend on it
RANKS = (6, 8, 4, 9)  # of the other drawings, the first number that an algorithm takes
MOST_LINES = 40

Row = dict[str, Any]


def refuse(why: str) -> NoReturn:
    print(f"algorithms_page: {why}", file=sys.stderr)
    sys.exit(2)


def run(build: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = build / "bin" / "allgather_schedule"
    if not program.exists():
        refuse(f"BUILD: '{build}' has no bin/allgather_schedule; legal: a folder that is built")
    return subprocess.run([str(program), *arguments],
                          capture_output=True, text=True, check=False, cwd=ROOT)  # fmt: skip


def rows_of(build: Path) -> list[Row]:
    done = run(build, "catalogue", "--json")
    if done.returncode != 0:
        refuse(done.stderr)
    rows: list[Row] = json.loads(done.stdout)["algorithms"]
    return rows


def of_other(row: Row) -> str:
    """Returns the collective of an algorithm, empty if the algorithm can do an all-gather."""
    collectives = row["collectives"]
    return "" if "allgather" in collectives else str(collectives[0])


def heading(row: Row) -> str:
    return f"{of_other(row)} {row['name']}".strip()


def anchor(row: Row) -> str:
    return heading(row).replace(" ", "-")


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def parameters(row: Row) -> str:
    """Returns a line for each parameter, in Markdown: `k=2`, and what the parameter is."""
    return "".join(
        f"<br>`{one['name']}={one['default']}` {one['text']}" for one in row["parameters"]
    )


def is_drawn(row: Row) -> bool:
    """True if the algorithm has a schedule of its own: the schedule of `file` is the user's."""
    return bool(row["has_schedule"]) and row["name"] != "file"


def table(rows: list[Row], with_links: bool) -> Iterator[str]:
    yield "| " + " | ".join(COLUMNS) + " |"
    yield "|---" * len(COLUMNS) + "|"
    for row in rows:
        name = f"`{row['name']}`"
        if with_links and is_drawn(row):
            name = f"[{name}]({SCHEDULES}#{anchor(row)})"
        if other := of_other(row):
            name += f" of {other}"
        facts = (row["steps"], row["messages"], row["bytes"], row["needs"], row["default_of"],
                 row["source"])  # fmt: skip
        yield (
            f"| {name} | {cell(row['summary'])}{cell(parameters(row))} | "
            + " | ".join(map(cell, facts))
            + " |"
        )


def drawing(build: Path, row: Row) -> str:
    """Returns in Markdown the command that shows an algorithm's schedule, and what the command
    prints: all ranks, or one where that would be long. Ends the program if no command works."""
    refusals = []
    where = [] if row["takes_order"] else PLACEMENT
    if row["arrival_aware"] and not row["takes_order"]:
        takes_time = any(parameter["name"] == "tau" for parameter in row["parameters"])
        where = [*LATE, *(MESSAGE_TIME if takes_time else [])]
    if other := of_other(row):
        knows_switches = row["needs"].startswith("a switch tree")
        where = ["--collective", other, *(PLACEMENT if knows_switches else [])]
    for ranks in (PLACED_RANKS,) if PLACEMENT[0] in where else RANKS:
        command = ["show", "--algorithm", row["name"], "--ranks", str(ranks), *where]
        done = run(build, *command)
        if done.returncode == 0 and done.stdout.count("\n") > MOST_LINES:
            command += ["--rank", "0"]
            done = run(build, *command)
        if done.returncode == 0:
            return f"`allgather_schedule {' '.join(command)}`\n\n```text\n{done.stdout}```\n"
        refusals.append(done.stderr)
    refuse(f"no drawing of {row['name']}: {refusals}")


def schedules(build: Path) -> str:
    """Returns in Markdown a heading and a drawing of each algorithm that is_drawn."""
    return "".join(
        f"\n## {heading(row)}\n\n{row['summary'].capitalize()}.\n\n{drawing(build, row)}"
        for row in rows_of(build)
        if is_drawn(row)
    )


def with_table(build: Path, page: str, with_links: bool = False) -> str:
    """Returns the text of docs/reference/algorithms.md with the table as it should be. page: the
    text so far; with_links: whether names lead to drawn schedules. Ends the program if the page has
    no place for the table."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        refuse(f"docs/reference/algorithms.md lacks '{BEGIN.strip()}' or '{END.strip()}'")
    lines = "\n".join(table(rows_of(build), with_links))
    return f"{before}{begin}{lines}\n{end}{after}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        refuse("it takes BUILD and nothing else; legal: tools/algorithms_page.py build")
    text = with_table(Path(sys.argv[1]).resolve(), PAGE.read_text(encoding="utf-8"))
    PAGE.write_text(text, encoding="utf-8")
