# SPDX-License-Identifier: BSD-3-Clause
"""What is read whole is a regular file of a stated size at most."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from agformats import paths
from agformats.errors import BadInput
from agformats.files.data_set_sums import sha256_of
from agformats.files.gzip_text import first_comments, read_bytes
from agformats.regular_file import MOST_BYTES, read_text, read_whole
from shared.bounded import make_pipe, make_socket

READERS = (read_whole, read_text, read_bytes, first_comments, sha256_of)


@pytest.mark.parametrize("read", READERS)
def test_what_is_no_regular_file_is_not_opened(read: object, tmp_path: Path) -> None:
    """Opening a pipe that nobody writes to would wait for ever."""
    assert callable(read)
    for path, what in (
        (make_pipe(tmp_path / "pipe"), "a pipe"),
        (make_socket(tmp_path / "socket"), "a socket"),
        (Path("/dev/zero"), "a device"),
        (tmp_path, "a directory"),
    ):
        with pytest.raises(BadInput) as error:
            read(path)
        assert str(error.value) == f"{path}: is {what}; legal: a regular file"


def test_links_are_what_they_lead_to(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("text")
    for name, target in (("good", "a"), ("bad", "/dev/zero"), ("dangling", "none")):
        (tmp_path / name).symlink_to(target)
    assert read_whole(tmp_path / "good") == b"text"
    with pytest.raises(BadInput, match="is a device"):
        read_whole(tmp_path / "bad")
    with pytest.raises(FileNotFoundError):
        read_whole(tmp_path / "dangling")


def test_the_largest_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345678")
    assert read_whole(path, 8) == b"12345678"
    with pytest.raises(BadInput) as error:
        read_whole(path, 7)
    assert str(error.value) == f"{path}: is too large, 8 B; legal: up to 7 B"
    with path.open("r+b") as file:
        file.truncate(MOST_BYTES + 1)  # a file with a hole takes no room
    with pytest.raises(BadInput, match="is too large, 8 GiB; legal: up to 8 GiB"):
        read_whole(path)


def test_files_of_the_kernel_do_not_say_their_size() -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    assert b"VmSize" in read_whole(path)
    with pytest.raises(BadInput, match=r"is too large, .*; legal: up to 10 B"):
        read_whole(path, 10)


def test_names_on_a_command_line(tmp_path: Path) -> None:
    pipe = make_pipe(tmp_path / "pipe")
    with pytest.raises(ArgumentTypeError) as error:
        paths.file(str(pipe))
    assert str(error.value) == f"'{pipe}' is a pipe; legal: a regular file"
    with pytest.raises(ArgumentTypeError, match="there is no file"):
        paths.file(str(tmp_path / "none"))
    assert paths.file_or_input("-") == Path(paths.STANDARD_INPUT)
    assert paths.file_or_input(__file__) == Path(__file__)
