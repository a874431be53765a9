# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts: what the templates in jobs/ are filled with."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from agformats.errors import BadInput
from agsweep import builds
from agsweep.command import Commands
from agsweep.launchers import srun
from agsweep.points import Launch, Point, Step

JOBS = Path(__file__).resolve().parents[1]
TEMPLATES = {
    "slurm": "slurm/sweep.sbatch.j2",
    "pbs": "pbs/sweep.pbs.j2",
    "lsf": "lsf/sweep.lsf.j2",
}
SOCKET = "@SOCKET@"  # in a command, where the script has its variable


@dataclass(frozen=True)
class Group:
    """Launches of a point, which stay together in a job."""

    point: Point
    steps: Sequence[Step]


@dataclass(frozen=True)
class Script:
    path: Path
    text: str
    groups: Sequence[Group]
    array: bool


def scripts(commands: Commands, groups: Sequence[Group]) -> list[Script]:
    """One for each number of nodes."""
    by_nodes: dict[int, list[Group]] = {}
    for group in groups:
        by_nodes.setdefault(group.point.nodes, []).append(group)
    return [script(commands, nodes, some) for nodes, some in sorted(by_nodes.items())]


def script(commands: Commands, nodes: int, groups: Sequence[Group]) -> Script:
    sweep, folder = commands.sweep, commands.folder
    array = sweep.resources.jobs == "array"
    launches = [launch for group in groups for step in group.steps for launch in step]
    name = sweep.resources.template or TEMPLATES[sweep.resources.scheduler]
    values = {
        "sweep": sweep.name,
        "job_name": f"{sweep.name}-n{nodes}",
        "folder": shlex.quote(str(folder.path)),
        "nodes": nodes,
        "ranks_per_node": max(group.point.ranks_per_node for group in groups),
        "resources": sweep.resources,
        "steps_are_told": all(commands.launcher_of(launch.build) is srun for launch in launches),
        "array": array,
        "builds": [
            {"name": build.name, "lines": builds.preamble(build) or [":"]} for build in sweep.builds
        ],
        "groups": [
            {"name": g.point.name, "steps": [[entry(commands, x) for x in s] for s in g.steps]}
            for g in groups
        ],
        "hms": lambda s: f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}",
    }
    try:
        text = template(name).render(values)
    except jinja2.UndefinedError as error:
        raise BadInput(f"resources.template: {name}: {error.message}") from None
    suffix = Path(TEMPLATES[sweep.resources.scheduler]).suffixes[0]
    return Script(free_name(folder.jobs, f"n{nodes}", suffix), text, groups, array)


def entry(commands: Commands, launch: Launch) -> dict[str, Any]:
    words = shlex.join(commands.words(launch, SOCKET)).replace(SOCKET, "$socket")
    number = commands.sweep.builds.index(launch.build)
    return {"name": launch.name, "build": number, "words": words}


def template(name: str) -> jinja2.Template:
    """Ours by its path in jobs/, the user's by its path."""
    own = Path(name)
    loader = jinja2.FileSystemLoader([JOBS, own.parent])
    environment = jinja2.Environment(
        loader=loader, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, autoescape=False,
    )  # fmt: skip
    try:
        return environment.get_template(name if name in TEMPLATES.values() else own.name)
    except jinja2.TemplateNotFound:
        raise BadInput(f"resources.template: '{name}' is no file") from None
    except jinja2.TemplateSyntaxError as error:
        raise BadInput(f"resources.template: {name}:{error.lineno}: {error.message}") from None


def free_name(folder: Path, stem: str, suffix: str) -> Path:
    """n4.sbatch, n4.2.sbatch, ...: no script is overwritten."""
    number = 1
    while (path := folder / f"{stem}{f'.{number}' if number > 1 else ''}{suffix}").exists():
        number += 1
    return path
