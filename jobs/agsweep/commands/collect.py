# SPDX-License-Identifier: BSD-3-Clause
"""Make one data set of a sweep's results: the files, build by build, and manifest.json.

The manifest says of every file its sha256, rows and cases, of which build, point and launch it is,
and of every build its MPI, compiler and version. What is not done yet is named there, too. For
`agreport`, name the folder, or that of a build in it.
"""

import hashlib
import json
import os
import shutil
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from agformats.errors import BadInput
from agsweep import options
from agsweep.launch_log import now, tries
from agsweep.points import plan
from agsweep.results_folder import Folder
from agsweep.states import Progress, State, progress
from agsweep.sweep_file import Sweep

PER_RANK_SUFFIX = ".ranks.csv"
# Of the result files' metadata, what belongs to a build.
OF_BUILD = ("suite", "mpi", "compiler")


def add_options(parser: ArgumentParser) -> None:
    options.add_options(parser)
    parser.add_argument("-o", "--output", metavar="FOLDER", type=Path,
                        help="a new folder (default: dataset, among the results)")  # fmt: skip
    parser.add_argument("--partial", action="store_true",
                        help="take the finished cases of unfinished launches, too")  # fmt: skip


def run(given: Namespace) -> int:
    sweep, folder = options.opened(given)
    output: Path = given.output or folder.path / "dataset"
    if output.exists():
        raise BadInput(f"{output} is there already, and nothing is overwritten; legal: -o FOLDER")
    found = progress(folder, plan(sweep).launches)
    taken = [
        each
        for each in found
        if each.state is State.DONE or (given.partial and has_a_finished_case(folder, each))
    ]
    if not taken:
        raise BadInput(f"{folder.path}: no launch is done; agsweep status {sweep.file} tells more")
    partial = output.with_name(f"{output.name}.{os.getpid()}.partial")
    try:
        manifest = write(partial, sweep, folder, taken)
        manifest["missing"] = {
            e.launch.name: e.reason or e.state.value for e in found if e not in taken
        }
        (partial / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        partial.rename(output)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    rows = sum(entry["rows"] for entry in manifest["files"])
    print(f"{output}: {len(taken)} of {len(found)} launches, {rows} rows, manifest.json")
    return 0


def has_a_finished_case(folder: Folder, each: Progress) -> bool:
    from agformats.result_file import CASE_END  # with pandas: takes a second

    path = folder.file(each.launch, ".csv")
    return path.exists() and b"\n" + CASE_END in path.read_bytes()


def write(output: Path, sweep: Sweep, folder: Folder, taken: list[Progress]) -> dict[str, Any]:
    from agformats.result_rows import read  # with pandas

    files = []
    builds: dict[str, dict[str, Any]] = {}
    for each in taken:
        name, build = each.launch.name, each.launch.build
        (output / build.name).mkdir(parents=True, exist_ok=True)
        copy = output / build.name / f"{name}.csv"
        shutil.copyfile(folder.file(each.launch, ".csv"), copy)
        finished, rows = read(copy)
        metadata = finished.launch.metadata
        about = {key: metadata.get(key, "") for key in OF_BUILD}
        known = builds.setdefault(build.name, {"folder": build.folder, "modules": [*build.modules],
                                               "venv": build.venv, "environment": build.environment,
                                               "versions": []})  # fmt: skip
        if about not in known["versions"]:  # more than one: it was built anew during the sweep
            known["versions"].append(about)
        point = each.launch.point
        files.append({
            **checked(output, copy), "rows": len(rows), "finished": each.state is State.DONE,
            "build": build.name, "version": known["versions"].index(about), "point": point.name,
            "launch": each.launch.number, "bench": point.bench.name, "nodes": point.nodes,
            "ranks": point.ranks, "mapping": point.mapping,
            "hosts": metadata.get("hosts", ""), "start": metadata.get("start", ""),
            "tries": len(tries(folder.file(each.launch, ".log"))),
        })  # fmt: skip
        ranks = folder.file(each.launch, PER_RANK_SUFFIX)
        if ranks.exists():
            shutil.copyfile(ranks, output / build.name / ranks.name)
            files[-1]["per_rank"] = checked(output, output / build.name / ranks.name)
    shutil.copyfile(folder.sweep_file, output / "sweep.toml")
    return {
        "sweep": sweep.name,
        "collected": now(),
        "sweep_file": checked(output, output / "sweep.toml"),
        "builds": builds,
        "files": files,
    }


def checked(top: Path, path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {"file": str(path.relative_to(top)), "sha256": digest, "bytes": path.stat().st_size}
