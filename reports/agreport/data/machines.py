# SPDX-License-Identifier: BSD-3-Clause
"""Finds what launches say of the machine and of the MPI library."""

from agformats.units import in_units
from agreport.data.load import Launch, Results
from agreport.data.mpi_name import mpi_name

MACHINE = "machine."  # how the keys begin
MOST_DIGITS = 18  # of a number of bytes
OF_MPI = ("transport", "collective_components")
LONGEST = 60  # characters of a value; the page has the whole of longer ones elsewhere


def machines(results: Results) -> list[list[tuple[str, str]]]:
    """Returns each kind of machine, by what its launches say of it."""
    found = [
        [(key.removeprefix(MACHINE), value) for key, value in launch.metadata.items()
         if key.startswith(MACHINE) or key in OF_MPI]
        for launch in results.launches
    ]  # fmt: skip
    return [facts for place, facts in enumerate(found) if facts and facts not in found[:place]]


def in_words(key: str, value: str) -> str:
    """Returns a value as people read it: memory, or what it ranges from and to, with its unit;
    other values as they are."""
    ends = value.split(" to ")
    if key != "memory" or not all(end.isdecimal() and len(end) <= MOST_DIGITS for end in ends):
        return value
    return " to ".join(dict.fromkeys(in_units(int(end)) for end in ends))


def build_of(launch: Launch) -> str:
    """Returns the MPI library, as a title has it."""
    build = launch.metadata.get("note.build", "")
    mpi = mpi_name(launch.metadata.get("mpi", ""))
    return f"{mpi} ({build})" if build and mpi else mpi or build


def shorten(key: str, text: str) -> str:
    """Returns a value in at most LONGEST characters and an ellipsis; of what an MPI library says of
    itself only its name and version."""
    text = mpi_name(text) if key == "mpi" else text
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def machine_texts(results: Results) -> list[str]:
    """Returns a line that names the MPI libraries, if any is known, and a line for each kind of
    machine."""
    builds = dict.fromkeys(filter(None, map(build_of, results.launches)))
    kinds = [
        "; ".join(f"{key.replace('_', ' ')}: {in_words(key, value)}" for key, value in facts)
        for facts in machines(results)
    ]
    known = list(dict.fromkeys(kinds))  # some KiB of memory make no other kind
    return [", ".join(builds), *known] if builds else known
