# SPDX-License-Identifier: BSD-3-Clause
"""Student's interval of a mean: what a few launches tell of the next ones."""

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

CONFIDENCE = 0.95


def half_width(
    deviation: npt.NDArray[np.float64],
    count: npt.NDArray[np.int64],
    confidence: float = CONFIDENCE,
) -> npt.NDArray[np.float64]:
    """Returns the distance from the mean to either end of its interval, in the unit of the
    deviation (with n - 1). NaN for one value."""
    tail = (1 - confidence) / 2
    with np.errstate(invalid="ignore"):
        found: npt.NDArray[np.float64] = (
            stdtrit(np.maximum(count - 1, 1), 1 - tail) * deviation / np.sqrt(count)
        )
    return found
