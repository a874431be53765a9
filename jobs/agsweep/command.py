# SPDX-License-Identifier: BSD-3-Clause
"""The command of a launch: the launcher's part, then the benchmark with its options."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from agreport.errors import BadInput
from agsweep import builds
from agsweep.launchers import LAUNCHERS, kind_of
from agsweep.launchers.request import Request
from agsweep.points import Launch
from agsweep.results_folder import Folder
from agsweep.sweep_file import Sweep
from agsweep.tables import Build


@dataclass
class Commands:
    """Makes the commands of a sweep; asks each build's mpirun once what it is."""

    sweep: Sweep
    folder: Folder
    launcher: str = "auto"  # if the command settles it, as simulate does
    hostfile: str = ""
    kinds: dict[str, str] = field(default_factory=dict)

    def kind(self, build: Build) -> str:
        """The launcher's row in the table."""
        for given in (self.launcher, build.launcher, self.sweep.top.launcher):
            if given != "auto":
                return given
        if build.name not in self.kinds:
            self.kinds[build.name] = self.mpirun_kind(build)
        return self.kinds[build.name]

    def mpirun_kind(self, build: Build) -> str:
        mpirun = builds.mpirun(build)
        said = builds.output_of(build, [mpirun, "--version"])
        if (kind := kind_of(said)) is None:
            line = (said.strip().splitlines() or ["nothing"])[0]
            legal = ", ".join(LAUNCHERS)
            raise BadInput(
                f"build {build.name}: '{mpirun} --version' says '{line}', which is no launcher "
                f'known here; legal: mpirun = "/path/to/mpirun", or launcher = one of {legal}'
            )
        return kind

    def words(self, launch: Launch, address: str = "") -> list[str]:
        """Without what the build needs around it (builds.within)."""
        point, build = launch.point, launch.build
        request = Request(
            name=launch.name,
            mpirun=builds.mpirun(build),
            nodes=point.nodes,
            ranks=point.ranks,
            ranks_per_node=point.ranks_per_node,
            mapping=point.mapping,
            binding=point.binding,
            processors=len(os.sched_getaffinity(0)) if point.nodes == 1 else 0,
            root=os.geteuid() == 0,
            folder=self.folder.path / "launches",
            hostfile=self.hostfile,
            platform=self.sweep.simulation.platform,
            shared=bool(launch.partner),
        )
        launcher = LAUNCHERS[self.kind(build)]
        return [*launcher.command(request), *self.benchmark(launch, address)]

    def benchmark(self, launch: Launch, address: str) -> list[str]:
        bench = launch.point.bench
        words = [str(builds.program(launch.build, bench)), *options(bench.options)]
        if self.sweep.budget.memory:
            words += ["--mem-limit", self.sweep.budget.memory]
        if self.takes_notes(launch):  # until every build has --note
            for key, value in launch.notes(self.sweep.name).items():
                words += ["--note", f"{key}={value}"]
        if launch.partner:
            words += ["--duet", f"{launch.build.name}@{address}"]
        return [*words, "--output", str(self.folder.file(launch, ".csv")), "--resume"]

    def takes_notes(self, launch: Launch) -> bool:
        path = str(builds.program(launch.build, launch.point.bench))
        if path not in self.kinds:
            said = builds.output_of(launch.build, [path, "--help"])
            self.kinds[path] = "note" if "--note" in said else ""
        return bool(self.kinds[path])


def options(given: Mapping[str, str]) -> list[str]:
    return [
        word
        for name, value in given.items()
        for word in ([f"--{name}"] if value == "true" else [f"--{name}", value])
        if value != "false"
    ]
