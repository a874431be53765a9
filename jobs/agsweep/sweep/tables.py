# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a sweep file, key by key: how each is read, what it means, its default."""

from dataclasses import dataclass

from agformats.catalogue import catalogue
from agformats.errors import Illegal
from agsweep.launchers import LAUNCHERS, template
from agsweep.toml.schema import (
    directives,
    flag,
    key,
    name,
    numbers,
    one_of,
    percent,
    seconds,
    settings,
    simgrid_settings,
    size,
    sizes,
    some_of,
    text,
    texts,
    variables,
    whole,
)

PROGRAMS = tuple(each.executable for each in catalogue().collectives)
MAPPINGS = tuple(each.name for each in catalogue().mappings if each.selectable)
PAIRINGS = ("none", "duet", "alternate", "both")
BINDINGS = ("default", "core", "none")


def launcher(value: object) -> str:
    if isinstance(value, str) and ("{" in value or " " in value):
        template.read(text(value))
        return value
    try:
        return one_of("auto", *LAUNCHERS)(value)
    except Illegal as error:
        raise Illegal(f"{error}, or a template such as {template.EXAMPLE}") from None


@dataclass(frozen=True)
class Top:
    """The keys above the tables."""

    name: str = key(name, "of the folder with the results; else the file's", "")
    launches: int = key(whole(1, 10000), "of each point and build", 1)
    precision: float = key(
        percent,
        "add launches of a point until the 95 % interval of each median, over launches, is within "
        "this of it; default: none are added",
        0.0,
    )
    most_launches: int = key(whole(2, 10000), "of each point and build, with precision", 30)
    launcher: str = key(launcher, "auto: srun in Slurm, else mpirun's kind", "auto")
    pairing: str = key(one_of(*PAIRINGS), "how two builds are paired", "none")
    compress: bool = key(flag, "result files (.csv.gz)", True)


@dataclass(frozen=True, eq=False)  # compared by identity: it holds a dict
class Build:
    name: str = key(name, "in file names and reports")
    folder: str = key(text, "the build folder, which has the benchmarks in bin/", "build")
    modules: tuple[str, ...] = key(texts, "to load first, in this order", ())
    venv: str = key(text, "virtual environment or prefix with the MPI in bin/ and lib/", "")
    environment: dict[str, str] = key(variables, "variables to set", {})
    mpirun: str = key(text, "its mpirun, if not the one that the build was configured with", "")
    launcher: str = key(launcher, "as the sweep's, for this build", "auto")


@dataclass(frozen=True)
class Points:
    nodes: tuple[int, ...] = key(numbers, "numbers of nodes", (1,))
    cluster: str = key(
        name, "the machine, in file names and as a note, where there are several", ""
    )
    cores: int = key(
        whole(1), "of a node: `sequential` fills all nodes to here, then begins again", 0
    )
    ranks_per_node: int = key(whole(1), "most ranks on a node; filled to here if cores is none", 0)
    ranks: tuple[int, ...] = key(numbers, "numbers of ranks; else every node is filled", ())
    mappings: tuple[str, ...] = key(some_of(*MAPPINGS), "how ranks lie on nodes", ("sequential",))
    bench: tuple[str, ...] = key(texts, "names of those that run here; else all", ())
    binding: str = key(
        one_of(*BINDINGS),
        "of ranks to cores; default: the launcher's, in a pairing core, or none where ranks share "
        "processors",
        "default",
    )
    platform: str = key(text, "of a simulation, if not the one of [simulation]", "")


@dataclass(frozen=True, eq=False)  # compared by identity: it holds a dict
class Bench:
    program: str = key(one_of(*PROGRAMS), "the benchmark")
    name: str = key(name, "in file names; else the collective's", "")
    options: dict[str, str] = key(
        settings, "its options, by their long names; true: a bare one", {}
    )
    sizes_times_ranks: tuple[int, ...] = key(
        sizes, "block sizes times the number of ranks: each launch has its part of them", ()
    )


@dataclass(frozen=True)
class Resources:
    jobs: str = key(one_of("one", "array"), "for each number of nodes: one job, or an array", "one")
    time: int = key(seconds, "limit of a job, or of each element of an array", 0)
    signal: int = key(seconds, "SIGTERM this long before it, to close files", 60)
    partition: str = key(text, "or queue", "")
    account: str = key(text, "or project", "")
    constraint: str = key(text, "on nodes", "")
    exclusive: bool = key(flag, "nodes for this job alone", True)
    requeue: bool = key(flag, "may the scheduler start it again", True)
    mpi: str = key(text, "srun's --mpi; auto asks `srun --mpi=list`", "auto")
    extra: tuple[str, ...] = key(directives, "more lines, without #SBATCH", ())
    template: str = key(text, "your own job script template", "")


@dataclass(frozen=True)
class Budget:
    memory: str = key(size, "most memory a rank may use (the benchmark's --mem-limit)", "")
    launch_time: int = key(seconds, "most time of a launch; it is ended then, and resumed", 0)
    node_hours: int = key(whole(1), "submit refuses a sweep that may take more in jobs", 0)


@dataclass(frozen=True)
class Simulation:
    platform: str = key(text, "platform file, or a description of one", "")
    options: dict[str, str] = key(simgrid_settings, "of SimGrid: each becomes --cfg=NAME:VALUE", {})
