# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts: what the templates (templates/, or the user's own) are filled with."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agformats.catalogue import catalogue
from agformats.errors import BadInput
from agformats.notes import note
from agformats.regular_file import MOST_TEXT_BYTES, require_regular
from agsweep import launch_log, queue
from agsweep.command import Commands
from agsweep.launchers import srun
from agsweep.sweep import builds
from agsweep.sweep.points import Launch, Point, Step
from agsweep.sweep.tables import Build, Resources

if TYPE_CHECKING:  # imported where a script is written
    import jinja2

SOCKET = "@SOCKET@"  # stands in a command for the variable of the script
OURS = "sweep.sbatch.j2"
# Slurm ends the path of a job's output at these, or makes something else of them. A % is no such
# character, since Slurm has an escape for it.
UNFIT = r"[\\\n\r]"


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
    """Returns one job script for each number of nodes, the smallest number first."""
    by_nodes: dict[int, list[Group]] = {}
    for group in groups:
        by_nodes.setdefault(group.point.nodes, []).append(group)
    return [script(commands, nodes, some) for nodes, some in sorted(by_nodes.items())]


def script(commands: Commands, nodes: int, groups: Sequence[Group]) -> Script:
    sweep, folder = commands.sweep, commands.folder
    array = sweep.resources.jobs == "array" and len(groups) > 1
    values = {
        "sweep": sweep.name,
        "job_name": f"{sweep.name}-n{nodes}",
        "folder": shlex.quote(str(folder.path)),
        "output_folder": lambda: output_folder(folder.jobs),
        "nodes": nodes,
        "ranks_per_node": max(group.point.ranks_per_node for group in groups),
        "overcommit": any(group.point.overcommitted for group in groups),
        "resources": sweep.resources,
        "steps_are_told": all(commands.launcher_of(build) is srun for build in builds_of(groups)),
        "array": array,
        "builds": [
            {"name": build.name, "lines": builds.preamble(build) or [":"]} for build in sweep.builds
        ],
        "groups": [
            {"name": group.point.name, "steps": entries(commands, group)} for group in groups
        ],
        "log": launch_log,
        "secrets": catalogue().secret_words,
        "hms": lambda s: f"{s // 3600}:{s // 60 % 60:02}:{s % 60:02}",
    }
    path = free_name(folder.jobs, f"n{nodes}", ".sbatch")
    text = rendered(sweep.resources, values)
    queue.refuse_twice(path, text, sweep.resources.extra)
    return Script(path, text, groups, array)


def output_folder(jobs: Path) -> str:
    """Returns the path as a directive has it, which Slurm reads and not a shell."""
    if found := re.search(UNFIT, str(jobs)):
        raise BadInput(
            f"--results: '{jobs}': Slurm would misread the {found[0]!r} in the path of a "
            "job's output; legal: a folder whose path has none"
        )
    return shlex.quote(str(jobs).replace("%", "%%"))


def builds_of(groups: Sequence[Group]) -> Iterator[Build]:
    """Yields the build of each launch."""
    for group in groups:
        yield from (launch.build for step in group.steps for launch in step)


def entries(commands: Commands, group: Group) -> list[list[dict[str, Any]]]:
    return [[entry(commands, launch) for launch in step] for step in group.steps]


def entry(commands: Commands, launch: Launch) -> dict[str, Any]:
    words = shlex.join(commands.words(launch, SOCKET)).replace(SOCKET, '"$socket"')
    number = commands.sweep.builds.index(launch.build)
    return {"name": launch.name, "build": number, "words": words}


def rendered(resources: Resources, values: Mapping[str, Any]) -> str:
    """Returns the text of a script, made by the user's own template or by ours. Raises BadInput if
    the user's template cannot be rendered."""
    import jinja2

    own = own_template(resources)
    try:
        return environment(own).get_template(own.name if own else OURS).render(values)
    except jinja2.TemplateSyntaxError as error:
        place = f"{error.filename or own}:{error.lineno}"
        raise BadInput(f"resources.template: {place}: {error.message}") from None
    except jinja2.TemplateNotFound as error:
        what = f"wants '{error.name}', which is neither beside it nor a template of agsweep"
        raise BadInput(f"resources.template: {own}: {what}") from None
    except jinja2.UndefinedError as error:
        raise BadInput(f"resources.template: {own}: {error.message}") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"resources.template: {own}: {error}; legal: a text in UTF-8") from None


def own_template(resources: Resources) -> Path | None:
    """Returns the user's own template; None: agsweep's own is wanted. Raises BadInput if the
    template is no file."""
    if not resources.template:
        return None
    given = Path(resources.template)
    if given.is_file():
        require_regular(given, MOST_TEXT_BYTES)
        return given
    if resources.template.removeprefix("jobs/") == f"slurm/{OURS}":
        # So agsweep's own template was named in 0.1.0.
        note(f"resources.template: '{given}' is agsweep's own, which is taken without this key too")
        return None
    raise BadInput(
        f"resources.template: '{given}' is no file; legal: a template of your own, such as a "
        f"changed copy of {Path(__file__).parent / 'templates' / OURS}"
    )


def environment(own: Path | None) -> "jinja2.Environment":
    """Returns the Jinja environment of a template, which may include what lies beside it, and
    agsweep's templates. own: the user's template; None if there is none."""
    import jinja2

    ours = jinja2.PackageLoader("agsweep")  # its templates/
    in_010 = jinja2.PrefixLoader({"slurm": ours})  # slurm/sweep.sbatch.j2
    beside = [jinja2.FileSystemLoader(own.parent)] if own else []
    made = jinja2.Environment(
        loader=jinja2.ChoiceLoader([*beside, ours, in_010]),
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, autoescape=False,
    )  # fmt: skip
    made.filters["quoted"] = shlex.quote
    return made


def free_name(folder: Path, stem: str, suffix: str) -> Path:
    """Returns the first path that is free of n4.sbatch, n4.2.sbatch, ...: no script is
    overwritten."""
    number = 1
    while (path := folder / f"{stem}{f'.{number}' if number > 1 else ''}{suffix}").exists():
        number += 1
    return path
