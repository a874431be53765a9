# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a sweep's results: what lies where, and who works on it. Nothing in it is ever
overwritten: result files are gone on with by the benchmark, the rest is appended to."""

import errno
import fcntl
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from agformats.errors import BadInput
from agformats.files.beside_results import SUFFIXES
from agformats.files.gzip_text import endings
from agformats.regular_file import read_text, read_whole, require_regular
from agsweep import queue
from agsweep.launch_log import PROCESS, this_process
from agsweep.sweep.points import Launch
from agsweep.sweep.sweep_file import Sweep

SUFFIX = ".csv"
NOTES = "notes"  # the file with those of --note
BEGUN_WITH = "begun_with"  # the file that says with what launcher; only agsweep writes it
BEGUN_ON = "begun_on"  # the file that names the hostfile of run, if it was given one
SLURM = "slurm"  # a sweep that was begun by submit
# A manifest calls the files beside a result file so.
BESIDE = dict(zip(("per_rank", "per_step", "counters"), SUFFIXES, strict=True))


def default_folder(sweep: Sweep) -> Path:
    return Path("results") / sweep.name


class Folder:
    def __init__(self, path: Path, given: Mapping[str, str] | None = None) -> None:
        """Takes the folder at this path, which need not be there yet. given: the notes of a sweep
        that begins now; one that is under way has its own."""
        self.path = path.absolute()
        self.given = dict(given or {})

    def words(self, sweep: Sweep) -> str:
        """Returns the words that name the sweep and this folder to a command of agsweep."""
        is_default = self.path == default_folder(sweep).absolute()
        return shlex.join([str(sweep.file), *([] if is_default else ["--results", str(self.path)])])

    @property
    def sweep_file(self) -> Path:
        return self.path / "sweep.toml"

    @property
    def lock(self) -> Path:
        return self.path / "lock"

    @property
    def jobs(self) -> Path:
        return self.path / "jobs"

    def file(self, launch: Launch, suffix: str) -> Path:
        """Returns the path of a launch's file: .out (the tables), .log (launcher and benchmark, try
        after try), or one of its result files, such as .csv."""
        return self.path / "launches" / f"{launch.name}{suffix}"

    def tried(self) -> set[str]:
        """Returns the names of the launches that have a log. The folder is listed once, since of a
        million launches none may have one."""
        return {path.stem for path in (self.path / "launches").glob("*.log")}

    def result(self, launch: Launch, suffix: str = SUFFIX) -> Path | None:
        """Returns the file that the benchmark has written, compressed or not; None if there is
        none."""
        found = (self.file(launch, ending) for ending in endings(suffix))
        return next((path for path in found if path.exists()), None)

    def begun(self) -> bool:
        """Returns whether anything has been launched or submitted. A job whose number sbatch did
        not tell counts unless squeue says that there is none: what Slurm refused may be mended."""
        if any((self.path / "launches").glob("*")):
            return True
        jobs = queue.recorded(self.jobs)
        return any(job.accepted for job in jobs) or queue.may_be_alive(jobs)

    @property
    def notes(self) -> dict[str, str]:
        """Returns the user's notes on all launches, those that are still to come as well. Raises
        BadInput if their file is not what agsweep wrote."""
        if not (kept := self.path / NOTES).exists():
            return self.given
        try:
            return dict(line.split("=", 1) for line in read_text(kept).splitlines())
        except ValueError:  # also of bytes that are no text
            raise BadInput(f"{kept}: is not what agsweep wrote; legal: KEY=VALUE a line") from None

    @property
    def launcher(self) -> str:
        """The launcher that the sweep was begun with: auto, smpirun or slurm."""
        return read_text(self.path / BEGUN_WITH, errors="replace").strip()

    @property
    def hostfile(self) -> str:
        """The path of the hostfile that run was given; empty if it was given none. Raises BadInput
        if it is gone."""
        if not (kept := self.path / BEGUN_ON).exists():
            return ""
        path = read_text(kept, errors="surrogateescape").removesuffix("\n")
        if not Path(path).is_file():
            raise BadInput(
                f"--hostfile: there is no file '{path}' any more, which {self.path} was begun "
                "with; legal: --hostfile FILE"
            )
        return path

    def begin(self, sweep: Sweep, launcher: str, hostfile: str = "") -> None:
        """Keeps the sweep file with the results, which belong to no other sweep file, and what the
        sweep is begun with. Who has the lock may call this. What a dry run kept is replaced."""
        (self.path / "launches").mkdir(parents=True, exist_ok=True)
        self.jobs.mkdir(exist_ok=True)
        self.check_same(sweep)
        if not self.begun():
            (self.path / BEGUN_WITH).write_text(f"{launcher}\n")
            keep(self.path / BEGUN_ON, f"{Path(hostfile).absolute()}\n" if hostfile else "")
            lines = "".join(f"{key}={value}\n" for key, value in self.given.items())
            keep(self.path / NOTES, lines)
            self.sweep_file.write_bytes(read_whole(sweep.file))

    def check_same(self, sweep: Sweep) -> None:
        kept = self.sweep_file
        if not self.begun() and not (self.path / BEGUN_WITH).exists():
            lock = [] if self.has_own_lock() else [self.lock]
            for foreign in filter(Path.exists, (kept, self.path / NOTES, *lock)):
                raise BadInput(
                    f"--results: {foreign} is there, and agsweep did not write it; "
                    "legal: another folder"
                )
        if self.begun() and kept.exists() and read_whole(kept) != read_whole(sweep.file):
            raise BadInput(
                f"{self.path} holds results of another version of {sweep.file} (its sweep.toml); "
                "legal: that version, another name in the file, or --results FOLDER"
            )

    def has_own_lock(self) -> bool:
        """Returns whether the lock, if it is there, is of an agsweep, which may not have said yet
        who it is, or may have ended before it kept anything."""
        if not self.lock.exists():
            return True
        user = read_text(self.lock, errors="replace").strip()
        return not user or PROCESS.fullmatch(user) is not None

    def check_new(self, sweep: Sweep) -> None:
        if self.begun():
            raise BadInput(
                f"{self.path}: {sweep.name} is under way there; "
                "legal: agsweep resume, or --results FOLDER"
            )

    @contextmanager
    def locked(self) -> Iterator[int]:
        """Locks the folder for one agsweep at a time, and yields the lock's file descriptor. Raises
        BadInput if another one has the lock. The kernel frees the lock when the last process that
        has it ends, so launchers that outlive an agsweep still keep the next one off their
        files."""
        self.path.mkdir(parents=True, exist_ok=True)
        if self.lock.exists():
            require_regular(self.lock)
        with self.lock.open("a+") as file:
            if not free(file, fcntl.LOCK_EX):
                file.seek(0)
                user = file.read().strip() or "another agsweep"  # which has not said yet who it is
                raise BadInput(f"{self.path}: in use by {user}")
            file.truncate(0)
            file.write(f"{this_process()}\n")
            file.flush()
            yield file.fileno()

    def user(self) -> str:
        """Returns the process that works on the folder now, as the tries of launches name it
        (`process 123 on host`); empty if there is none."""
        try:
            require_regular(self.lock)
            with self.lock.open() as file:
                return "" if free(file, fcntl.LOCK_SH) else file.read().strip()
        except FileNotFoundError:
            return ""


def keep(path: Path, text: str) -> None:
    """Writes the file anew, or removes it where there is nothing to keep."""
    if text:
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
    else:
        path.unlink(missing_ok=True)


def free(file: IO[str], kind: int) -> bool:
    """Takes the lock if nobody else has it, and returns whether that is so. On a file system
    without locks this is always so."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP):
            raise
    return True
