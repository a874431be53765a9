# SPDX-License-Identifier: BSD-3-Clause
"""Records of JSON have every digit of a number, and null for what does not exist."""

import json

import numpy as np
import pandas as pd

from agreport.cli.render import to_records


def test_every_digit_is_kept() -> None:
    p = [1.2345678901234567e-9, 0.1 + 0.2]
    table = pd.DataFrame({"p": p, "count": [1, 2], "slow": [True, False]})
    found = json.loads(json.dumps(to_records(table), allow_nan=False))
    assert found == [
        {"p": p[0], "count": 1, "slow": True},
        {"p": p[1], "count": 2, "slow": False},
    ]


def test_what_does_not_exist_is_null() -> None:
    found = to_records(pd.DataFrame({"us": [np.nan, np.inf], "host": ["a", None]}))
    assert found == [{"us": None, "host": "a"}, {"us": None, "host": None}]
