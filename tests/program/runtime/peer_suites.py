# SPDX-License-Identifier: BSD-3-Clause
"""MPICH's and mpi4py's own tests under the preloaded libraries: they try the forms of arguments
that MPI allows, and expect what MPI says of each. Every test runs without a library, with
libagtrace.so, with libagstar.so, which takes another algorithm in every call, and with both. A run
that ends or prints otherwise than the one without is a difference. A test that does not pass
without is named, and not counted; so is one of which some runs fail without, or with nothing but a
communicator more.

The sources come from the package registries alone: MPICH's from Debian's (needs apt-get, no root),
mpi4py's from PyPI. They are compiled with the MPI of the build, in BUILD/peers."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MPI4PY = "mpi4py==4.1.2"
SECONDS = 30  # a run that takes longer hangs
# These are of MPICH's suite: all collectives, what they may stand on, and their errors.
FOLDERS = ["coll", "errors/coll", "errors/comm", "comm", "attr", "topo", "init", "errhan"]
# These are mpi4py's, each in a run of its own. Not those of files, windows and spawned processes.
MODULES = [
    *("cco_buf", "cco_vec", "cco_obj", "cco_nb_buf", "cco_nb_vec", "cco_pr_buf", "cco_pr_vec"),
    *("cco_buf_inter", "cco_vec_inter", "cco_obj_inter", "cco_ngh_buf", "cco_ngh_obj"),
    *("attributes", "comm", "comm_inter", "comm_topo", "datatype", "environ", "errhandler"),
    *("exceptions", "msgspec", "msgzero", "session", "threads", "util_pkl5", "util_sync"),
]
LIBRARIES = {
    "without": [],
    "agtrace": ["agtrace"],
    "agstar": ["agstar"],
    "both": ["agtrace", "agstar"],
}
# Nothing but one more communicator, as our libraries have: some MPI libraries then fail.
CONTROL = """\
#include <mpi.h>
static MPI_Comm more;
int MPI_Init(int* argc, char*** argv) {
  const int code = PMPI_Init(argc, argv);
  if (code == MPI_SUCCESS) PMPI_Comm_dup(MPI_COMM_WORLD, &more);
  return code;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  if (code == MPI_SUCCESS) PMPI_Comm_dup(MPI_COMM_WORLD, &more);
  return code;
}
"""
CONTROLS = 8  # of each kind, before a difference counts
# Open MPI looks for a network card for a fifth of a second in each launch, and then takes ob1.
ENVIRONMENT = {"OMPI_MCA_pml": "ob1", "AGSTAR_LEAST": "0", "AGSTAR_ROUNDING": "any"}
# Functions that MPI 3 took away, which MPICH's suite still calls.
REMOVED = """\
#define OMPI_OMIT_MPI1_COMPAT_DECLS 0
#define __mpi_interface_removed__(function, other)
"""


@dataclass(frozen=True)
class Test:
    suite: str
    name: str
    command: list[str]
    folder: Path
    passed: str  # what it prints then


@dataclass(frozen=True)
class Outcome:
    exit_code: int
    lines: list[str]  # sorted: those of several ranks come in any order
    stderr: str

    def is_like(self, other: "Outcome") -> bool:
        return (self.exit_code, self.lines) == (other.exit_code, other.lines)


@dataclass
class Tally:
    """Counts a suite's tests at one number of ranks."""

    tests: int = 0
    served: int = 0
    traced: int = 0
    failing: list[str] = field(default_factory=list)
    unsteady: list[str] = field(default_factory=list)
    different: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class Build:
    folder: Path

    @property
    def peers(self) -> Path:
        return self.folder / "peers"

    def compiler(self) -> str:
        cache = (self.folder / "CMakeCache.txt").read_text(encoding="utf-8")
        found = re.search(r"^MPI_CXX_COMPILER:[A-Z]+=(.+)$", cache, re.MULTILINE)
        if found is None:
            raise SystemExit(f"peer_suites: {self.folder}: is no build with an MPI")
        path = Path(found[1])
        return str(path.with_name(path.name.replace("mpicxx", "mpicc")))

    def preload(self, way: str) -> str:
        if way == "control":
            return str(self.peers / "libcontrol.so")
        return ":".join(str(self.folder / "lib" / f"lib{each}.so") for each in LIBRARIES[way])


def run_logged(log: Path, *command: str, cwd: Path | None = None, **env: str) -> int:
    with log.open("ab") as out:
        out.write(f"$ {' '.join(command)}\n".encode())
        out.flush()
        return subprocess.run(
            command, stdout=out, stderr=out, cwd=cwd, env={**os.environ, **env}, check=False
        ).returncode


def require(log: Path, *command: str, cwd: Path | None = None, **env: str) -> None:
    if run_logged(log, *command, cwd=cwd, **env):
        end = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
        raise SystemExit(f"peer_suites: {' '.join(command)} failed, see {log}:\n{end}")


def unpack(archive: Path, folder: Path) -> Path:
    """The folder that is in it."""
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
        return folder / packed.getnames()[0].partition("/")[0]


def fetch_mpich(build: Build, log: Path) -> Path:
    """The packages' sources are listed beside those that apt-get knows, and nothing of the machine
    is changed."""
    found = list(build.peers.glob("mpich-*/test/mpi"))
    if found:
        return found[0]
    if shutil.which("apt-get") is None:
        raise SystemExit("peer_suites: there is no apt-get, which brings MPICH's suite")
    parts = build.peers / "sources"
    lists = build.peers / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    parts.mkdir(exist_ok=True)
    for path in Path("/etc/apt").glob("sources.list*"):
        for file in [path] if path.is_file() else path.iterdir():
            if file.suffix in (".list", ".sources"):
                text = re.sub(r"^(Types: )?deb\b", r"\1deb-src", file.read_text(), flags=re.M)
                (parts / file.name).write_text(text)
    options = ["Dir::Etc::SourceList=/dev/null", f"Dir::Etc::SourceParts={parts}"]
    options += [f"Dir::State::Lists={lists}", "APT::Sandbox::User="]
    apt = ["apt-get", *(f"-o{each}" for each in options)]
    require(log, *apt, "update")
    require(log, *apt, "source", "--download-only", "mpich", cwd=build.peers)
    (archive,) = build.peers.glob("mpich_*.orig.tar.*")
    return unpack(archive, build.peers) / "test" / "mpi"


def build_mpich(build: Build, log: Path) -> tuple[Path, Path]:
    """Builds the suite and returns where its programs are, and where its sources."""
    source = fetch_mpich(build, log)
    made = build.peers / "mpich"
    made.mkdir(exist_ok=True)
    if not (made / "Makefile").exists():
        removed = made / "removed.h"
        removed.write_text(REMOVED)
        flags = [f"CC={build.compiler()}", f"MPICC={build.compiler()}"]
        flags += [f"CFLAGS=-O1 -w -include {removed}", "--enable-fortran=no", "--disable-cxx"]
        flags += ["--disable-spawn", "--disable-rma", "--disable-romio", "--enable-strictmpi"]
        # Where CUDA's library is and no card, its tests fail.
        flags += ["--without-cuda", "--without-hip", "--without-ze"]
        require(log, str(source / "configure"), *flags, cwd=made)
    for folder in FOLDERS:
        # Programs that need more than an older MPI has do not compile, and are left out.
        run_logged(log, "make", "--keep-going", "-j2", "-C", str(made / folder))
    return made, source


def mpich_tests(made: Path, source: Path) -> Iterator[Test]:
    """Each program once, with the arguments that its list has first."""
    for suite in FOLDERS:
        seen = set()
        # Some lists depend on what configure finds.
        lists = [top / suite / "testlist" for top in (made, source)]
        for line in next(filter(Path.exists, lists)).read_text().splitlines():
            name, _, rest = line.partition(" ")
            if name in seen or not (made / suite / name).is_file() or "resultTest" in rest:
                continue
            seen.add(name)
            arguments = re.findall(r"\barg=(\S+)", rest)
            command = [str(made / suite / name), *arguments]
            yield Test(f"MPICH {suite}", name, command, made / suite, "No Errors")


def build_mpi4py(build: Build, log: Path) -> tuple[Path, Path]:
    """A Python that has it, and the folder of its tests."""
    python = build.peers / "venv" / "bin" / "python"
    sources = list(build.peers.glob("mpi4py-*/test"))
    if not sources:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-binary=:all:"]
        require(log, *pip, MPI4PY, cwd=build.peers)
        (archive,) = build.peers.glob("mpi4py-*.tar.gz")
        sources = [unpack(archive, build.peers) / "test"]
    if not python.exists():
        require(log, sys.executable, "-m", "venv", str(python.parents[1]))
        # Nobody measures it, and with optimisation it takes five minutes to compile.
        install = [str(python), "-m", "pip", "install", str(sources[0].parent)]
        require(log, *install, CFLAGS="-O0 -g0", MPICC=build.compiler())
    return python, sources[0]


def mpi4py_tests(python: Path, folder: Path) -> Iterator[Test]:
    for module in MODULES:
        pattern = rf"test_{module}\.py$"
        command = [str(python), "main.py", "--no-builddir", "-i", pattern]
        yield Test("mpi4py", module, command, folder, "Ran ")


def told(test: Test, stdout: str, stderr: str) -> list[str]:
    """Returns what came out of mpi4py's tests, which print times and names of ranks."""
    if test.suite != "mpi4py":
        return sorted(stdout.splitlines())
    # Some launchers cut lines of several ranks into each other: OKOK (skipped=2).
    found = re.findall(r"Ran [1-9]\d* tests?|OK|FAILED|skipped=\d+|(?:FAIL|ERROR): \S*", stderr)
    return sorted(found)


def run(build: Build, test: Test, ranks: int, way: str, seed: int) -> Outcome:
    trace = build.peers / "trace"
    shutil.rmtree(trace, ignore_errors=True)
    settings = [f"AGSTAR_POLICY=random:{seed}", f"AGTRACE_DIR={trace}"]
    preload = build.preload(way)
    settings += [f"LD_PRELOAD={preload}"] if preload else []
    launcher = ["timeout", "--kill-after=9", str(SECONDS)]
    launcher += [str(build.folder / "bin" / "mpirun_here"), str(ranks), "env", *settings]
    ended = subprocess.run(
        [*launcher, *test.command], capture_output=True, stdin=subprocess.DEVNULL, text=True,
        errors="replace", cwd=test.folder, env={**os.environ, **ENVIRONMENT}, check=False,
    )  # fmt: skip
    return Outcome(ended.returncode, told(test, ended.stdout, ended.stderr), ended.stderr)


def has_passed(test: Test, outcome: Outcome) -> bool:
    return outcome.exit_code == 0 and any(test.passed in line for line in outcome.lines)


def number_said(pattern: str, outcome: Outcome) -> int:
    return sum(map(int, re.findall(pattern, outcome.stderr)))


def is_steady(build: Build, test: Test, ranks: int, before: Outcome) -> bool:
    ways = ["control", "without"] * CONTROLS
    return all(run(build, test, ranks, way, 0).is_like(before) for way in ways)


def keep(build: Build, name: str, outcomes: dict[str, Outcome]) -> None:
    text = ""
    for way, each in outcomes.items():
        printed = "\n".join(each.lines)
        text += f"== {way}: exit code {each.exit_code}\n{printed}\n-- stderr\n{each.stderr}\n"
    (build.peers / f"difference-{name}.txt").write_text(text)


def compare(build: Build, test: Test, ranks: int, seed: int, tally: Tally) -> None:
    tally.tests += 1
    outcomes = {"without": run(build, test, ranks, "without", seed)}
    if not has_passed(test, outcomes["without"]):
        tally.failing.append(test.name)
        return
    for way in list(LIBRARIES)[1:]:
        outcomes[way] = run(build, test, ranks, way, seed)
    different = [way for way, each in outcomes.items() if not each.is_like(outcomes["without"])]
    if different and not is_steady(build, test, ranks, outcomes["without"]):
        tally.unsteady.append(test.name)
    elif different:
        tally.different[test.name] = different
        name = f"{test.suite}-{test.name}-{ranks}".replace("/", "-").replace(" ", "-")
        keep(build, name, outcomes)
        print(f"DIFFERENT: {test.suite} {test.name} at {ranks} ranks: {', '.join(different)}")
    tally.served += number_said(r"agstar: calls: (\d+)", outcomes["agstar"])
    tally.traced += number_said(r"agtrace: (\d+) calls", outcomes["agtrace"])


def print_table(tallies: dict[tuple[str, int], Tally]) -> None:
    head = ["suite", "ranks", "tests", "pass without"]
    head += [f"equal with {way}" for way in list(LIBRARIES)[1:]]
    print("|", " | ".join([*head, "calls by libagstar", "calls in traces"]), "|")
    print("|---" + "|---:" * (len(head) + 1) + "|")
    for (suite, ranks), tally in tallies.items():
        passing = tally.tests - len(tally.failing) - len(tally.unsteady)
        cells = [suite, ranks, tally.tests, passing]
        for way in list(LIBRARIES)[1:]:
            cells += [passing - sum(way in ways for ways in tally.different.values())]
        print("|", " | ".join(map(str, [*cells, tally.served, tally.traced])), "|")
    for (suite, ranks), tally in tallies.items():
        for what, names in (("always", tally.failing), ("sometimes", tally.unsteady)):
            if names:
                print(f"fails without, {what}: {suite} at {ranks} ranks: {' '.join(names)}")


def chosen_tests(build: Build, suites: Sequence[str], only: str) -> list[Test]:
    build.peers.mkdir(exist_ok=True)
    log = build.peers / "build.log"
    (build.peers / "control.c").write_text(CONTROL)
    control = ["-shared", "-fPIC", "-o", "libcontrol.so", "control.c"]
    require(log, build.compiler(), *control, cwd=build.peers)
    tests: list[Test] = []
    if "mpich" in suites:
        tests += mpich_tests(*build_mpich(build, log))
    if "mpi4py" in suites:
        tests += mpi4py_tests(*build_mpi4py(build, log))
    return [test for test in tests if re.search(only, f"{test.suite}/{test.name}")]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--suites", default="mpich,mpi4py", help="which; default: %(default)s")
    parser.add_argument("--ranks", default="2,4", help="numbers of them; default: %(default)s")
    parser.add_argument("--only", default="", help="tests whose SUITE/NAME has this pattern")
    parser.add_argument("--seed", type=int, default=1, help="which algorithms; default: 1")
    return parser.parse_args()


def main() -> int:
    options = parse()
    build = Build(options.build)
    wrapper = Path(build.compiler())
    if wrapper.with_name("impi_info").exists():  # Intel MPI's wrappers ask for their prefix
        os.environ.setdefault("I_MPI_ROOT", str(wrapper.parents[1]))
    tests = chosen_tests(build, options.suites.split(","), options.only)
    if not tests:
        raise SystemExit("peer_suites: there is no such test")
    began = time.monotonic()
    tallies: dict[tuple[str, int], Tally] = {}
    for test in tests:
        for ranks in map(int, options.ranks.split(",")):
            tally = tallies.setdefault((test.suite, ranks), Tally())
            compare(build, test, ranks, options.seed, tally)
    print_table(tallies)
    differences = sum(len(tally.different) for tally in tallies.values())
    runs = f"{len(tests)} tests, {time.monotonic() - began:.0f} s"
    print(
        f"peer_suites: {runs}; differences: {differences}", "(see BUILD/peers)" * (differences > 0)
    )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
