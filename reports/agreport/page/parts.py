# SPDX-License-Identifier: BSD-3-Clause
"""Tables and figures in the form that the page's template takes them."""

from base64 import b64encode

import pandas as pd

from agreport.cli import render
from agreport.figure.sheet import Sheet


class Table:
    """A frame for the template: names and texts, and which columns are numbers."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.names = [str(name).replace("_percent", " %").replace("_", " ") for name in frame]
        self.rows = render.cells(frame)
        self.numeric = [pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]


def inline(sheet: Sheet) -> str:
    return "data:image/png;base64," + b64encode(sheet.png()).decode()
