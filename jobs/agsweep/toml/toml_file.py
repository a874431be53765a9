# SPDX-License-Identifier: BSD-3-Clause
"""A TOML file as it stands: tables, lists, values; what they mean is for others."""

import re
import sys
from pathlib import Path
from typing import Any

from agformats.errors import BadInput
from agformats.regular_file import fault_of, read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

# Each of the 2^16 hosts that a platform may have can have a name of its own, twice.
MOST_BYTES = 4 << 20
# The time that tomllib takes for a key grows with the square of its parts: one of 200 KB takes
# minutes. No key of ours has more than four.
MOST_PARTS = 16
PART = r"""(?:(?<![\w-])[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\."""
LONG_KEY = re.compile(rf"(?:{PART}[ \t]*){{{MOST_PARTS}}}")


def read(file: Path, legal: str) -> dict[str, Any]:
    """Returns what a TOML file has. Raises BadInput if there is no such file, or if it may not be
    read, is too large or not TOML. legal: what the file should be, for the error."""
    try:
        if fault := fault_of(file, MOST_BYTES, legal):
            raise BadInput(f"{file}: {fault}")
        content = read_text(file, MOST_BYTES)
        if found := LONG_KEY.search(content):
            line = content.count("\n", 0, found.start()) + 1
            raise BadInput(f"{file}:{line}: a key of more than {MOST_PARTS} parts; legal: fewer")
        return tomllib.loads(content)
    except FileNotFoundError:
        raise BadInput(f"there is no file '{file}'; legal: {legal}") from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}; legal: {legal}") from None
    except (ValueError, RecursionError) as error:  # also of numbers with thousands of digits
        raise BadInput(f"{file}: not TOML: {error}") from None
