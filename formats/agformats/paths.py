# SPDX-License-Identifier: BSD-3-Clause
"""Names of files and folders on a command line, as types for argparse: what cannot be a name is
refused with the option, before anything is done."""

import os
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

from agformats.errors import in_one_line
from agformats.regular_file import fault_of

STANDARD_INPUT = "-"


def name(text: str) -> Path:
    """Returns the name of a file or folder that may be there or not."""
    if not text:
        raise ArgumentTypeError("'' is no name of a file or folder")
    try:
        text.encode()
        os.lstat(text)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except UnicodeEncodeError:
        raise ArgumentTypeError(f"'{in_one_line(text)}' is no UTF-8") from None
    except OSError as error:  # such as a name that is too long
        raise ArgumentTypeError(f"'{in_one_line(text)}': {error.strerror}") from None
    return Path(text)


def file(text: str) -> Path:
    """Returns the path of a regular file that is there."""
    if not (path := name(text)).exists():
        raise ArgumentTypeError(f"there is no file '{in_one_line(text)}'")
    if fault := fault_of(path):
        raise ArgumentTypeError(f"'{in_one_line(text)}' {fault}")
    return path


def file_or_input(text: str) -> Path:
    """Returns the path of a regular file that is there, or `-` for standard input."""
    return Path(text) if text == STANDARD_INPUT else file(text)


def new(what: str) -> Callable[[str], Path]:
    """Returns a reader of the path of a file or folder (`what`) that is made, in a folder that
    is there."""

    def read(text: str) -> Path:
        path = name(text)
        if os.path.lexists(path):
            raise ArgumentTypeError(
                f"'{in_one_line(text)}' exists and is not overwritten; legal: a new {what}"
            )
        if not path.parent.is_dir():
            raise ArgumentTypeError(f"there is no folder '{in_one_line(str(path.parent))}'")
        return path

    return read


def folder(text: str) -> Path:
    """Returns the path of a folder that may be there or not, but is nothing else."""
    path = name(text)
    first = next((each for each in (path, *path.absolute().parents) if os.path.lexists(each)), path)
    if os.path.lexists(first) and not first.is_dir():
        raise ArgumentTypeError(f"'{in_one_line(str(first))}' is no folder")
    return path
