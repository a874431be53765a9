# SPDX-License-Identifier: BSD-3-Clause
"""Tests how launchers are told ranks, nodes, mapping and binding, and how mpirun is recognised."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agformats.errors import BadInput
from agsweep.command import Commands
from agsweep.launchers import LAUNCHERS, kind_of, launcher
from agsweep.launchers.request import Request
from agsweep.results_folder import Folder
from agsweep.sweep.points import plan
from agsweep.sweep.sweep_file import Sweep as SweepFile
from agsweep.sweep.sweep_file import load
from program.support.cluster import Cluster
from program.support.launch import Build
from program.support.results import read_results

from .sweeps import PYTHONPATH, Sweep, bench, build_table, written

FOUR = Request(
    name="x", mpirun="mpirun", nodes=4, ranks=8, ranks_per_node=2, mapping="sequential",
    binding="default", processors=0, root=False, folder=Path(), pmi="pmix",
)  # fmt: skip
CYCLIC = replace(FOUR, mapping="cyclic")
# 9 ranks on 4 nodes of 2 cores: all are filled, then the first gets one more (Loch 2021, 6.2.2).
OVER = replace(FOUR, ranks=9, overcommitted=True)
HERE = replace(FOUR, nodes=1, ranks_per_node=8, processors=2)


@pytest.mark.parametrize(
    ("launcher", "request_", "words"),
    [
        ("openmpi", FOUR, "mpirun --map-by ppr:2:node -n 8"),
        ("openmpi", CYCLIC, "mpirun --map-by node -n 8"),
        ("openmpi", HERE, "mpirun --oversubscribe -n 8"),
        ("openmpi", replace(HERE, ranks=2, root=True), "mpirun --allow-run-as-root -n 2"),
        ("openmpi", replace(FOUR, binding="core", hostfile="hosts"),
         "mpirun --hostfile hosts --map-by ppr:2:node --bind-to core -n 8"),
        ("openmpi", replace(FOUR, nodes=1, binding="core"),
         "mpirun --map-by slot --bind-to core -n 8"),
        ("mpich", FOUR, "mpirun -ppn 2 -n 8"),
        ("mpich", CYCLIC, "mpirun -ppn 1 -n 8"),
        ("mpich", replace(HERE, binding="none", hostfile="hosts"),
         "mpirun -f hosts -ppn 8 -bind-to none -n 8"),
        ("openmpi", replace(HERE, hostfile="hosts"),
         "mpirun --oversubscribe --hostfile hosts --map-by ppr:8:node -n 8"),
        ("openmpi", replace(HERE, hostfile="hosts", overcommitted=True),
         "mpirun --oversubscribe --hostfile hosts --map-by ppr:8:node -n 8"),
        ("intel", replace(HERE, hostfile="hosts"), "mpirun -f hosts -ppn 8 -n 8"),
        ("intel", FOUR, "mpirun -ppn 2 -n 8"),
        ("intel", CYCLIC, "mpirun -rr -n 8"),
        ("intel", replace(HERE, binding="core"), "mpirun -genv I_MPI_PIN_DOMAIN core "
         "-genv I_MPI_PIN_ORDER compact -n 8"),
        ("srun", FOUR,
         "srun --kill-on-bad-exit=1 --mpi=pmix --nodes=4 --ntasks=8 --distribution=block"),
        ("srun", replace(FOUR, ranks=5),
         "srun --kill-on-bad-exit=1 --mpi=pmix --nodes=3 --ntasks=5 --distribution=plane=2"),
        ("srun", OVER,
         "srun --kill-on-bad-exit=1 --mpi=pmix --nodes=4 --ntasks=9 --distribution=plane=2 "
         "--overcommit"),
        ("srun", FOUR,
         "srun --kill-on-bad-exit=1 --mpi=pmix --nodes=4 --ntasks=8 --distribution=block"),
        ("openmpi", OVER, "mpirun --oversubscribe --map-by slot -n 9"),
        ("openmpi", replace(OVER, mapping="cyclic"), "mpirun --oversubscribe --map-by node -n 9"),
        ("mpich", OVER, "mpirun -ppn 2 -n 9"),
        ("srun", replace(CYCLIC, ranks=5, binding="core", shared=True),
         "srun --kill-on-bad-exit=1 --mpi=pmix --nodes=4 --ntasks=5 --distribution=cyclic "
         "--overlap --cpu-bind=cores"),
    ],
)  # fmt: skip
def test_command(launcher: str, request_: Request, words: str) -> None:
    assert " ".join(LAUNCHERS[launcher].command(request_)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("flux run -N {nodes} -n {ranks} {program}", "flux run -N 4 -n 8"),
        ("jsrun -n {nodes} -r 1 -a {ranks_per_node} {program}", "jsrun -n 4 -r 1 -a 2"),
        ("aprun -n {ranks} -N{ranks_per_node} {program}", "aprun -n 8 -N2"),
        ("'/opt/my mpi/run' --np={ranks} {program}", "/opt/my mpi/run --np=8"),
    ],
)
def test_command_of_a_template(text: str, words: str) -> None:
    assert " ".join(launcher(text).command(FOUR)) == words
    with pytest.raises(BadInput, match="--hostfile: 'h' does not go with launcher = '"):
        launcher(text).command(replace(FOUR, hostfile="h"))


@pytest.mark.parametrize("name", ["srun", "smpirun"])
def test_a_launcher_that_reads_no_hostfile(name: str) -> None:
    with pytest.raises(BadInput, match=f"--hostfile: 'h' does not go with {name}; legal: none, "):
        launcher(name).command(replace(FOUR, hostfile="h"))


@pytest.mark.parametrize(
    ("text", "legal"),
    [
        ("flux", 'smpirun, or a template such as "flux run -N {nodes} -n {ranks} {program}"'),
        ("flux run", 'a program first and {program} last, such as "flux run'),
        ("flux run -n {ranks}", "{program} last"),
        ("{program}", "a program first"),
        ("{ranks} {program}", "a program first"),
        (
            "flux {program} -n {ranks} {program}",
            "{nodes}, {ranks}, {ranks_per_node} before {program}",
        ),
        ("flux -n {cores} {program}", "{nodes}, {ranks}, {ranks_per_node} before {program}"),
        ("flux -N {nodes} {program}", "{ranks}, or both {nodes} and {ranks_per_node}"),
        ("flux '-n {ranks} {program}", "quotes in pairs"),
    ],
)
def test_a_template_lacks_something(tmp_path: Path, text: str, legal: str) -> None:
    for top, build in ((text, "auto"), ("auto", text)):
        with pytest.raises(BadInput) as caught:
            own(tmp_path, top, build, "ranks = 2")
        assert f'launcher: "{text}" is not legal; legal: ' in str(caught.value).replace(
            f"{text!r} is", f'"{text}" is'
        )
        assert legal in str(caught.value)


def own(folder: Path, top: str, build: str, points: str) -> SweepFile:
    """Writes a sweep with these launchers."""
    return load(written(
        folder, f'launcher = "{top}"', build_table("mine", folder, f'launcher = "{build}"'),
        f"[[points]]\n{points}\n", bench(),
    ).file)  # fmt: skip


@pytest.mark.parametrize(
    ("points", "wrong"),
    [
        (
            'nodes = 2\nranks = 4\nmappings = "cyclic"',
            "points.mappings: 'cyclic' is not legal with ",
        ),
        ('ranks = 2\nbinding = "core"', "points.binding: 'core' is not legal with launcher = '"),
        ("nodes = 2\nranks = 3", "points.ranks: 3 is not legal with launcher = '"),
    ],
)
def test_points_that_a_template_cannot_ask_for(tmp_path: Path, points: str, wrong: str) -> None:
    sweep = own(tmp_path, "auto", "jsrun -n {nodes} -a {ranks_per_node} {program}", points)
    with pytest.raises(BadInput, match=rf"test\.toml: {wrong}.*; legal: "):
        plan(sweep)
    if "ranks = 3" in points:
        plan(own(tmp_path, "aprun -n {ranks} {program}", "auto", points))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("top", "build_has", "key"),
    [
        ("auto", 'mpirun = "flux run"', "mpirun: there is no program 'flux run'"),
        ("openmpi", 'mpirun = "/no/mpirun"', "mpirun: there is no program '/no/mpirun'"),
        ("fluks run -n {ranks} {program}", "", "launcher: there is no program 'fluks'"),
    ],
)
@pytest.mark.parametrize("command", ["plan", "submit --dry-run", "run"])
def test_a_launcher_that_is_not_there(
    build: Build, tmp_path: Path, command: str, top: str, build_has: str, key: str
) -> None:
    sweep = written(
        tmp_path, f'launcher = "{top}"', build_table("mine", build.folder, build_has),
        "[[points]]\nranks = 2\n", bench(), '[resources]\nmpi = "pmi2"\n',
    )  # fmt: skip
    ended = sweep.run(*command.split())
    assert ended.exit_code == 2 and len(ended.stderr.splitlines()) == 1
    assert f"test.toml: build mine: {key}; legal: " in ended.stderr
    assert not sweep.results.exists()


@pytest.mark.slow
def test_a_template_runs(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stand-in for flux starts the benchmark as the build's own launcher does."""
    flux = tmp_path / "bin" / "flux"
    flux.parent.mkdir()
    flux.write_text(f'#!/bin/sh\n[ "$*" != "${{*#run -N 1 -n 2 }}" ] || exit 9\n'
                    f'shift 5; exec {build.folder}/bin/mpirun_here 2 "$@"\n')  # fmt: skip
    flux.chmod(0o755)
    monkeypatch.setenv("PATH", str(flux.parent), prepend=":")
    sweep = written(
        tmp_path, 'launcher = "flux run -N {nodes} -n {ranks} {program}"',
        build_table("mine", build.folder), "[[points]]\nranks = 2\n", bench(),
    )  # fmt: skip
    sweep.ok("plan")
    sweep.ok("submit", "--dry-run")
    script = (sweep.results / "jobs" / "n1.sbatch").read_text()
    assert f"    flux run -N 1 -n 2 {build.folder}/bin/allgather_bench " in script
    sweep.ok("run")
    found = read_results(sweep.file_of("n1_p2_sequential_allgather_mine_0.csv.gz"))
    assert found.metadata["ranks"] == "2" and found.cases


PAIR = """{top}
[[builds]]
name = "one"
launcher = "openmpi"
mpirun = "mpirun"
[[builds]]
name = "other"
launcher = "mpich"
mpirun = "mpiexec"
[[points]]
nodes = {nodes}
ranks = 2
{points}
[[bench]]
program = "allgather_bench"
"""


@pytest.mark.parametrize(
    ("top", "nodes", "points", "flags"),
    [
        ('pairing = "duet"', 1, "", ("--bind-to core", "-bind-to core")),
        ('pairing = "alternate"', 2, "", ("--bind-to core", "-bind-to core")),
        ('pairing = "duet"', 1, "cores = 1", ("--bind-to none", "-bind-to none")),
        ('pairing = "duet"', 1, 'binding = "none"', ("--bind-to none", "-bind-to none")),
        ("", 1, "", ("mpirun", "mpiexec")),
    ],
)
def test_both_of_a_pair_are_bound_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, top: str, nodes: int, points: str,
    flags: tuple[str, str],
) -> None:  # fmt: skip
    """Open MPI binds by itself, MPICH does not: `compare` would refuse the two."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    file = tmp_path / "two_bound.toml"
    file.write_text(PAIR.format(top=top, nodes=nodes, points=points))
    sweep = load(file)
    commands = Commands(sweep, Folder(tmp_path / "results"))
    for launch in plan(sweep).launches:
        words = " ".join(commands.words(launch))
        flag = flags[launch.build.name == "other"]
        assert f" {flag} " in f" {words} "
        assert ("bind-to" in words) == ("bind-to" in flag)


@pytest.mark.parametrize(
    ("slots", "top", "binding"),
    [(1, 'pairing = "duet"', "none"), (2, 'pairing = "duet"', "core"), (1, "", "")],
)
def test_fewer_slots_than_processors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, slots: int, top: str, binding: str
) -> None:
    """Open MPI takes a core for a slot, or what a scheduler granted; processors are threads."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    mpirun = tmp_path / "mpirun"
    refuses = f'[[ "$*" != *"-n 2 true" ]] || ((2 <= {slots}))'
    mpirun.write_text(f"#!/usr/bin/env bash\necho >>{tmp_path}/asked\n{refuses}\n")
    mpirun.chmod(0o755)
    file = tmp_path / "slots.toml"
    text = PAIR.format(top=top, nodes=1, points="")
    file.write_text(text.replace('mpirun = "mpirun"', f'mpirun = "{mpirun}"'))
    sweep = load(file)
    commands = Commands(sweep, Folder(tmp_path / "results"))
    for launch in plan(sweep).launches:
        words = " ".join(commands.words(launch))
        assert ("--oversubscribe" in words) == (slots == 1 and launch.build.name == "one")
        assert (f"bind-to {binding}" in words) == bool(binding)
    assert (tmp_path / "asked").read_text() == "\n"  # once for all launches


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("mpirun (Open MPI) 4.1.4\n", "openmpi"),
        ("mpirun (Open MPI) 5.0.11\n", "openmpi"),
        ("HYDRA build details:\n    Version:  4.0.2\n", "mpich"),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.13 Build 20240515\n", "intel"),
        ("slurm 22.05.8\n", "srun"),
        ("bash: mpirun: command not found\n", None),
    ],
)
def test_version(version: str, kind: str | None) -> None:
    assert kind_of(version) == kind


@pytest.mark.parametrize("program", ["mpirun.openmpi", "mpirun.mpich"])
def test_of_this_machine(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"there is no {program}")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert kind_of(done.stdout) == program.removeprefix("mpirun.")


@pytest.mark.cluster
@pytest.mark.parametrize("mapping", ["sequential", "cyclic"])
def test_mapping_over_hosts(cluster: Cluster, tmp_path: Path, mapping: str) -> None:
    """5 ranks on 3 hosts of 2: the ranks lie as asked, says the benchmark."""
    kind = kind_of(subprocess.run(
        [mpirun := cluster.build.cached("GATHERBENCH_MPIEXEC"), "--version"],
        capture_output=True, text=True, check=True).stdout)  # fmt: skip
    assert kind is not None
    asked = replace(FOUR, mpirun=mpirun, nodes=3, ranks=5, mapping=mapping, root=True)
    words = " ".join(LAUNCHERS[kind].command(asked))
    ended = cluster.shell(
        "3", f"{words} $bin/allgather_bench --sizes 1 --algorithms ring -i 2 -x 0 --output out.csv",
        "--slots", "2", cwd=tmp_path,
    )  # fmt: skip
    assert ended.exit_code == 0, ended.stderr
    found = read_results(tmp_path / "out.csv")
    assert {row["mapping"] for row in found.rows} == {"as launched"}, "nobody told the benchmark"
    assert found.metadata["placement"] == mapping
    assert found.metadata["ranks_per_node"] == "2,2,1"
    assert found.metadata["hosts"] == "h0,h1,h2"


def of_sweep(sweep: Sweep, *words: str) -> str:
    """Returns the command for a shell on a host."""
    command = " ".join(sweep.words(*words))
    return f"PYTHONPATH={PYTHONPATH} {sys.executable} -m agsweep.main {command}"


@pytest.mark.cluster
def test_one_of_the_hosts(cluster: Cluster, tmp_path: Path) -> None:
    """A point of one node has the first host alone, of a hostfile with two hosts of two slots."""
    sweep = written(
        tmp_path, build_table("mine", cluster.build.folder), "[[points]]\nranks = 4\n", bench()
    )
    ended = cluster.shell("2", of_sweep(sweep, "run", "--hostfile", "$HOSTFILE"), "--slots", "2")
    assert ended.exit_code == 0, ended.stderr
    found = read_results(sweep.file_of("n1_p4_sequential_allgather_mine_0.csv.gz"))
    assert found.metadata["hosts"] == "h0"


@pytest.mark.cluster
def test_more_hosts_than_the_point_has(cluster: Cluster, tmp_path: Path) -> None:
    """A launcher that spreads ranks all the same: what it measured is no result of the point."""
    mpirun = cluster.build.cached("GATHERBENCH_MPIEXEC")
    sweep = written(
        tmp_path, f'launcher = "{mpirun} -n {{ranks}} {{program}}"',
        build_table("mine", cluster.build.folder), "[[points]]\nranks = 2\n", bench(),
    )  # fmt: skip
    why = "ran on 2 hosts, h0,h1, and its point has nodes = 1; legal: "
    ended = cluster.shell("2", of_sweep(sweep, "run"))
    assert ended.exit_code == 3, ended.stderr
    assert why in ended.stdout and "0 of 1 launches are done" in ended.stdout
    status = sweep.run("status")
    assert status.exit_code == 3 and why in status.stdout
    refused = sweep.run("collect")
    assert refused.exit_code == 2 and "no launch is done" in refused.stderr
    assert not (sweep.results / "dataset").exists()
