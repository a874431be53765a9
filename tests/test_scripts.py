# SPDX-License-Identifier: BSD-3-Clause
"""tools/*.sh do nothing where they are told what they do not know."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "tools"
# Users set these for their own shells, and git sets some for its hooks.
FOREIGN = {
    "CDPATH": f".:{ROOT}:{ROOT.parent}",
    "GREP_OPTIONS": "-v",
    "POSIXLY_CORRECT": "1",
    "BASH_ENV": "/dev/null",
    "ENV": "/dev/null",
    "OMP_NUM_THREADS": "1",
    "OMP_THREAD_LIMIT": "1",
    "GIT_DIR": "/nosuch",
    "GIT_INDEX_FILE": "/nosuch",
}


@pytest.mark.parametrize(
    "words",
    [
        ["build.sh", "--nosuch"],
        ["build.sh", "--"],
        ["setup.sh", "--nosuch"],
        ["quickstart.sh", "--nosuch"],
        ["quickstart.sh", "build", "more"],
        ["test_mpis.sh", "--nosuch"],
        ["test_mpis.sh", "mpich"],
        ["test_bounds.sh", "--nosuch"],
        ["tidy.sh", "--nosuch"],
        ["tidy.sh", "build", "some"],
        ["wheel.sh", "--nosuch"],
        ["wheel.sh", "build", "more"],
        ["fuzz.sh", "--nosuch"],
        ["fuzz.sh", "build", "long"],
    ],
    ids=" ".join,
)
def test_what_is_not_known_is_refused(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [str(TOOLS / words[0]), *words[1:]], cwd=tmp_path, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert repr(words[-1]) in line
    assert not list(tmp_path.iterdir())


def test_the_abi_without_a_wrapper_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(TOOLS / "build.sh"), str(tmp_path / "build"), "abi"], env={"PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "MPI=abi needs mpicxx_abi on the PATH" in line and "pip install mpich" in line


def test_a_machine_without_mpi_is_told_to_set_up(tmp_path: Path) -> None:
    for tool in ("bash", "dirname", "git", "paste", "sed", "sort"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    done = subprocess.run(
        ["bash", str(TOOLS / "build.sh"), str(tmp_path / "build")], env={"PATH": str(tmp_path)},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "no mpicxx on the PATH: run make setup" in line


@pytest.mark.parametrize("written", ["build.ninja", "Makefile"])
def test_a_first_configure_that_failed_is_made_again(tmp_path: Path, written: str) -> None:
    """What CMake found before it failed, such as a bad compiler, is looked for again. A folder that
    is configured is only built."""
    cmake = """[ "$1" = -S ] || exit 0
echo "configured $*"
mkdir -p "$4/CMakeFiles"
echo "MPI_CXX_COMPILER:FILEPATH=$MPICXX" >"$4/CMakeCache.txt"
[ -n "$WRITTEN" ] || exec touch "$4/CMakeFiles/compiler" /nosuch/folder
touch "$4/$WRITTEN"
"""
    for name, does in (("mpicxx", ""), ("cmake", cmake)):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}")
        (tmp_path / name).chmod(0o755)
    build = tmp_path / "build"

    def built(written: str) -> "subprocess.CompletedProcess[str]":
        path = f"{tmp_path}:/usr/bin:/bin"
        return subprocess.run(
            [TOOLS / "build.sh", build], capture_output=True, text=True, timeout=60, check=False,
            env={"PATH": path, "MPICXX": str(tmp_path / "mpicxx"), "WRITTEN": written},
        )  # fmt: skip

    first = built("")
    assert first.returncode != 0 and (build / "CMakeFiles" / "compiler").exists()
    again = built(written)
    assert again.returncode == 0, again.stderr
    assert again.stdout.startswith(f"configured -S {ROOT} -B {build} -U CMAKE_CXX_COMPILER ")
    assert not (build / "CMakeFiles" / "compiler").exists()
    (build / "CMakeFiles" / "object").touch()
    third = built(written)
    assert (third.returncode, third.stdout) == (0, "")
    assert (build / "CMakeFiles" / "object").exists()


@pytest.mark.parametrize(
    "named", [{"MPICXX": "./mpi/bin/mpicxx"}, {"PATH": "mpi/bin:fake:/usr/bin:/bin"}]
)
def test_a_wrapper_by_a_relative_path_is_the_same_the_next_time(
    named: dict[str, str], tmp_path: Path
) -> None:
    """CMake keeps the whole path of a program."""
    wrapper = tmp_path / "mpi" / "bin" / "mpicxx"
    build = tmp_path / "build"
    cmake = (
        f'[ "$1" = -S ] || exit 0\necho "$7"\nmkdir -p {build}\ntouch {build}/Makefile\n'
        f'echo "MPI_CXX_COMPILER:FILEPATH={wrapper}" >{build}/CMakeCache.txt'
    )
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text("#!/bin/sh\n")
    wrapper.chmod(0o755)
    fake_programs(tmp_path / "fake", cmake=cmake)
    for said in (f"-DMPI_CXX_COMPILER={wrapper}\n", ""):
        done = subprocess.run(
            [TOOLS / "build.sh", build], cwd=tmp_path,
            env={"PATH": f"{tmp_path}/fake:/usr/bin:/bin", **named},
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (0, said), done.stderr


def test_tidy_lints_what_differs_from_main_or_else_all(tmp_path: Path) -> None:
    sources = {"a/one.cpp": '#include "a/one.inc"\n', "a/one.inc": "", "a/two.cpp": ""}
    scripts = {f"tools/{name}": (TOOLS / name).read_text()
               for name in ("tidy.sh", "environment.sh", "lint_commands.py")}  # fmt: skip
    commands = [
        {
            "directory": "build",
            "command": f"g++ -o {name}.o -c {name}.cpp",
            "file": str(tmp_path / f"{name}.cpp"),
        }
        for name in ("a/one", "a/two")
    ]
    programs = {
        ".venv/bin/clang-tidy": '#!/bin/sh\nprintf "%s\\n" "$@" >> linted\n',
        ".venv/bin/python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
    }
    for name, text in {**sources, **scripts, **programs,
                       "build/compile_commands.json": json.dumps(commands),
                       ".gitignore": ".venv\nbuild\nlinted\n"}.items():  # fmt: skip
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Begin"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True, timeout=60)

    def linted() -> list[str]:
        subprocess.run([tmp_path / "tools/tidy.sh", "build"], check=True, timeout=60)
        lines = (tmp_path / "linted").read_text().splitlines()
        (tmp_path / "linted").unlink()
        return [line for line in lines if line.endswith(".cpp")]

    assert linted() == ["build/lint/together/a_0.cpp"]
    together = (tmp_path / "build/lint/together/a_0.cpp").read_text().splitlines()
    assert together == [f'#include "{tmp_path}/a/{name}.cpp"' for name in ("one", "two")]
    (tmp_path / "a/one.inc").write_text("// It is another one now.\n")
    assert linted() == ["a/one.cpp"]


@pytest.mark.parametrize(
    ("cores", "ranks"), [(1, "2 4 8"), (2, "2 4 8"), (4, "2 4"), (16, "2 4 8 16")]
)
def test_quickstart_runs_so_many_ranks(cores: int, ranks: str, tmp_path: Path) -> None:
    """One a core and fewer; where that would be 2 alone, more that share the cores, and says so."""
    programs = {
        "fake/lscpu": f"seq {cores}",
        "fake/nproc": f"echo ${{OMP_NUM_THREADS-{cores}}}",  # as it does
        "build/bin/mpirun_here": "exit 9",
    }
    for name, does in programs.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{does}\n")
        path.chmod(0o755)
    done = subprocess.run(
        [str(TOOLS / "quickstart.sh"), str(tmp_path / "build")],
        env={"PATH": f"{tmp_path / 'fake'}:/usr/bin:/bin", "RESULTS": str(tmp_path / "results"),
             "AGREPORT": "true", **FOREIGN},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 9
    assert f" launches each with {ranks} ranks on {cores} cores;" in done.stdout
    assert ("share the cores" in done.stdout) == (cores < 4)


def quickstart(folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Runs quickstart.sh with a launcher that refuses illegal sizes, and fails if it is to measure,
    so that nothing is reported."""
    launcher = folder / "build" / "bin" / "mpirun_here"
    launcher.parent.mkdir(parents=True, exist_ok=True)
    launcher.write_text(
        "#!/bin/sh\n"
        'case "$*" in *none*) echo "none is no size" >&2; exit 2 ;; *--dry-run*) exit 0 ;; esac\n'
        "exit 9\n"
    )
    launcher.chmod(0o755)
    return subprocess.run(
        [str(TOOLS / "quickstart.sh"), str(folder / "build")],
        env={"PATH": "/usr/bin:/bin", "AGREPORT": "true", **variables},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"RANKS": "2,4"}, "quickstart: RANKS: '2,4' is not legal; legal: numbers with blanks"),
        ({"RANKS": "0"}, "quickstart: RANKS: '0' is not legal; "),
        ({"RANKS": " "}, "quickstart: RANKS: ' ' is not legal; "),
        ({"RANKS": "2 none"}, "quickstart: RANKS: '2 none' is not legal; "),
        ({"AGREPORT": "./none"}, "quickstart: AGREPORT: there is no program './none'; legal: "),
        ({"SIZES": "none"}, "none is no size"),
        ({"SIZES_V": "none"}, "none is no size"),
        ({"SIZES_UNALIGNED": "none"}, "none is no size"),
        ({"MAX_TIME": "none"}, "none is no size"),
    ],
)
def test_what_quickstart_refuses_changes_nothing(
    variables: dict[str, str], said: str, tmp_path: Path
) -> None:
    results = tmp_path / "results"
    results.mkdir()
    (results / "report.html").touch()
    done = quickstart(tmp_path, RESULTS=str(results), **variables)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(said)
    assert {path.name for path in tmp_path.iterdir()} == {"build", "results"}
    assert [path.name for path in results.iterdir()] == ["report.html"]


def test_quickstart_renames_no_folder_with_somebodys_files(tmp_path: Path) -> None:
    results = tmp_path / "mine"
    results.mkdir()
    (results / "run.csv").touch()
    done = quickstart(tmp_path, RESULTS=str(results))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"quickstart: RESULTS: '{results}' has run.csv, which no quickstart wrote; "
        "legal: a folder of its own\n"
    )
    assert [path.name for path in results.iterdir()] == ["run.csv"]


def test_quickstart_keeps_results_of_a_folder_with_a_slash(tmp_path: Path) -> None:
    """The shell's completion writes a slash at the end."""
    results = tmp_path / "results"
    results.mkdir()
    (results / "report.html").touch()
    done = quickstart(tmp_path, RESULTS=f"{results}/", RANKS="2")
    assert done.returncode == 9, done.stderr
    (kept,) = tmp_path.glob("results-*")
    assert f"the results of before are now in {kept}\n" in done.stdout
    assert [path.name for path in kept.iterdir()] == ["report.html"]
    assert not (results / "report.html").exists()


@pytest.mark.parametrize(("name", "value"), [("DAY", "today"), ("NEWEST_CLANG", "clang-22")])
def test_bounds_of_no_day_are_refused(name: str, value: str) -> None:
    done = subprocess.run(
        [str(TOOLS / "test_bounds.sh")], env={"PATH": "/usr/bin:/bin", name: value},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"test_bounds: {name}: '{value}' ") and "legal: " in line


@pytest.mark.slow
@pytest.mark.parametrize("given", ["", "/mine"])
def test_the_wrapper_of_intel_mpi_is_told_its_prefix(tmp_path: Path, given: str) -> None:
    """PyPI's has no prefix of its own, and CMake then says that MPI's header does not exist."""
    prefix = tmp_path / "intel"
    (prefix / "bin").mkdir(parents=True)
    (prefix / "bin" / "impi_info").touch()
    wrapper = prefix / "bin" / "mpicxx"
    wrapper.write_text(f'#!/bin/sh\necho "$I_MPI_ROOT" >>{tmp_path}/told\nexit 1\n')
    wrapper.chmod(0o755)
    environment = {"PATH": os.environ["PATH"], **({"I_MPI_ROOT": given} if given else {})}
    done = subprocess.run(
        [str(TOOLS / "build.sh"), str(tmp_path / "build"), str(prefix)], env=environment,
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert set((tmp_path / "told").read_text().split()) == {given or str(prefix)}


@pytest.mark.parametrize("script", sorted(TOOLS.glob("*.sh")), ids=lambda path: path.name)
def test_each_script_shuts_out_the_users_variables(script: Path) -> None:
    lines = [line for line in script.read_text().splitlines() if line and line[0] != "#"]
    changed = ("cd ", "$(cd ", "nproc", "git ", "grep ")
    if script.name == "environment.sh" or not any(word in " ".join(lines) for word in changed):
        return
    if not os.access(script, os.X_OK):  # sourced by another
        return
    own = 'source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"'
    assert lines[:2] == ["set -euo pipefail", own]


def fake_programs(folder: Path, **programs: str) -> str:
    """A PATH with these, which are lines of sh, first."""
    folder.mkdir()
    for name, does in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def test_a_build_in_the_users_shell(tmp_path: Path) -> None:
    """The sources are one folder, and all processors compile."""
    path = fake_programs(
        tmp_path / "fake", cmake=f'printf "<%s>" "$@" >>{tmp_path}/told', mpicxx=""
    )
    command = ["bash", "tools/build.sh", str(tmp_path / "build")]
    subprocess.run(command, cwd=ROOT, env={**os.environ, **FOREIGN, "PATH": path}, check=True)
    told = (tmp_path / "told").read_text()
    assert told.startswith(f"<-S><{ROOT}><-B>")
    assert f"<--parallel><{len(os.sched_getaffinity(0))}>" in told


def test_make_passes_none_of_them_on() -> None:
    rule = "probe: ; @env"
    done = subprocess.run(
        ["make", "-s", f"--eval={rule}", "probe"], cwd=ROOT, env={**os.environ, **FOREIGN},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = {line.partition("=")[0] for line in done.stdout.splitlines()}
    assert "PATH" in names and not names & set(FOREIGN)


@pytest.mark.parametrize(
    ("wrapper", "launchers", "found"),
    [("mpicxx", ["mpiexec"], True), ("CC", ["srun"], True), ("mpicxx", ["srun"], False)],
)
def test_setup_finds_a_launcher(
    wrapper: str, launchers: list[str], found: bool, tmp_path: Path
) -> None:
    fake_programs(tmp_path / "bin", **dict.fromkeys(launchers, ""))
    done = subprocess.run(
        ["bash", "-c", f"source {TOOLS}/find_programs.sh; PATH={tmp_path}/bin; find_launcher"],
        env={"PATH": os.environ["PATH"], "MPICXX": wrapper}, check=False,
    )  # fmt: skip
    assert (done.returncode == 0) == found


WRAPPERS = [
    ("mpicxx", ["mpiexec"], "mpiexec"),
    ("mpicxx.mpich", ["mpiexec", "mpiexec.mpich"], "mpiexec.mpich"),
    ("mpic++-openmpi-gcc12", ["mpiexec"], "mpiexec"),
    ("smpicxx", ["smpirun", "mpiexec"], "smpirun"),
    ("CC", [], "srun"),
    ("CC", ["mpiexec"], "mpiexec"),
    ("scorep-mpicxx", [], "srun"),
    ("g++", [], "srun"),
]


@pytest.mark.parametrize(("wrapper", "beside", "launcher"), WRAPPERS)
def test_the_launcher_is_never_the_compiler(
    wrapper: str, beside: list[str], launcher: str, tmp_path: Path
) -> None:
    """The launcher lies beside the wrapper, or else is what CMake's FindMPI found: srun here."""
    bin_ = tmp_path / "bin"
    fake_programs(bin_, **dict.fromkeys([wrapper, *beside], ""))
    script = tmp_path / "script.cmake"
    script.write_text(
        f'include({ROOT}/cmake/launcher.cmake)\nmessage("[${{GATHERBENCH_MPIEXEC}}]")\n'
    )
    command = ["cmake", f"-DMPI_CXX_COMPILER={bin_ / wrapper}"]
    for found, expected in (("/usr/bin/srun", launcher), ("", launcher if beside else "")):
        asked = [*command, f"-DMPIEXEC_EXECUTABLE={found}", "-P", str(script)]
        done = subprocess.run(asked, capture_output=True, text=True, check=True)
        path = done.stderr.rpartition("[")[2].partition("]")[0]
        assert path.rpartition("/")[2] == expected
        assert ("There is no launcher" in done.stderr) == (not expected)
