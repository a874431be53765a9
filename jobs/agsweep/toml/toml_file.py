# SPDX-License-Identifier: BSD-3-Clause
"""A TOML file as it stands: tables, lists, values; what they mean is for others."""

import sys
from pathlib import Path
from typing import Any

from agformats.errors import BadInput

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read(file: Path, legal: str) -> dict[str, Any]:
    """legal: what the file should be, for the error if there is none."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"there is no file '{file}'; legal: {legal}") from None
    except OSError as error:
        raise BadInput(f"{file}: {error.strerror}; legal: {legal}") from None
    except (ValueError, RecursionError) as error:  # also of numbers with thousands of digits
        raise BadInput(f"{file}: not TOML: {error}") from None
