# SPDX-License-Identifier: BSD-3-Clause
"""Jobs in Slurm: how they are submitted, and which of them it still has.

What its programs print is not all an answer: sites have banners, wrappers, and variables that bend
it. So a number is a line of digits, and a list of jobs has its header. A job has a name that no
other has, on record before it is submitted: squeue finds it where sbatch did not tell its number.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from agformats.errors import BadInput
from agformats.files.outputs import write_text
from agformats.notes import note, tell
from agformats.regular_file import MOST_BYTES, read_text

RECORD = "submitted.jsonl"
NUMBER = re.compile(r"^(\d+)(?:;(\S+))?\s*$", re.MULTILINE)  # sbatch --parsable: 4711;cluster
# Wrappers align columns. 4711_[0-3] and 4711+1 are not one job.
LISTED = re.compile(r"^[ \t]*(\d+(?:_\d+|_\[\S*|\+\S*)?)[ \t]+(.*?)[ \t]*$", re.MULTILINE)
HEADER = re.compile(r"^[ \t]*JOBID[ \t]+NAME\s*$", re.MULTILINE)
# A sweep file says no to these by not asking: an array, nodes for one job alone, ranks that share
# cores. With SBATCH_WAIT sbatch would end with the job.
DENIED = "SBATCH_(ARRAY_INX|EXCLUSIVE|OVERCOMMIT|WAIT)"
# Slurm tells of each way in which it looked for a cluster. This finds the last of these lines.
NO_CLUSTER = re.compile(r"^.*could not establish a configuration source.*$", re.I | re.M)
LEGAL = "legal: on a login node of a Slurm cluster, or --dry-run"
CLUSTERS = re.compile(r"(?:^| )(?:--clusters[= ]|-M ?)(\S+)")


class NoAnswer(BadInput):
    """The error that it is not known which jobs there are."""


@dataclass(frozen=True)
class Job:
    """A job, or an element of an array, and the launches that it is to do."""

    number: str  # 4711, 4711_3; before sbatch has told it: nothing, _3
    script: str
    launches: list[str]
    name: str = ""  # none in records of older versions
    cluster: str = ""  # none: Slurm's default

    @property
    def accepted(self) -> bool:
        return self.number[:1] not in ("", "_")


@dataclass(frozen=True)
class Listed:
    """A job as squeue lists it."""

    number: str
    name: str

    def of(self, job: Job) -> bool:
        named = self.name == job.name != "" and self.number.endswith(job.number)
        return named or self.number == job.number

    def has_several_of(self, job: Job) -> bool:
        """Returns whether elements or parts of the job are together in this row (4711_[0-3],
        4711+1), so that it is not known which of them the row has."""
        number = re.split(r"_\[|\+", self.number)
        return len(number) > 1 and (
            number[0] == job.number.partition("_")[0] or self.name == job.name != ""
        )


def require(program: str) -> None:
    if shutil.which(program) is None:
        raise BadInput(f"there is no {program} on the PATH; {LEGAL}")


def require_cluster() -> None:
    """Raises BadInput if squeue finds no cluster: Slurm may be installed where it is of none. That
    Slurm does not answer just now is no error here; who needs the answer tells of it."""
    if shutil.which("squeue"):
        done = ran(["squeue", "--me", "--noheader"], "SQUEUE_.*|SLURM_CLUSTERS")
        if NO_CLUSTER.search(done.stderr):
            raise BadInput(f"{said(done)}; {LEGAL}")


def ran(command: list[str], without: str = "(?!)") -> "subprocess.CompletedProcess[str]":
    """Runs a program of Slurm without the environment variables whose names match `without`, and
    returns its output and its exit code."""
    kept = {name: value for name, value in os.environ.items() if not re.fullmatch(without, name)}
    return subprocess.run(
        command, env=kept, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", check=False,
    )  # fmt: skip


def said(done: "subprocess.CompletedProcess[str]") -> str:
    """Returns what a program said, in a line: its errors, else its output, else its exit code."""
    if last := NO_CLUSTER.search(done.stderr):
        return last[0]
    words = done.stderr.split() or done.stdout.split() or [f"exit code {done.returncode}"]
    return f"{done.args[0]}: {' '.join(words)}"


def pass_on(done: "subprocess.CompletedProcess[str]") -> None:
    """Passes on a program's standard error, which is no answer but may be of use to the user."""
    for line in done.stderr.splitlines():
        tell(line)


def unique_name(script: Path, sweep: str) -> str:
    """Returns the unique name of a job. Two folders with results of one sweep have two names."""
    return f"{sweep}-{script.stem}-{hashlib.sha256(bytes(script)).hexdigest()[:8]}"


def submit(folder: Path, jobs: list[Job]) -> str:
    """Submits the script of these jobs, and returns the number that Slurm gave it. The jobs are on
    record before they are submitted, and again with their numbers. Raises BadInput if Slurm has not
    taken them."""
    script, name = folder / jobs[0].script, jobs[0].name
    words = directives(script)
    cluster = cluster_of(words)
    record(folder, [replace(job, cluster=cluster) for job in jobs])
    number, cluster = sbatch(script, name, words, cluster)
    record(folder, [replace(job, number=number + job.number, cluster=cluster) for job in jobs])
    return number


def directives(script: Path) -> list[str]:
    """Returns the words of a script's #SBATCH lines, as directives_in does."""
    return directives_in(script, read_text(script, MOST_BYTES, "surrogateescape"))


def directives_in(script: Path, text: str) -> list[str]:
    """Returns the words of the #SBATCH lines in the text of a script, which sbatch reads up to the
    first command. Raises BadInput if a quote has no end."""
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("#SBATCH"):
            try:
                words += shlex.split(line.removeprefix("#SBATCH"), comments=True)
            except ValueError as error:
                raise BadInput(f"{script}: {line}: {error}; legal: quotes in pairs") from None
        elif line.strip() and not line.startswith("#"):
            break
    return words


# sbatch has short names of options that a script may have.
SHORT = {
    "-A": "--account",
    "-C": "--constraint",
    "-J": "--job-name",
    "-N": "--nodes",
    "-O": "--overcommit",
    "-a": "--array",
    "-o": "--output",
    "-p": "--partition",
    "-t": "--time",
}


def option_of(word: str) -> str:
    """Returns the option of a word, without its value, and without the `no-` that denies it; empty:
    the word is no option."""
    if word.startswith("--"):
        return f"--{word[2:].partition('=')[0].removeprefix('no-')}"
    return SHORT.get(word[:2], word[:2]) if word.startswith("-") else ""


def refuse_twice(script: Path, text: str, lines: Iterable[str]) -> None:
    """Raises BadInput if one of these lines of a job script has an option that the text of the
    script has, too: the last one would count, against what the sweep file says."""
    counts = Counter(filter(None, map(option_of, directives_in(script, text))))
    for line in lines:
        for word in shlex.split(line, comments=True):
            if counts[option := option_of(word)] > 1:
                raise BadInput(
                    f"resources.extra: '{word}' is not legal, as the script has {option} already; "
                    "legal: options that agsweep does not write"
                )


def cluster_of(words: list[str]) -> str:
    """Returns the cluster where sbatch will submit; empty: Slurm's default. Of several clusters
    sbatch takes one, and says which."""
    given = CLUSTERS.findall(" ".join(words))
    names = [os.environ.get(each, "") for each in ("SLURM_CLUSTERS", "SBATCH_CLUSTERS")]
    return next(filter(None, [*given[-1:], *names]), "")


def sbatch(script: Path, name: str, words: list[str], cluster: str) -> tuple[str, str]:
    """Submits a script; returns the job's number and its cluster. Variables such as
    SBATCH_TIMELIMIT override the script, so its words are on the command line, too, which overrides
    the variables. Raises BadInput if there is no such job."""
    taken = [
        x for x in sorted(os.environ) if x.startswith("SBATCH_") and not re.fullmatch(DENIED, x)
    ]
    if taken:
        note(f"what the sweep file does not say, sbatch takes from {', '.join(taken)}")
    ours = [f"--job-name={name}", *([f"--clusters={cluster}"] if cluster else [])]
    done = ran(["sbatch", "--parsable", *words, *ours, str(script)], DENIED)
    numbers = NUMBER.findall(done.stdout)
    if done.returncode == 0 and len(numbers) == 1:
        pass_on(done)
        return numbers[0][0], numbers[0][1] or cluster
    return found(name, cluster, said(done)), cluster


def found(name: str, cluster: str, why: str) -> str:
    """Returns the number of a job that sbatch did not tell: squeue finds the job by its name.
    Raises BadInput if squeue does not answer or has no such job. why: what sbatch said."""
    again = "should it come late, agsweep status tells"
    try:
        numbers = {each.number.partition("_")[0] for each in listed(cluster) if each.name == name}
    except NoAnswer as error:
        raise BadInput(f"{why}; is there a job {name}? {error}; {again}") from None
    if len(numbers) != 1:
        raise BadInput(f"{why}; squeue has no job {name}; {again}")
    tell(f"{why}; squeue has the job, by its name {name}")
    return numbers.pop()


def listed(clusters: str) -> list[Listed]:
    """Returns the user's jobs that wait or run, arrays element by element. Raises NoAnswer unless
    squeue printed a list with its header and no error: it may end with 0 when Slurm, or one of its
    clusters, did not answer."""
    if shutil.which("squeue") is None:
        raise NoAnswer("not asked, there is no squeue on the PATH")
    where = [f"--clusters={clusters}"] if clusters else []
    command = ["squeue", "--me", "--array", "--format=%i %j", *where]
    done = ran(command, "SQUEUE_.*|SLURM_CLUSTERS")
    failed = done.returncode != 0 or re.search(r"\berror\b", done.stderr)
    if failed or not HEADER.search(done.stdout):
        raise NoAnswer(f"no list of jobs came from {said(done)}")
    pass_on(done)
    return [Listed(*each) for each in LISTED.findall(done.stdout)]


def alive(jobs: Iterable[Job]) -> list[tuple[Job, str]]:
    """Returns the jobs that wait or run, with their numbers. Raises NoAnswer if they are not
    known."""
    lists = {cluster: listed(cluster) for cluster in {job.cluster for job in jobs}}
    pairs = [(job, each) for job in jobs for each in lists[job.cluster]]
    if several := [each for job, each in pairs if each.has_several_of(job)]:
        why = "which is not one job, though it was asked for --array"
        raise NoAnswer(f"squeue lists {several[0].number}, {why}")
    return [(job, each.number) for job, each in pairs if each.of(job)]


def may_be_alive(jobs: Iterable[Job]) -> bool:
    """Returns whether one of the jobs waits or runs, or may do so as nobody tells."""
    try:
        return bool(alive(jobs))
    except NoAnswer:
        return True


def pmi_types() -> list[str]:
    require("srun")
    done = ran(["srun", "--mpi=list"])
    if done.returncode != 0:
        raise BadInput(f"{said(done)}; {LEGAL}")
    # Older versions of srun answer on standard error.
    return re.findall(r"\b(pmix_v\d+|pmix|pmi2|pmi1|cray_shasta|none)\b", done.stdout + done.stderr)


def pmi_for(kind: str, dry_run: bool) -> str:
    """Returns what srun's --mpi has to be for a kind of mpirun. Open MPI speaks PMIx; MPICH and
    Intel MPI speak PMI-2, as most are built. Raises BadInput if srun has no such type, or if there
    is no srun to ask; with dry_run the latter is a note only."""
    wanted = "pmix" if kind == "openmpi" else "pmi2"
    try:
        found = pmi_types()
    except BadInput:  # no srun, or one that is of no cluster
        if not dry_run:
            raise
        note(f"no srun here can be asked which --mpi it has; the scripts say {wanted}")
        return wanted
    if wanted not in found:
        legal = ", ".join(dict.fromkeys(found))
        raise BadInput(
            f"resources.mpi: 'auto' would take {wanted}, which `srun --mpi=list` has not; "
            f"legal: {legal}, or launcher = the kind of mpirun"
        )
    return wanted


def record(folder: Path, jobs: list[Job]) -> None:
    """Adds jobs to the record, all or none: with a part of a line nothing could be read any
    more."""
    path = folder / RECORD
    before = read_text(path) if path.exists() else ""
    write_text(path, before + "".join(json.dumps(vars(job)) + "\n" for job in jobs))


def recorded(folder: Path) -> list[Job]:
    if not (folder / RECORD).exists():
        return []
    try:
        return [Job(**json.loads(line)) for line in read_text(folder / RECORD).splitlines()]
    except (ValueError, TypeError) as error:
        raise BadInput(f"{folder / RECORD}: {error}; legal: lines that agsweep wrote") from None
