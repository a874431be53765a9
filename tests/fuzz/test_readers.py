# SPDX-License-Identifier: BSD-3-Clause
"""Damaged files: 250 a reader; FUZZ_SECONDS=3600 goes on for so long, with other seeds."""

import os
import random
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from agformats.errors import BadInput
from shared.bounded import within

from .readers import READERS, Found, Reader

RUNS = 250
MOST_MORE_BYTES = 1 << 30  # that reading a file of some kilobytes may take
SECONDS = float(os.environ.get("FUZZ_SECONDS", "0"))
LIMIT_S = 60  # of a file; none comes near to it


@contextmanager
def little_memory() -> Iterator[None]:
    """Reading that takes more ends with a MemoryError."""
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MOST_MORE_BYTES, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


def outcome(reader: Reader, path: Path, whole: Found) -> str:
    """Returns what is wrong with how the file was read; empty if nothing is."""
    try:
        with within(LIMIT_S), little_memory():
            found = reader.read(path)
    except (BadInput, OSError) as error:
        return "" if "\n" not in str(error) else f"several lines: {error}"
    except Exception as error:
        return f"traceback: {error!r}"
    if not reader.proves or found.told or found.numbers == whole.numbers:
        return ""
    return "silent change"


def fuzz(reader: Reader, folder: Path, seed: int) -> list[str]:
    """The faults of RUNS damaged files."""
    path = reader.make(folder)
    data, whole = path.read_bytes(), reader.read(path)
    faults = []
    for number in range(seed * RUNS, (seed + 1) * RUNS):
        draw = random.Random(number)
        name = draw.choice(sorted(reader.mutations))
        damaged = reader.mutations[name](draw, data)
        if damaged == data:
            continue
        path.write_bytes(damaged)
        if fault := outcome(reader, path, whole):
            faults.append(f"{name}, random.Random({number}): {fault}")
    path.write_bytes(data)
    return faults


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_damaged_files(name: str, tmp_path: Path) -> None:
    end = time.monotonic() + SECONDS / len(READERS)
    seed = 0
    while not seed or time.monotonic() < end:
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert fuzz(READERS[name], folder, seed) == []
        seed += 1
