# SPDX-License-Identifier: BSD-3-Clause
"""Single values that are far from all others: they set no axis, and are counted beyond it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

NEARLY_ALL, FAR = 0.95, 2.0  # a share of the values of a group, and times its highest
TRIANGLE = "^"


def highest_drawn(values: "pd.Series[float]", group: "pd.Series[str]") -> float:
    """The highest value, or if it is far beyond nearly all of each group the highest that is not.

    values, group: by the same index.
    """
    limit = FAR * float(values.groupby(group).quantile(NEARLY_ALL).max())
    near = values[values <= limit]
    return float(near.max() if len(near) else values.max())


def mark_beyond(axes: Axes, across: Sequence[float], colour: str) -> None:
    """Triangles at the upper end of the axes."""
    if len(across):  # nothing would still take room
        (line,) = axes.plot(across, np.ones(len(across)), TRIANGLE, color=colour, ms=3, mew=0)
        line.set(transform=axes.get_xaxis_transform(), clip_on=False)


def beyond_handle() -> Line2D:
    """The entry of a legend."""
    return Line2D([], [], color="0.3", marker=TRIANGLE, ls="", ms=4, label="beyond the axis")
