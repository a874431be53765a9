# SPDX-License-Identifier: BSD-3-Clause
"""The name and version of an MPI library, from the paragraph that it says of itself."""

import re

# MPICH and its relatives: "MPICH Version: 4.0.2 MPICH Release date: ...".
WITH_COLON = re.compile(r"(\w+) Version\s*:\s*(\S+)")


def library_of(text: str) -> str:
    """Returns what versions of one library have in common: all up to the first digit."""
    return re.split(r"\d", text)[0]


def mpi_name(text: str) -> str:
    """Returns the name and version of the library: Open MPI v4.1.4, MPICH 4.0.2; of another text
    what is before the first comma or semicolon."""
    found = WITH_COLON.match(text)
    return " ".join(found.groups()) if found else re.split("[,;]", text)[0]
