# SPDX-License-Identifier: BSD-3-Clause
"""The command of a launch: the launcher's part, then the benchmark with its options."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from agformats.errors import BadInput
from agformats.files.gzip_text import GZIP
from agsweep import queue
from agsweep.launchers import (
    LAUNCHERS,
    Launcher,
    kind_of,
    launcher,
    openmpi,
    smpirun,
    srun,
    template,
)
from agsweep.launchers.request import Request
from agsweep.launchers.words import first_line
from agsweep.results_folder import SUFFIX, Folder
from agsweep.sweep import builds
from agsweep.sweep.points import Launch, Plan
from agsweep.sweep.sweep_file import Sweep
from agsweep.sweep.tables import Build


@dataclass
class Commands:
    """Makes the commands of a sweep; asks each build's mpirun once what it is."""

    sweep: Sweep
    folder: Folder
    launcher: str = "auto"  # a command may settle it: simulate does
    hostfile: str = ""
    in_job: bool = False  # the commands are for a job script
    dry_run: bool = False
    kinds: dict[str, str] = field(default_factory=dict)  # of each build's mpirun
    pmis: dict[str, str] = field(default_factory=dict)  # srun's --mpi, by build
    refusals: dict[tuple[str, int], bool] = field(default_factory=dict)  # by build and ranks

    def given(self, build: Build) -> str:
        named = (self.launcher, build.launcher, self.sweep.top.launcher)
        return next((name for name in named if name != "auto"), "auto")

    def launcher_of(self, build: Build) -> Launcher:
        if (given := self.given(build)) != "auto":
            return launcher(given)
        if self.in_job:
            return srun
        return LAUNCHERS[self.kind(build)]

    def kind(self, build: Build) -> str:
        """Returns the kind of the build's mpirun."""
        if build.name not in self.kinds:
            self.kinds[build.name] = self.asked_kind(build)
        return self.kinds[build.name]

    def pmi(self, build: Build) -> str:
        """Returns srun's --mpi."""
        if self.sweep.resources.mpi != "auto":
            return self.sweep.resources.mpi
        if build.name not in self.pmis:
            self.pmis[build.name] = queue.pmi_for(self.kind(build), self.dry_run)
        return self.pmis[build.name]

    def asked_kind(self, build: Build) -> str:
        mpirun = builds.mpirun(build)
        said = builds.output_of(build, [mpirun, "--version"])
        if (kind := kind_of(said)) is None:
            if not self.in_job and not builds.has_environment(build):
                # Its launches end before their launcher, and their logs say why.
                return next(iter(LAUNCHERS))
            line, legal = first_line(said), ", ".join(LAUNCHERS)
            raise BadInput(
                f"build {build.name}: '{mpirun} --version' says '{line}', which is no launcher "
                f'known here; legal: mpirun = "/path/to/mpirun", or launcher = one of {legal}'
            )
        return kind

    def check_programs(self) -> None:
        """Checks that the programs are there that the sweep file names to start launches."""
        for build in self.sweep.builds:
            given = self.given(build)
            if given not in ("auto", *LAUNCHERS):
                if build.mpirun:
                    raise BadInput(
                        f"build {build.name}: mpirun: '{build.mpirun}' would start nothing beside "
                        f"launcher = '{given}'; legal: one of the two"
                    )
                builds.check_launcher(build, "launcher", template.read(given).program)
            elif build.mpirun and given != "srun":
                builds.check_launcher(build, "mpirun", build.mpirun)

    def check(self, planned: Plan) -> None:
        """Refuses what cannot be launched, before there is a folder; of each point and build one
        launch tells. A launcher may write files to its own folder."""
        self.check_programs()
        with TemporaryDirectory() as trial:
            there = replace(self, folder=Folder(Path(trial)))
            for steps in planned.groups.values():
                one_of_each = {launch.build.name: launch for step in steps for launch in step}
                for launch in one_of_each.values():
                    there.words(launch, "duet")

    def words(self, launch: Launch, address: str = "") -> list[str]:
        """Returns the words without what the build needs around it (builds.within)."""
        point, build = launch.point, launch.build
        launcher = self.launcher_of(build)
        if point.platform and launcher is not smpirun:
            raise BadInput(
                f"points.platform: '{point.platform}' is of simulations, and build {build.name} is "
                "none; legal: a build with SimGrid"
            )
        request = Request(
            name=launch.name,
            mpirun=builds.mpirun(build),
            nodes=point.nodes,
            ranks=point.ranks,
            ranks_per_node=point.ranks_per_node,
            mapping=point.mapping,
            binding=point.binding,
            processors=0 if self.in_job or point.nodes > 1 else len(os.sched_getaffinity(0)),
            root=os.geteuid() == 0,
            folder=self.folder.path / "launches",
            hostfile=self.hostfile,
            pmi=self.pmi(build) if launcher is srun else "",
            platform=point.platform or self.sweep.simulation.platform,
            simulation=self.sweep.simulation.options,
            overcommitted=point.overcommitted,
            shared=bool(launch.partner),
        )
        # The ranks of a pair are bound alike: where one build shares cores, the other does.
        paired = self.sweep.builds if launch.paired else [build]
        request = replace(request, refused=any(self.refused(each, request) for each in paired))
        if launch.paired and request.binding == "default":  # launchers have different ones
            binding = "none" if request.oversubscribed else "core"
            request = replace(request, binding=binding)
        return [*launcher.command(request), *self.benchmark(launch, address)]

    def refused(self, build: Build, request: Request) -> bool:
        """Returns whether the build's launcher has fewer slots on this machine than ranks."""
        if self.launcher_of(build) is not openmpi or not 1 < request.ranks <= request.processors:
            return False
        key = build.name, request.ranks
        if key not in self.refusals:
            asked = replace(request, mpirun=builds.mpirun(build))
            self.refusals[key] = not builds.succeeds(build, openmpi.trial(asked))
        return self.refusals[key]

    def benchmark(self, launch: Launch, address: str) -> list[str]:
        bench = launch.point.bench
        words = [str(builds.program(launch.build, bench)), *options(bench.options)]
        if self.sweep.budget.memory:
            words += ["--mem-limit", self.sweep.budget.memory]
        if "mapping" not in bench.options:  # else the benchmark renumbers the ranks
            words += ["--launched-mapping", launch.point.mapping]
        if len(self.sweep.builds) > 1 and "sync" not in bench.options:
            # A library's own barrier would be in the comparison of two libraries.
            words += ["--sync", "dissemination"]
        notes = {**self.folder.notes, **launch.notes(self.sweep.name)}
        for key, value in notes.items():
            words += ["--note", f"{key}={value}"]
        if launch.partner:
            words += ["--duet", f"{launch.build.name}@{address}"]
        return [*words, "--output", str(self.result(launch)), "--resume"]

    def result(self, launch: Launch) -> Path:
        """Returns the result to write: one that is there is gone on with, whatever would be
        begun now."""
        begun = self.folder.file(launch, SUFFIX + GZIP if self.sweep.top.compress else SUFFIX)
        return self.folder.result(launch) or begun


def options(given: Mapping[str, str]) -> list[str]:
    return [
        word
        for name, value in given.items()
        for word in ([f"--{name}"] if value == "true" else [f"--{name}", value])
        if value != "false"
    ]
