# SPDX-License-Identifier: BSD-3-Clause
"""Launches over several hosts, which jobs/testbed/hosts_here.py makes of this machine."""

import sys
from dataclasses import dataclass
from pathlib import Path

from .folders import ROOT
from .launch import IMPATIENT, Build, Ended, ended

HOSTS_HERE = ROOT / "jobs" / "testbed" / "hosts_here.py"
UNABLE = 77


def command(hosts: str, *arguments: str) -> list[str]:
    return [sys.executable, str(HOSTS_HERE), hosts, *arguments]


@dataclass(frozen=True)
class Cluster:
    build: Build

    def why_not(self) -> str:
        """Why this machine cannot have hosts; empty if it can. What else fails, fails."""
        ended = self.shell("2", "true")
        assert ended.exit_code in (0, UNABLE), ended.stderr
        return ended.stderr.strip() if ended.exit_code == UNABLE else ""

    def shell(self, hosts: str, script: str, *options: str, cwd: Path | None = None) -> Ended:
        """A script on the first host; `$bin` is where the programs are."""
        environment = {**IMPATIENT, "bin": str(self.build.folder / "bin")}
        words = command(hosts, *options, "--", "sh", "-c", script)
        return ended("hosts_here", words, cwd, environment)
