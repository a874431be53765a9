# SPDX-License-Identifier: BSD-3-Clause
"""The log of a launch: what launcher and benchmark said, try after try, between `#@key=value`
lines. agsweep writes these lines when it launches, and so do job scripts: their template
(templates/launches.sh.j2) gets the words from here."""

import os
import re
import shlex
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path

from agformats.catalogue import catalogue
from agformats.regular_file import MOST_BYTES, read_text
from agsweep.launchers.words import cause

MARK = "#@"
TIME = "%Y-%m-%dT%H:%M:%SZ"  # for strftime and for date(1), in UTC
TRY = f"{MARK}try="
END = f"{MARK}end="
EXIT_CODE = " exit_code="
WHY = " why="


def try_line(time: str, by: str) -> str:
    """Returns the line of the log that says when a try began, and who makes it. by: as by_process
    or by_job returns it."""
    return f"{TRY}{time} {by}"


def by_process(number: object, host: str) -> str:
    return f"process {number} on {host}"


def by_job(number: str, host: str) -> str:
    return f"job {number} on {host}"


def command_line(command: str) -> str:
    return f"{MARK}command={command}"


def end_line(time: str, exit_code: object, why: str = "") -> str:
    """Returns the line of the log that says when a try ended, and how. why: the reason why agsweep
    ended the launch itself; empty if it did not."""
    return f"{END}{time}{EXIT_CODE}{exit_code}{WHY if why else ''}{why}"


def now() -> str:
    return datetime.now(timezone.utc).strftime(TIME)


def this_process() -> str:
    return by_process(os.getpid(), os.uname().nodename)


def began(command: list[str]) -> str:
    """Returns the lines in the log before the output of a launch of this process."""
    return f"{try_line(now(), this_process())}\n{command_line(shlex.join(command))}\n"


def ended(exit_code: int, why: str) -> str:
    return f"{end_line(now(), exit_code, why)}\n"


@dataclass(frozen=True)
class Try:
    """One try to run a launch; exit_code is None as long as nobody has noted its end."""

    start: str
    by: str  # as by_process or by_job has it
    exit_code: int | None
    end: str
    why: str  # the reason why agsweep ended it; empty if it did not
    said: list[str]
    log: Path

    @property
    def job(self) -> str:
        """The number of the scheduler's job that made this try; empty if none did."""
        match = JOB.match(self.by)
        return match[1] if match else ""

    @property
    def seconds(self) -> float | None:
        try:
            return (parsed(self.end) - parsed(self.start)).total_seconds()
        except ValueError:
            return None

    @property
    def reason(self) -> str:
        """The reason of a failure, in a line: the benchmark's own words if there are any, else
        what its launcher says of the cause, else where to look."""
        code = "no exit code was noted" if self.exit_code is None else f"exit code {self.exit_code}"
        if self.why:
            code += f", {self.why}"
        if not any(line.strip() for line in self.said):
            return f"{code}: it said nothing"
        programs = tuple(f"{each.executable}: " for each in catalogue().collectives)
        own = [line for line in self.said if line.startswith(programs)]
        found = own[-1] if own else cause(self.said, has_failed=self.exit_code is not None)
        return f"{code}: {found or f'see {self.log}'}"


def parsed(stamp: str) -> datetime:
    return datetime.strptime(stamp, TIME)


PROCESS = re.compile(by_process(r"\d+", r"\S+"))
JOB = re.compile(by_job(r"(\S+)", ""))
START = re.compile(try_line(r"(\S+)", r"(.*)"))
ENDED = re.compile(end_line(r"(\S+)", r"(\d+)") + f"(?:{WHY}(.*))?$")


def tries(log: Path) -> list[Try]:
    if not log.exists():
        return []
    found: list[Try] = []
    for line in read_text(log, MOST_BYTES, errors="replace").replace("\0", "").splitlines():
        if match := START.match(line):
            found.append(Try(match[1], match[2], None, "", "", [], log))
        elif found and (match := ENDED.match(line)):
            found[-1] = replace(
                found[-1], exit_code=int(match[2]), end=match[1], why=match[3] or ""
            )
        elif found and not line.startswith(MARK):
            found[-1].said.append(line)
    return found
