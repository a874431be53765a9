# SPDX-License-Identifier: BSD-3-Clause
"""Reads files, and returns what comes out of it, to be compared."""

import gzip
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from agformats.catalogue import catalogue
from agformats.files import data_set, data_set_schema
from agformats.files.csv_text import Kind
from agformats.files.data_set_sums import SUMS
from agformats.files.data_set_writer import WHOLE_FILE, Writer
from agformats.files.result_rows import read
from agreport.data.companions import read_companion
from agreport.data.counters import COUNTERS_FILE
from agreport.data.peer_launches import LogRules, read_launches
from agreport.data.rank_delays import RANKS_FILE
from agreport.data.step_times import STEPS_FILE
from agreport.main import main
from agreport.trace import calls, ranks
from agreport.tune import check
from agreport.tune.site_files import Case
from agsweep.main import parser
from jobs.test_bad_values import prepared
from reports.conftest import lines, writer
from reports.support import fake_arrivals
from reports.support.fake_trace import Call, FakeTrace
from shared.checksums import checksummed, without_checksums

from .mutations import MUTATIONS, OF_SETTINGS, Mutation

CASES = 4
ROOT = Path(__file__).parents[2]
LOGS = ROOT / "tests" / "formats" / "peers" / "logs"
OPEN_MPI_RULES = "1\n0 # allgather\n1\n4\n2\n0 2 0 0\n256 4 0 0\n"
OPEN_MPI_JSON = (
    '{"rule_file_version":3,"collectives":{"allgather":[{"comm_size_min":2,"comm_size_max":"inf",'
    '"rules":[{"msg_size_min":0,"msg_size_max":1023,"alg":"ring"}]}]}}'
)
MPICH_JSON = (
    '{"collective=allgather":{"comm_type=intra":{"comm_size<=8":{"total_msg_size<256":'
    '{"algorithm=MPIR_Allgather_intra_ring":{}}},"any":{"algorithm=MPIR_x":{}}}}}'
)


@dataclass(frozen=True)
class Found:
    """numbers: what is compared; told: whether it is said that something is missing."""

    numbers: Any
    told: bool = False


@dataclass(frozen=True)
class Reader:
    """make: writes an example into a new folder and returns the file that is damaged; proves:
    whether the format can tell that it was altered."""

    make: Callable[[Path], Path]
    read: Callable[[Path], Found]
    proves: bool
    mutations: Mapping[str, Mutation] = field(default_factory=lambda: MUTATIONS)


def result_file(folder: Path) -> Path:
    names = ("ring", "bruck", "sparbit")
    cases = [
        [
            row
            for number, name in enumerate(names)
            for row in lines(name, [5 + c, 7 + number], size=c)
        ]
        for c in range(1, CASES + 1)
    ]
    path = writer(folder)("a.csv", *cases, cases=str(CASES), start="monday")
    head, columns, rows = path.read_text().partition("prepare_us,status,reason\n")
    path.write_text(checksummed(f"{head}{columns}#@head_end=columns\n{rows}"))
    return path


def compressed(folder: Path) -> Path:
    """A member a case, as the benchmark writes it."""
    path = result_file(folder)
    packed = path.with_suffix(".csv.gz")
    parts = path.read_bytes().replace(b"\n#@case_end", b"\n\0#@case_end").split(b"\0")
    packed.write_bytes(b"".join(gzip.compress(part, mtime=0) for part in parts))
    return packed


def unchecked(folder: Path) -> Path:
    path = result_file(folder)
    path.write_text(without_checksums(path.read_text()).replace("#@head_end=columns\n", ""))
    return path


def ranks_file(folder: Path) -> Path:
    rows = [
        fake_arrivals.delay_rows("uniform:max=1ms", [(0.0, 1.0), (5.0, 7.0)], iteration)
        for iteration in range(CASES)
    ]
    columns = fake_arrivals.RANK_COLUMNS
    return fake_arrivals.write(folder / "a.ranks.csv", *rows, columns=columns, cases=str(CASES))


def steps_file(folder: Path) -> Path:
    keys = 'allgather,ring,regular,none,sequential,all,nothing,"0,0",1,1,1024,1024'
    parts = [("before,-1,,,0,0", "0.0,1.5"), ("after,0,,,0,0", "1.5,2.0")]
    rows = [[f"{keys},{case},0,{part},0,0.0,{us}" for part, us in parts] for case in range(CASES)]
    columns = ",".join(each.name for each in catalogue().step_columns)
    return fake_arrivals.write(folder / "a.steps.csv", *rows, columns=columns, cases=str(CASES))


def counters_file(folder: Path) -> Path:
    keys = 'allgather,together,regular,none,sequential,all,nothing,"0,0",2,2,1024,2048'
    changes = ["h0,net/eth0/tx_bytes,B,4096,100.000,20,", "h1,energy/0,uJ,,101.500,20,it was reset"]
    rows = [[f"{keys},{change}" for change in changes] for _ in range(CASES)]
    columns = ",".join(each.name for each in catalogue().counter_columns)
    return fake_arrivals.write(folder / "a.counters.csv", *rows, columns=columns, cases=str(CASES))


def trace_file(folder: Path, version: int = 3) -> Path:
    made = [Call([0, 1, 2, 30]), Call([5, 1, 2, 3], site=1), Call([9, 1, 1, 1], bytes=64)]
    # Blocks of two records, as if buffers had been full.
    return FakeTrace(made, block=2, version=version).write(folder / "trace") / "rank_1.agtrace"


SWEEP = """
name = "s"
launches = 3
most_launches = 5
launcher = "auto"
pairing = "none"
compress = true
[options]
algorithms = ["ring", "native"]
iterations = 20
[[builds]]
name = "a"
folder = "FOLDER/build"
mpirun = "FOLDER/build/mpirun"
environment = { X = "a b", Y = 2 }
[[builds]]
name = "b"
folder = "FOLDER/build"
launcher = "FOLDER/build/mpirun -n {ranks} -N {ranks_per_node} {program}"
[[points]]
nodes = [2, "4:16:2"]
cores = 4
ranks_per_node = 8
mappings = ["sequential"]
bench = ["allgather", "second"]
cluster = "c"
[[points]]
ranks = "2:8:2"
[[bench]]
program = "allgather_bench"
[bench.options]
sizes = ["1", "64K"]
[[bench]]
program = "allgather_bench"
name = "second"
sizes_times_ranks = ["512K", "8M"]
options.iterations = 5
[resources]
jobs = "array"
time = "2h30m"
signal = "60s"
extra = ["--comment=x"]
requeue = true
[budget]
memory = "1G"
launch_time = "15m"
node_hours = 100
[simulation]
platform = "FOLDER/machine.toml"
options = { "network/crosstraffic" = "0" }
"""


def sweep_file(folder: Path) -> Path:
    """Writes a sweep with nearly all keys, beside programs that stand for a build."""
    below = folder / "s"
    prepared(below)
    known = ("--sizes", "--algorithms", "--iterations", "--max-time")
    says = [*(f"  {name} VALUE" for name in known), "cases 4"]
    benchmark = below / "build" / "bin" / "allgather_bench"
    benchmark.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in says))
    path = below / "a.toml"
    path.write_text(SWEEP.replace("FOLDER", str(below)))
    return path


def rows_of_data_set(folder: Path) -> Path:
    launch, rows = read(result_file(folder), WHOLE_FILE)
    (folder / "set").mkdir()
    with Writer(folder / "set") as stored:
        stored.add(launch, rows, "b/a.csv", {"build": "b", "point": "p"})
    return folder / "set" / data_set_schema.RESULTS


def without_sums(make: Callable[[Path], Path], folder: Path) -> Path:
    """Makes a data set as 0.1.0 did: what was altered is not known before it is read."""
    path = make(folder)
    path.with_name(SUMS).unlink()
    return path


def launches_of_data_set(folder: Path) -> Path:
    return rows_of_data_set(folder).with_name(data_set_schema.LAUNCHES)


def read_result(path: Path) -> Found:
    launch, rows = read(path)
    told = bool(launch.cut_rows or launch.lacking) or not rows.num_rows
    return Found((launch.metadata, rows.to_pydict()), told)


def read_beside(kind: Kind, path: Path) -> Found:
    launch, rows = read_companion(kind, path, keep_going=False)
    told = bool(launch.cut_rows or launch.lacking) or not rows.num_rows
    return Found((launch.metadata, rows.to_pydict()), told)


def read_trace(path: Path) -> Found:
    """The warning that the program did not reach its end tells of what is cut off."""
    found = calls.load(path.parent)
    groups = [
        [each.tolist() for each in (group.arrival_ns, group.exit_ns, group.bytes, group.operation)]
        for group in found.groups
    ]
    facts = (found.metadata, found.sites, found.messages, found.clock_error_ns)
    return Found((facts, groups), told=not ranks.read(path).is_whole)


def log_of(name: str, folder: Path) -> Path:
    """Makes the log of another program."""
    path = folder / name
    path.write_bytes((LOGS / name).read_bytes())
    return path


def read_log(path: Path) -> Found:
    launches = read_launches(path, LogRules(ranks=4, collective="allgather"))
    return Found([(each.metadata, rows.to_pydict()) for each, rows in launches or ()])


def rules_file(folder: Path, text: str) -> Path:
    path = folder / "rules"
    path.write_text(text)
    return path


def read_rules(path: Path) -> Found:
    file = check.read(path)
    for collective in ("allgather", "bcast"):
        file.choose(Case(collective, 4, 64, nodes=1, in_place=False))
    return Found(None)


def read_sweep(path: Path) -> Found:
    """Reads a sweep as `agsweep plan` does."""
    options = parser().parse_args(["plan", str(path), "--launches"])
    with redirect_stdout(StringIO()) as printed:
        options.run(options)
    return Found(printed.getvalue())


def read_data_set(path: Path) -> Found:
    found = data_set.DataSet(path.parent)
    launches = [found.read(each) for each in found.paths]
    return Found([(launch.metadata, rows.to_pydict()) for launch, rows in launches])


def by_command(*words: str, path: Path, folder: bool = False) -> Found:
    """All that a command makes of it; it ends with a code, whatever is in the file."""
    given = path.parent if folder else path
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as said:
        main([words[0], str(given), *words[1:]])
    if "there is not enough memory" in said.getvalue():
        raise MemoryError
    return Found(None)


def command(make: Callable[[Path], Path], *words: str, folder: bool = False) -> Reader:
    return Reader(make, lambda path: by_command(*words, path=path, folder=folder), False)


OF_LOGS = ("--ranks", "4", "--collective", "allgather")
COMMANDS = {
    "times of a result file": command(unchecked, "times"),
    "summary of a data set": command(
        partial(without_sums, rows_of_data_set), "summary", folder=True
    ),
    "the command trace": command(partial(trace_file, version=1), "trace", folder=True),
    "times of a log": command(partial(log_of, "imb-2021.11-mpi1.txt"), "times", *OF_LOGS),
}
LOG_READERS = {
    f"log {path.name}": Reader(partial(log_of, path.name), read_log, False)
    for path in sorted(LOGS.glob("*.*"))
    if path.name not in ("README.md", "osu-7.4-ddt.txt")  # which has no table that is read
}
READERS: dict[str, Reader] = {
    "result file": Reader(result_file, read_result, True),
    "compressed result file": Reader(compressed, read_result, True),
    "per-rank file": Reader(ranks_file, partial(read_beside, RANKS_FILE), True),
    "file of steps": Reader(steps_file, partial(read_beside, STEPS_FILE), True),
    "file of counters": Reader(counters_file, partial(read_beside, COUNTERS_FILE), True),
    "result file without checksums": Reader(unchecked, read_result, False),
    "trace": Reader(trace_file, read_trace, True),
    "trace of version 2": Reader(partial(trace_file, version=2), read_trace, True),
    "trace without checksums": Reader(partial(trace_file, version=1), read_trace, False),
    "sweep file": Reader(sweep_file, read_sweep, False, {**MUTATIONS, **OF_SETTINGS}),
    "rows of a data set": Reader(rows_of_data_set, read_data_set, True),
    **LOG_READERS,
    "Open MPI's rules": Reader(partial(rules_file, text=OPEN_MPI_RULES), read_rules, False),
    "Open MPI's rules as JSON": Reader(partial(rules_file, text=OPEN_MPI_JSON), read_rules, False),
    "MPICH's selection": Reader(partial(rules_file, text=MPICH_JSON), read_rules, False),
    "launches of a data set": Reader(launches_of_data_set, read_data_set, True),
    "rows without sums": Reader(partial(without_sums, rows_of_data_set), read_data_set, False),
    "launches without sums": Reader(
        partial(without_sums, launches_of_data_set), read_data_set, False
    ),
    **COMMANDS,
}
