# SPDX-License-Identifier: BSD-3-Clause
"""Files that a program writes where an option says: measurements are never replaced, and an older
report is replaced by a whole one or not at all."""

import os
import re
import zlib
from argparse import Action, ArgumentTypeError
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from glob import glob, has_magic
from pathlib import Path
from shutil import rmtree
from typing import IO, Any

from agformats import paths
from agformats.errors import BadInput
from agformats.files import data_set_sums
from agformats.files.gzip_text import GZIP_FORMAT, endings

# Files that begin like this were measured: files of benchmarks, traces, and Parquet.
RESULT_BEGIN = b"#@suite="
MEASURED = (RESULT_BEGIN, b"#@agtrace=", b"PAR1")
GZIP_MAGIC = b"\x1f\x8b"
# Where an input is a folder, the files in it with these endings are read.
READ_BELOW = (*endings(".csv"), ".parquet", ".agtrace")
TEXT = {"encoding": "utf-8", "errors": "backslashreplace"}  # how texts are written
# These have names of what is open: a new file in the place of one would be another file.
DIRECT = (Path("/dev"), Path("/proc"))
written: list[Path] = []  # what this process has written, in its order
# These lead to a pipe that somebody has open already, as a shell's `>(COMMAND)`.
OPEN = tuple(map(Path, ("/dev/fd", "/dev/stdout", "/dev/stderr", "/proc")))


class OutputFile:
    """A type for argparse: the name of a file that is written. The file is in a folder that is
    there, has one of the endings if there are any, and is not where measurements are."""

    def __init__(self, endings: Sequence[str] = ()) -> None:
        self.endings = endings

    def __call__(self, text: str) -> Path:
        path = paths.name(text)
        if self.endings and path.suffix.lower() not in self.endings:
            raise ArgumentTypeError(f"'{text}' must end in one of {', '.join(self.endings)}")
        if not path.parent.is_dir():
            raise ArgumentTypeError(f"'{text}': the directory '{path.parent}' does not exist")
        if path.is_dir():
            raise ArgumentTypeError(f"'{text}' is a directory; legal: a file")
        if why := why_kept(path):
            raise ArgumentTypeError(f"'{text}' {why}")
        return path


def why_kept(path: Path) -> str:
    """Returns why this file must not be written; empty if it may. A link is what it leads to."""
    real = Path(os.path.realpath(path))
    if folder := data_set_around(real):
        return f"is inside the data set '{folder}'; legal: a file outside of it"
    if (real.is_fifo() or real.is_socket()) and not is_open(path):
        what = "a pipe" if real.is_fifo() else "a socket"
        return f"is {what}; legal: a regular file, a new name, or /dev/stdout"
    try:
        if real.is_file() and begin(real).startswith(MEASURED):
            return "has measurements, which are not overwritten; legal: another file"
    except OSError as error:
        return f"is there, and what it is cannot be read: {error.strerror}; legal: another file"
    return ""


def data_set_around(path: Path) -> Path | None:
    """Returns the folder of the data set that the path is in, or None. It looks in two folders
    above, since a data set has files in the folders of its builds, too."""
    for folder in list(path.parents)[:2]:
        if any((folder / name).is_file() for name in data_set_sums.FILES):
            return folder
    return None


def is_open(path: Path) -> bool:
    """Returns whether the name of the path is of a descriptor that a process has open. To open a
    pipe by another name would wait until somebody reads it, maybe for ever."""
    names = (path.absolute(), Path(os.path.realpath(path)))
    return any(name.is_relative_to(known) for name in names for known in OPEN)


def begin(path: Path) -> bytes:
    """Returns the first bytes of a file, as they are uncompressed."""
    with path.open("rb") as file:
        data = file.read(1 << 10)
    if data.startswith(GZIP_MAGIC):
        with suppress(zlib.error):
            return zlib.decompressobj(GZIP_FORMAT).decompress(data, 64)
    return data


def reads(action: Action, value: object, path: Path) -> bool:
    """Returns whether an option with this value reads the file: by its name, a glob, a folder, or
    behind a word, as in `trace:FILE`. Files are compared by inode, so that links are what they
    lead to."""
    texts = value if isinstance(value, list | tuple) else [value]
    return any(names_file(action, text, path) for text in filter(None, texts))


def names_file(action: Action, text: object, path: Path) -> bool:
    if action.nargs == "+":  # names, globs and folders
        found = glob(str(text), recursive=True) if has_magic(str(text)) else [str(text)]  # noqa: PTH207
        return any(same(name, path) or is_read_in(Path(name), path) for name in found)
    if "FILE" in str(action.metavar) or isinstance(text, Path):
        return same(str(text), path)
    return any(same(part, path) for part in re.split("[:,]", str(text))[1:])


def same(name: str | Path, path: Path) -> bool:
    """Returns whether both are one file, which need not be there yet."""
    try:
        if path.exists():
            return path.samefile(name)
        return path.resolve() == Path(name).resolve()
    except (OSError, ValueError):  # such as a text that is no name
        return False


def is_read_in(folder: Path, path: Path) -> bool:
    """Returns whether the file is there already, as one that is read where its folder is given."""
    return (
        path.is_file()
        and path.name.endswith(READ_BELOW)
        and Path(os.path.realpath(folder)) in Path(os.path.realpath(path)).parents
    )


@contextmanager
def replacing(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Writes a file in UTF-8, or with `wb` bytes; what is no text, as in some names of files, gets
    escapes such as \\udcfc, as on a terminal. Leaving it without a fault puts it in the place
    of an older one; else that stays as it was. Devices, and pipes that are open, are written as
    they are.

    Raises BadInput: measurements are there, or it cannot be written.
    """
    if why := why_kept(path):
        raise BadInput(f"'{path}' {why}")
    is_direct = any(folder in path.absolute().parents for folder in DIRECT)
    opened = opened_itself if is_direct or (path.exists() and not path.is_file()) else opened_beside
    try:
        with opened(path, mode, {} if "b" in mode else TEXT) as file:
            yield file
        if opened == opened_beside:
            written.append(path)
    except BrokenPipeError:
        raise
    except OSError as error:  # such as of /dev/full
        raise BadInput(f"'{path}' cannot be written: {error.strerror}") from None


def opened_itself(path: Path, mode: str, how: Mapping[str, Any]) -> AbstractContextManager[IO[Any]]:
    return path.open(mode, **how)


@contextmanager
def opened_beside(path: Path, mode: str, how: Mapping[str, Any]) -> Iterator[IO[Any]]:
    """Yields a new file, which takes the place of the older one at the end; after a fault the new
    one is deleted, and the older one stays."""
    real = Path(os.path.realpath(path))
    part = real.with_name(f".{os.urandom(8).hex()}.part")
    try:
        with part.open(mode.replace("w", "x"), **how) as file:
            if real.exists():
                os.fchmod(file.fileno(), real.stat().st_mode & 0o777)
            yield file
        part.replace(real)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yields a folder beside this one, which is to be filled. Leaving it without a fault gives it
    its name; else it is deleted, with all that is in it. Raises BadInput if it cannot be made."""
    part = folder.with_name(f".{os.urandom(8).hex()}.part")
    before = len(written)
    try:
        part.mkdir(parents=True)
    except OSError as error:
        raise BadInput(
            f"'{folder}' cannot be made: {error.strerror}; legal: a new folder in one that may be "
            "written"
        ) from None
    try:
        yield part
        part.rename(folder)
        written[before:] = [folder / path.relative_to(part) for path in written[before:]]
    finally:
        rmtree(part, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Writes a text as replacing does."""
    with replacing(path) as file:
        file.write(text)
