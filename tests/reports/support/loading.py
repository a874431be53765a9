# SPDX-License-Identifier: BSD-3-Clause
"""Result files as reports have them."""

from collections.abc import Sequence

from agreport.data.load import Results, read_files


def load(names: Sequence[str], by: Sequence[str] | None = None) -> Results:
    """by: what keeps launches apart, None: as little as it takes."""
    return read_files(names).apart(by)
