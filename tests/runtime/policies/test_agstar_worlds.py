# SPDX-License-Identifier: BSD-3-Clause
"""The table that the C++ policy is held to is what its Python twin says today."""

from pathlib import Path

import pytest

from runtime.policies.agstar_worlds import table

pytestmark = pytest.mark.slow

TABLE = Path(__file__).parents[2] / "shared" / "agstar_worlds.csv"


def test_table_is_up_to_date() -> None:
    assert TABLE.read_text(encoding="utf-8") == table()
