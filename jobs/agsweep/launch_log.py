# SPDX-License-Identifier: BSD-3-Clause
"""The log of a launch: what launcher and benchmark said, try after try, between `#@key=value`
lines. Job scripts write the same (jobs/slurm/sweep.sbatch.j2)."""

import os
import re
import shlex
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path


def now() -> str:
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def this_process() -> str:
    return f"process {os.getpid()} on {os.uname().nodename}"


def start_lines(command: list[str]) -> str:
    return f"#@try={now()} {this_process()}\n#@command={shlex.join(command)}\n"


def end_line(exit_code: int, why: str = "") -> str:
    return f"#@end={now()} exit_code={exit_code}{f' why={why}' if why else ''}\n"


@dataclass(frozen=True)
class Try:
    """One try to run a launch; exit_code is None as long as nobody has noted its end."""

    start: str
    by: str  # "process 123 on host", or "job 4711 on host"
    exit_code: int | None
    end: str
    why: str  # it was ended, if agsweep did it
    said: list[str]

    @property
    def job(self) -> str:
        """Of the scheduler; empty if it ran without."""
        match = re.match(r"job (\S+)", self.by)
        return match[1] if match else ""

    @property
    def seconds(self) -> float | None:
        try:
            return (parsed(self.end) - parsed(self.start)).total_seconds()
        except ValueError:
            return None

    @property
    def reason(self) -> str:
        """Why it failed, in a line: the benchmark's own words if there are any."""
        own = [line for line in self.said if re.match(r"allgatherv?_bench: ", line)]
        other = [line for line in self.said if not re.fullmatch(r"[-=*\s]*", line)]
        words = (own or other)[-1:] or ["it said nothing"]
        code = "no exit code was noted" if self.exit_code is None else f"exit code {self.exit_code}"
        return f"{code}{f', {self.why}' if self.why else ''}: {words[0]}"


def parsed(stamp: str) -> datetime:
    return datetime.strptime(stamp, "%Y-%m-%dT%H:%M:%SZ")


START = re.compile(r"#@try=(\S+) (.*)")
END = re.compile(r"#@end=(\S+) exit_code=(\d+)(?: why=(.*))?$")


def tries(log: Path) -> list[Try]:
    if not log.exists():
        return []
    found: list[Try] = []
    for line in log.read_text(errors="replace").replace("\0", "").splitlines():
        if match := START.match(line):
            found.append(Try(match[1], match[2], None, "", "", []))
        elif found and (match := END.match(line)):
            last = found[-1]
            found[-1] = Try(last.start, last.by, int(match[2]), match[1], match[3] or "", last.said)
        elif found and not line.startswith("#@"):
            found[-1].said.append(line)
    return found
