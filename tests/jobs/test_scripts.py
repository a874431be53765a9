# SPDX-License-Identifier: BSD-3-Clause
"""Job scripts as they are written: what they ask for, and that bash can read them."""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from agsweep.launchers import kind_of
from agsweep.queue import directives
from agsweep.sweep.sweep_file import RESERVED
from program.support.launch import Build

from .sweeps import OPTIONS, Sweep, bench, build_table, written

pytestmark = pytest.mark.slow

POINTS = "[[points]]\nnodes = [2, 4]\nranks_per_node = 8\n"
ASKED = """[resources]
time = "2h30m"
partition = "batch"
account = "abc"
constraint = "fast"
requeue = false
mpi = "pmix"
extra = ["LINE one", "LINE two"]
"""


def dry(sweep: Sweep) -> dict[str, str]:
    sweep.ok("submit", "--dry-run")
    found = {path.name: path.read_text() for path in (sweep.results / "jobs").iterdir()}
    for name, text in found.items():
        done = subprocess.run(
            ["bash", "-n"], input=text, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"
    assert sweep.names("") == []  # nothing was launched
    return found


def asked(folder: Path, build: Build, more: str = "") -> Sweep:
    return written(folder, build_table("mine", build.folder), POINTS, bench(), ASKED + more)


def test_what_is_asked_for(build: Build, tmp_path: Path) -> None:
    found = dry(asked(tmp_path, build))
    assert sorted(found) == ["n2.sbatch", "n4.sbatch"]
    text = found["n2.sbatch"].splitlines()
    for words in (
        "--nodes=2", "--ntasks-per-node=8", "--time=2:30:00", "--partition=batch", "--account=abc",
        "--constraint=fast", "--exclusive", "--no-requeue", "--signal=TERM@60", "LINE one",
        "LINE two",
    ):  # fmt: skip
        assert f"#SBATCH {words}" in text
    assert ("array" in found["n2.sbatch"]) is False


def test_more_ranks_than_cores(build: Build, tmp_path: Path) -> None:
    """A core for each task is what Slurm grants; the rest it has to be told."""
    points = (
        '[[points]]\ncluster = "c"\nnodes = {}\ncores = 2\nranks_per_node = 4\nranks = {}\n'
        'mappings = ["sequential", "cyclic"]\n'
    )
    sweep = written(
        tmp_path, build_table("mine", build.folder), points.format(2, [4, 5]) + points.format(3, 6),
        bench(), ASKED,
    )  # fmt: skip
    found = dry(sweep)
    assert "#SBATCH --overcommit" in found["n2.sbatch"].splitlines()
    assert "#SBATCH --ntasks-per-node=2" in found["n2.sbatch"].splitlines()
    assert "overcommit" not in found["n3.sbatch"], "every rank has a core"
    steps = [line for line in found["n2.sbatch"].splitlines() if "srun " in line]
    assert ["--overcommit" in line for line in steps] == ["--ntasks=5" in line for line in steps]
    assert {f"--launched-mapping {m}" in found["n2.sbatch"] for m in ("sequential", "cyclic")} == {
        True
    }
    assert "--note cluster=c" in found["n2.sbatch"]
    assert "c_n2_p5_cyclic_allgather_mine_0" in found["n2.sbatch"]


def test_notes_reach_the_launches_of_a_job(build: Build, tmp_path: Path) -> None:
    sweep = asked(tmp_path, build)
    sweep.ok("submit", "--dry-run", "--note", "commit=2f3c9e")
    scripts = [path.read_text() for path in (sweep.results / "jobs").glob("*.sbatch")]
    assert scripts and all("--note commit=2f3c9e" in text for text in scripts)


def test_notes_of_a_dry_run_are_its_own(build: Build, tmp_path: Path) -> None:
    """What comes after it has the notes that it is given, or none."""
    sweep = asked(tmp_path, build)
    for name, given in (("n2", ["a=1"]), ("n2.2", ["b=2"]), ("n2.3", [])):
        sweep.ok("submit", "--dry-run", *(word for each in given for word in ("--note", each)))
        script = (sweep.results / "jobs" / f"{name}.sbatch").read_text()
        assert re.findall(r"--note ([ab]=\d)", script) == given
    assert not (sweep.results / "notes").exists()


def test_without_slurm(build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scripts can be read anywhere; what is refused leaves nothing behind."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("bash", "sh", "env", "mpirun"):
        (programs / name).symlink_to(shutil.which(name) or name)
    monkeypatch.setenv("PATH", str(programs))
    sweep = asked(tmp_path, build)
    refused = sweep.run("submit")
    assert refused.exit_code == 2
    assert "there is no sbatch on the PATH; legal: " in refused.stderr
    assert "or --dry-run" in refused.stderr
    assert not sweep.results.exists()

    sweep = written(
        tmp_path, build_table("mine", build.folder, 'launcher = "srun"\n'), POINTS, bench()
    )
    found = dry(sweep)
    assert "--mpi=pmi" in found["n2.sbatch"]
    assert "no srun here can be asked" in sweep.run("submit", "--dry-run").stderr
    (programs / "srun").write_text("#!/bin/sh\nexit 1\n")  # installed, and of no cluster
    (programs / "srun").chmod(0o755)
    assert "no srun here can be asked" in sweep.run("submit", "--dry-run").stderr


def test_scripts_are_not_overwritten(build: Build, tmp_path: Path) -> None:
    sweep = asked(tmp_path, build)
    first = dry(sweep)
    second = dry(sweep)
    assert sorted(second) == ["n2.2.sbatch", "n2.sbatch", "n4.2.sbatch", "n4.sbatch"]
    assert {name: second[name] for name in first} == first


def test_array_and_environment(build: Build, tmp_path: Path) -> None:
    """Each build's modules and variables, around its own launches only."""
    sweep = written(
        tmp_path, build_table("mine", build.folder),
        build_table("other", build.folder, 'environment.X = "a b"\nmodules = ["mpi/5"]\n'),
        POINTS, bench(), bench(program="allgatherv_bench"), ASKED + 'jobs = "array"\n',
    )  # fmt: skip
    text = dry(sweep)["n4.sbatch"]
    assert "#SBATCH --array=0-1\n" in text
    assert text.endswith('"group_$index"\n')
    before, _, after = text.partition("build_1() { # other\n")
    assert "module load mpi/5" not in before and "module load mpi/5 || exit" in after
    assert "export X='a b'\n" in after


def test_own_template(build: Build, tmp_path: Path) -> None:
    template = tmp_path / "own.j2"
    template.write_text("#!/bin/sh\n# {{ sweep }} on {{ nodes }}\n")
    sweep = asked(tmp_path, build, f'template = "{template}"\n')
    assert dry(sweep)["n2.sbatch"] == "#!/bin/sh\n# test on 2\n"
    for text, place in (("{% if %}\n", f"{template}:1: "), ("{{ nods }}\n", "'nods' is undefined")):
        template.write_text(text)
        ended = sweep.run("submit", "--dry-run")
        assert ended.exit_code == 2
        assert "resources.template: " in ended.stderr and place in ended.stderr


def test_what_is_refused_leaves_nothing_behind(build: Build, tmp_path: Path) -> None:
    template = tmp_path / "own.j2"
    template.write_text("{{ nods }}\n")
    sweep = asked(tmp_path, build, f'template = "{template}"\n')
    assert sweep.run("submit", "--dry-run").exit_code == 2
    assert not sweep.results.exists()


def ended_early(script: Path, **variables: str) -> None:
    """Runs it until its first launch would begin."""
    text = script.read_text()
    head = script.with_name("head.sh")
    head.write_text(text[: text.index("signal_of_the_limit=")])
    subprocess.run(["bash", str(head)], env={**os.environ, **variables}, check=False,
                   capture_output=True)  # fmt: skip


def test_secrets_of_the_environment_are_not_kept(build: Build, tmp_path: Path) -> None:
    """Nor is what is kept for others than its owner to read."""
    sweep = asked(tmp_path, build)
    dry(sweep)
    kept = sweep.results / "jobs" / "test-n2.4711.environment"
    kept.write_text("of an earlier try\n")
    kept.chmod(0o644)
    secrets = {
        f"SLURM_{word}": f"hidden\nSLURM_{word}_2=hidden" for word in catalogue().secret_words
    }
    ended_early(sweep.results / "jobs" / "n2.sbatch", SLURM_JOB_ID="4711", SLURM_X="a=KEY",
                OMPI_MCA_orte_keep="yes", **secrets)  # fmt: skip
    text = kept.read_text()
    assert text.startswith("of an earlier try\n")
    assert "hidden" not in text
    assert {"SLURM_X=a=KEY", "SLURM_JOB_ID=4711", "OMPI_MCA_orte_keep=yes"} <= {*text.splitlines()}
    assert kept.stat().st_mode & 0o777 == 0o600


def test_hosts_and_environment_are_for_their_owner(build: Build, tmp_path: Path) -> None:
    sweep = asked(tmp_path, build)
    (script, *_) = map(Path, sorted(dry(sweep)))
    ended_early(sweep.results / "jobs" / script, SLURM_JOB_ID="1")
    kept = sweep.results / "jobs" / "test-n2.1.environment"
    assert kept.read_text() and kept.stat().st_mode & 0o777 == 0o600


def test_a_sweep_file_that_is_not_its_own_is_kept(build: Build, tmp_path: Path) -> None:
    """Such as that of another sweep, in the folder that --results names. A lock that an agsweep
    left which was killed before it kept anything is its own."""
    sweep = asked(tmp_path, build)
    sweep.results.mkdir()
    for name in ("sweep.toml", "lock", "notes"):
        kept = sweep.results / name
        kept.write_text("mine\n")
        ended = sweep.run("submit", "--dry-run")
        assert ended.exit_code == 2 and kept.read_text() == "mine\n"
        assert f"--results: {kept} is there, and agsweep did not write it; legal: " in ended.stderr
        kept.unlink()
    (sweep.results / "lock").write_text("process 1 on h\n")
    dry(sweep)
    dry(sweep)  # it knows its own


def test_own_template_and_its_neighbours(build: Build, tmp_path: Path) -> None:
    """It may include what lies beside it, and agsweep's, by the names of 0.1.0 too."""
    template = tmp_path / "sweep.sbatch.j2"
    sweep = asked(tmp_path, build, f'template = "{template}"\n')
    for included in ("launches.sh.j2", "slurm/sweep.sbatch.j2"):
        template.write_text(f'# mine\n{{% include "{included}" %}}\n')
        first, *_ = dry(sweep).values()
        assert first.startswith("# mine\n") and "settle() {" in first
    (tmp_path / "launches.sh.j2").write_text("# of {{ nodes }}\n")
    template.write_text('# mine\n{% include "launches.sh.j2" %}\n')
    assert "# mine\n# of 4\n" in dry(sweep).values()
    template.write_text('{% include "absent.j2" %}\n')
    ended = sweep.run("submit", "--dry-run")
    assert ended.exit_code == 2
    assert f"resources.template: {template}: wants 'absent.j2'" in ended.stderr


def test_no_such_template(build: Build, tmp_path: Path) -> None:
    """Names of agsweep's own templates are no files of the user's."""
    for name in ("absent.j2", "launches.sh.j2", "folder/sweep.sbatch.j2"):
        ended = asked(tmp_path, build, f'template = "{name}"\n').run("submit", "--dry-run")
        assert ended.exit_code == 2
        assert f"resources.template: '{name}' is no file; legal: " in ended.stderr
        assert len(ended.stderr.splitlines()) == 1


def test_template_by_its_name_in_010(build: Build, tmp_path: Path) -> None:
    name = "jobs/slurm/sweep.sbatch.j2"
    sweep = asked(tmp_path, build, f'template = "{name}"\n')
    ended = sweep.run("submit", "--dry-run")
    assert ended.exit_code == 0
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"note: resources.template: '{name}' is agsweep's own")
    named = (sweep.results / "jobs" / "n2.sbatch").read_text()
    assert dry(asked(tmp_path, build))["n2.2.sbatch"] == named


def test_control_characters_of_names_are_printed_as_escapes(build: Build, tmp_path: Path) -> None:
    sweep = replace(asked(tmp_path, build), results=tmp_path / "\x1b[2J")
    assert str(tmp_path / r"\x1b[2J") in sweep.ok("plan")


@pytest.mark.parametrize(
    ("top", "max_time", "hours", "fewer"),
    [
        ("", 'max-time = "1h"\n', 14, "launches"),
        ('precision = "5%"\nmost_launches = 9', 'max-time = "1h"\n', 119, "most_launches"),
        ("", "", None, ""),
    ],
    ids=["launches", "precision", "no_limit"],
)
def test_too_many_node_hours(
    build: Build, tmp_path: Path, top: str, max_time: str, hours: int | None, fewer: str
) -> None:
    """Two cases of 1.1 hours on 2 and on 4 nodes, and each launch's start. The limit launch_time
    counts only where a launch is ended after it, which is in no job."""

    def sweep(node_hours: int) -> Sweep:
        return written(
            tmp_path, top, build_table("mine", build.folder), POINTS, bench(OPTIONS + max_time),
            f'[resources]\nmpi = "pmix"\n[budget]\nlaunch_time = "1s"\nnode_hours = {node_hours}\n',
        )  # fmt: skip

    refused = sweep((hours or 2) - 1)
    ended = refused.run("submit", "--dry-run")
    assert ended.exit_code == 2 and not refused.results.exists()
    if not hours:
        assert "budget.node_hours: 1 cannot be kept in jobs, where launch_time" in ended.stderr
        why = "bench allgather has no max-time in its options"
        assert why in ended.stderr
        assert f"in jobs   none, as launch_time does not count: {why}" in refused.ok("plan")
        return
    assert f"budget.node_hours: {hours - 1} is less than the {hours} that it " in ended.stderr
    assert f"or fewer points, {fewer} or max-time" in ended.stderr
    enough = sweep(hours)
    enough.ok("submit", "--dry-run")
    (told,) = re.findall("^in jobs   (.*) node hours at most", enough.ok("plan"), re.MULTILINE)
    assert hours - 1 < float(told) <= hours


def test_builds_that_are_compared_share_a_barrier(build: Build, tmp_path: Path) -> None:
    """The barrier is the suite's own; unless the sweep says how ranks come together."""
    points = "[[points]]\nnodes = 2\nranks_per_node = 1\n"

    def syncs(*builds: str, options: str = OPTIONS) -> set[str]:
        tables = "".join(build_table(name, build.folder) for name in builds)
        folder = tmp_path / str(len([*tmp_path.iterdir()]))
        folder.mkdir()
        sweep = written(folder, tables, points, bench(options), ASKED)
        return set(re.findall(r"--sync (\S+)", "".join(dry(sweep).values())))

    assert syncs("a", "b") == {"dissemination"}
    assert syncs("a") == set()
    assert syncs("a", "b", options=OPTIONS + 'sync = "window"\n') == {"window"}


def test_paths_in_the_words_of_slurm(build: Build, tmp_path: Path) -> None:
    """The path of a job's output: Slurm takes quotes off, and has an escape for its sign."""
    results = tmp_path / "50%jobs a'b"
    text = dry(replace(asked(tmp_path, build), results=results))["n2.sbatch"]
    output = f"{str(results / 'jobs').replace('%', '%%')}/test-n2.%j.out"
    assert f"--output={output}" in directives(results / "jobs" / "n2.sbatch")
    assert f"folder={shlex.quote(str(results))}\n" in text, "bash has a language of its own"


@pytest.mark.parametrize("name", ["a\\b", "a\nb"])
def test_a_path_that_slurm_would_misread(build: Build, tmp_path: Path, name: str) -> None:
    sweep = replace(asked(tmp_path, build), results=tmp_path / name)
    ended = sweep.run("submit", "--dry-run")
    (line,) = ended.stderr.splitlines()
    assert ended.exit_code == 2 and not sweep.results.exists()
    assert "--results: " in line and "Slurm would misread" in line and "; legal: " in line
    template = tmp_path / "own.j2"
    template.write_text("#!/bin/sh\n")
    own = asked(tmp_path, build, f'template = "{template}"\n')
    assert "#!/bin/sh\n" in dry(replace(own, results=tmp_path / name)).values()


def test_values_with_blanks_are_one_word(build: Build, tmp_path: Path) -> None:
    """sbatch would take the second as the name of a script."""
    sweep = written(tmp_path, build_table("mine", build.folder), POINTS, bench(),
                    '[resources]\nmpi = "pmix"\npartition = "p q"\naccount = "a #b"\n'
                    'constraint = "[x*2&y*1]"\n')  # fmt: skip
    dry(sweep)
    words = directives(sweep.results / "jobs" / "n2.sbatch")
    assert {"--partition=p q", "--account=a #b", "--constraint=[x*2&y*1]"} <= {*words}


def test_relative_paths_are_from_the_folder_of_the_submission(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the results lie. Jobs of Slurm begin there."""
    mpirun = build.cached("GATHERBENCH_MPIEXEC")
    version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpirun").symlink_to(mpirun)
    (tmp_path / "sizes.txt").write_text("1\n2\n")
    sweep = written(
        tmp_path, f'launcher = "{kind_of(version.stdout)}"',
        build_table("mine", build.folder, 'mpirun = "bin/mpirun"'), "[[points]]\nranks = 2\n",
        bench('algorithms = "ring"\nsizes = "1"\niterations = 2\n'
              'distributions = "file:sizes.txt"', "allgatherv_bench"),
    )  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (script,) = dry(sweep)
    subprocess.run(
        ["bash", sweep.results / "jobs" / script], check=False, cwd=tmp_path,
        env={**os.environ, "SLURM_JOB_ID": "1"},
    )  # fmt: skip
    log = sweep.file_of("n1_p2_sequential_allgatherv_mine_0.log")
    assert " exit_code=0" in log.read_text()


def test_a_job_whose_folder_is_gone_says_so(build: Build, tmp_path: Path) -> None:
    sweep = asked(tmp_path, build)
    dry(sweep)
    script = tmp_path / "n2.sbatch"
    script.write_text((sweep.results / "jobs" / "n2.sbatch").read_text())
    (sweep.results / "launches").rmdir()
    done = subprocess.run(["bash", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"there is no folder {sweep.results / 'launches'}\n" in done.stderr


def test_a_template_that_is_no_text(build: Build, tmp_path: Path) -> None:
    template = tmp_path / "own.j2"
    template.write_bytes(b"# M\xfcnchen\n")
    ended = asked(tmp_path, build, f'template = "{template}"\n').run("submit", "--dry-run")
    assert ended.exit_code == 2 and len(ended.stderr.splitlines()) == 1
    assert f"resources.template: {template}: " in ended.stderr and "legal: " in ended.stderr


def test_the_two_of_a_duet_take_their_nodes_once(build: Build, tmp_path: Path) -> None:
    """Alternated launches do so one after the other."""
    budget = '[budget]\nlaunch_time = "10m"\n'
    for pairing, hours in (("duet", "1.67"), ("alternate", "3.33"), ("both", "5.00")):
        tables = [build_table(name, build.folder) for name in ("a", "b")]
        sweep = written(tmp_path, f'launches = 5\npairing = "{pairing}"', *tables,
                        "[[points]]\nnodes = 2\nranks_per_node = 1\n", bench(), budget)  # fmt: skip
        assert f"estimate  {hours} node hours at most" in sweep.ok("plan")


def test_each_legal_key_is_named_once(build: Build, tmp_path: Path) -> None:
    """No key is named that would be refused."""
    for program in ("allgather_bench", "allgatherv_bench", "bcast_bench"):
        options = bench("iteratoins = 3\n", program)
        sweep = written(tmp_path, build_table("mine", build.folder), POINTS, options)
        ended = sweep.run("plan")
        assert ended.exit_code == 2
        keys = ended.stderr.partition("legal: ")[2].partition(" (nearest")[0].split(", ")
        assert len(keys) == len({*keys}) > 20 and not {*keys} & {*RESERVED}
