# SPDX-License-Identifier: BSD-3-Clause
"""Make one data set of a sweep's results: results.parquet, launches.parquet and manifest.json.

results.parquet has a row an iteration, launches.parquet one a launch, with what it says of itself;
`launch` joins them. The manifest says of every result file its sha256, rows and cases, of which
build, point and launch it is, and which launch of the data set it has become (`number`); of every
build its MPI, compiler and version. What is not done yet is named there, too. What
--record wrote is copied, build by build. For `agreport`, name the folder, or FOLDER/BUILD for a
build in it.
"""

import contextlib
import json
import os
import shutil
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agformats import paths
from agformats.cli.keep_going import add_keep_going
from agformats.errors import BadInput
from agformats.files.data_set_sums import MANIFEST, sha256_of, write_sums
from agformats.files.gzip_text import read_bytes
from agformats.notes import note
from agformats.regular_file import require_regular
from agsweep import options
from agsweep.launch_log import now, tries
from agsweep.precision import grown_progress
from agsweep.results_folder import BESIDE, Folder
from agsweep.states import Progress, State, why_of_another_point
from agsweep.sweep.points import Launch
from agsweep.sweep.sweep_file import Sweep

if TYPE_CHECKING:  # with pandas: takes a second
    from agformats.files.data_set_writer import Writer

INCOMPLETE = 3  # the exit code where cases are left out
# These metadata of the result files belong to a build.
OF_BUILD = ("suite", "mpi", "compiler")


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    parser.add_argument("-o", "--output", metavar="FOLDER", type=paths.folder,
                        help="a new folder (default: dataset, among the results)")  # fmt: skip
    parser.add_argument("--partial", action="store_true",
                        help="take the finished cases of unfinished launches, too")  # fmt: skip
    add_keep_going(parser)


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    output: Path = given.output or folder.path / "dataset"
    if output.exists():
        raise BadInput(
            f"--output: {output} is there already, and nothing is overwritten; legal: -o FOLDER"
        )
    _, found = grown_progress(sweep, folder)
    taken = [each for each in found if is_taken(folder, each, given.partial)]
    if not taken:
        more = f"agsweep status {folder.words(sweep)} tells more"
        raise BadInput(f"{folder.path}: no launch is done; {more}")
    missing = {each.launch.name: each.reason or each.state.value for each in found}
    for each in taken:
        del missing[each.launch.name]
    with whole_or_none(output) as partial:
        manifest = write(partial, sweep, folder, taken, given.keep_going)
        manifest["missing"] = missing
        (partial / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n")
        write_sums(partial)  # again: now of the manifest and of what --record wrote, too
    rows = sum(entry["rows"] for entry in manifest["files"])
    print(f"{output}: {len(taken)} of {len(found)} launches, {rows} rows, manifest.json")
    return INCOMPLETE if any(entry["left_out"] for entry in manifest["files"]) else 0


def is_taken(folder: Folder, each: Progress, partial: bool) -> bool:
    return each.state is State.DONE or (partial and has_a_finished_case(folder, each))


@contextlib.contextmanager
def whole_or_none(output: Path) -> Iterator[Path]:
    """Yields the path of a folder to make and write in, which becomes the output; if anything goes
    wrong, nothing is left."""
    partial = output.with_name(f"{output.name}.{os.getpid()}.partial")
    around = [each for each in partial.parents if not each.exists()]
    try:
        yield partial
        put(partial, output)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        for made in around:  # the innermost first
            with contextlib.suppress(OSError):
                made.rmdir()
        raise


def put(partial: Path, output: Path) -> None:
    try:
        partial.rename(output)
    except OSError:
        if not output.exists():
            raise
        raise BadInput(
            f"--output: {output} was made meanwhile, by another collect it seems; legal: -o FOLDER"
        ) from None


def has_a_finished_case(folder: Folder, each: Progress) -> bool:
    from agformats.files.result_file import CASE_END

    path = folder.result(each.launch)
    return path is not None and b"\n" + CASE_END in read_bytes(path)


def write(
    output: Path, sweep: Sweep, folder: Folder, taken: list[Progress], keep_going: bool
) -> dict[str, Any]:
    from agformats.files.data_set_schema import LAUNCHES, RESULTS
    from agformats.files.data_set_writer import Writer

    output.mkdir(parents=True)
    with Writer(output) as data_set:
        files, builds = write_launches(output, folder, taken, data_set, keep_going)
    shutil.copyfile(folder.sweep_file, output / "sweep.toml")
    return {
        "sweep": sweep.name,
        "collected": now(),
        "sweep_file": checked(output, output / "sweep.toml"),
        "data": [checked(output, output / name) for name in (RESULTS, LAUNCHES)],
        "builds": {one.name: builds[one.name] for one in sweep.builds if one.name in builds},
        "files": files,
    }


def write_launches(
    output: Path, folder: Folder, taken: list[Progress], data_set: "Writer", keep_going: bool
) -> tuple[list[dict[str, Any]], dict[str, dict[str, Any]]]:
    """Writes the launches; returns what the manifest says of the files, and of the builds."""
    from agformats.files.data_set_writer import WHOLE_FILE
    from agformats.files.result_file import CASE
    from agformats.files.result_rows import read

    files: list[dict[str, Any]] = []
    builds: dict[str, dict[str, Any]] = {}
    # The order is that in which reports read files, so that sums are the same to the last digit.
    found = [(each, source) for each in taken if (source := folder.result(each.launch))]
    for each, source in sorted(found, key=lambda one: (one[0].launch.build.name, one[1].name)):
        build, point = each.launch.build, each.launch.point
        before = checked(folder.path, source)
        launch, rows = read(source, WHOLE_FILE, keep_going)
        for text in launch.left_out:
            print(f"agsweep: warning: {text}", file=sys.stderr)
        if not launch.checked:
            note("some result files have no checksums, so nothing tells whether they were altered")
        if checked(folder.path, source) != before:
            raise BadInput(f"{source}: is being written; collect again when that launch has ended")
        number = data_set.add(launch, rows, f"{build.name}/{source.name}",
                              {"build": build.name, "point": point.name})  # fmt: skip
        metadata = launch.metadata
        if reason := why_of_another_point(source, point):  # --partial takes what is not done
            raise BadInput(reason)
        about = {key: metadata.get(key, "") for key in OF_BUILD}
        known = builds.setdefault(build.name, {"folder": build.folder, "modules": [*build.modules],
                                               "venv": build.venv, "environment": build.environment,
                                               "versions": []})  # fmt: skip
        if about not in known["versions"]:  # more than one: it was built anew during the sweep
            known["versions"].append(about)
        files.append({
            **before, "rows": len(rows), "cases": rows.group_by(CASE).aggregate([]).num_rows,
            "number": number, "finished": each.state is State.DONE,
            "left_out": launch.left_out, "checked": launch.checked,
            "build": build.name, "version": known["versions"].index(about), "point": point.name,
            "launch": each.launch.number, "partner": each.launch.partner,
            "bench": point.bench.name, "nodes": point.nodes,
            "ranks": point.ranks, "mapping": point.mapping,
            "hosts": metadata.get("hosts", ""), "start": metadata.get("start", ""),
            "tries": len(tries(folder.file(each.launch, ".log"))),
            **copy_recorded(folder, each.launch, output),
        })  # fmt: skip
    return files, builds


def copy_recorded(folder: Folder, launch: Launch, output: Path) -> dict[str, Any]:
    """Copies what --record wrote of a launch; returns what the manifest says of it."""
    found = {}
    for name, suffix in BESIDE.items():
        if beside := folder.result(launch, suffix):
            require_regular(beside)
            copy = output / launch.build.name / beside.name
            copy.parent.mkdir(exist_ok=True)
            shutil.copyfile(beside, copy)
            found[name] = checked(output, copy)
    return found


def checked(top: Path, path: Path) -> dict[str, Any]:
    digest = sha256_of(path)
    return {"file": str(path.relative_to(top)), "sha256": digest, "bytes": path.stat().st_size}
