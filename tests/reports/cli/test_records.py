# SPDX-License-Identifier: BSD-3-Clause
"""Records of JSON have every digit of a number, and null for what does not exist; tables to read
have yes and no, and no column of settings where no launch has one."""

import json

import numpy as np
import pandas as pd
import pytest

from agreport.cli.render import FORMATS, to_records


def test_every_digit_is_kept() -> None:
    p = [1.2345678901234567e-9, 0.1 + 0.2]
    table = pd.DataFrame({"p": p, "count": [1, 2], "slow": [True, False]})
    found = json.loads(json.dumps(to_records(table), allow_nan=False))
    assert found == [{"p": p[0], "count": 1, "slow": True}, {"p": p[1], "count": 2, "slow": False}]


def test_what_does_not_exist_is_null() -> None:
    found = to_records(pd.DataFrame({"us": [np.nan, np.inf], "host": ["a", None]}))
    assert found == [{"us": None, "host": "a"}, {"us": None, "host": None}]


@pytest.mark.parametrize("format_name", ["text", "markdown"])
def test_a_table_says_yes_and_no(format_name: str) -> None:
    table = pd.DataFrame({"slow": [True, False, np.True_]}, dtype=object)
    words = [line.strip("| ") for line in FORMATS[format_name](table).splitlines()]
    assert words[-3:] == ["yes", "no", "yes"]


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_table_has_no_settings_where_no_launch_has_one(format_name: str) -> None:
    table = pd.DataFrame({"setting": ["", ""], "us": [1.5, 2.5]})
    assert "setting" not in FORMATS[format_name](table)
    assert "setting" in FORMATS[format_name](table.assign(setting=["", "two"]))
