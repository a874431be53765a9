# SPDX-License-Identifier: BSD-3-Clause
"""What is said of an error is one line that people can read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agformats.catalogue import catalogue
from agformats.errors import (
    LONGEST_MESSAGE,
    LONGEST_WORD,
    BadInput,
    check_known,
    ended_badly,
    in_words,
    message,
)


def test_long_values_keep_their_ends() -> None:
    value = "begin" + 4990 * "a" + "/end.csv"
    told = message(f"--ranks: '{value}' is not legal; legal: 1, 2")
    assert told.startswith("--ranks: 'beginaaa") and told.endswith("aaa/end.csv' is not legal; "
                                                                   "legal: 1, 2")  # fmt: skip
    assert "[...4705 characters...]" in told
    assert len(told) < LONGEST_WORD + 100
    assert message("a" * LONGEST_WORD) == "a" * LONGEST_WORD


def test_so_do_long_messages() -> None:
    told = message("first " + "a " * 100_000 + "last")
    assert told.startswith("first a") and told.endswith("a last")
    assert len(told) < LONGEST_MESSAGE + 100


def test_the_longest_list_of_legal_names_stays_whole() -> None:
    names = [each.name for each in catalogue().algorithms]
    with pytest.raises(BadInput) as error:
        check_known("--algorithms", ["nosuch"], names, "an algorithm")
    assert ", ".join(names) in str(error.value)


def test_errors_of_the_system(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none"
    with pytest.raises(OSError) as error:
        path.open()
    assert in_words(error.value) == f"{path}: No such file or directory"
    with pytest.raises(OSError) as error:
        path.rename(tmp_path / "b")
    assert in_words(error.value) == f"{path} to {tmp_path / 'b'}: No such file or directory"
    assert in_words(OSError(28, "No space left on device")) == "No space left on device"
    assert in_words(BadInput("a\nb")) == "a\\nb"
    assert ended_badly("agreport", MemoryError()) == 2
    assert capsys.readouterr().err == (
        "agreport: error: there is not enough memory for these files; legal: fewer of them, or "
        "more memory\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words",
    ["agreport --help", "agreport --version", "agsweep --help", "agsweep plan --help",
     "agreport --print-completion bash", "agsweep platform jobs/platforms/cervino.toml"],
)  # fmt: skip
def test_what_is_printed_on_a_full_disk_is_not_lost_in_silence(words: str, unbuffered: str) -> None:
    program, *arguments = words.split()
    command = [sys.executable, "-m", f"{program}.main", *arguments]
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            command,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert ended.stderr == f"{program}: error: No space left on device\n"
    assert ended.returncode == 2


@pytest.mark.slow
def test_a_reader_of_a_help_may_have_seen_enough() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "agreport.main", "--help"]
    ended = subprocess.run(
        command,
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (0, b"")
