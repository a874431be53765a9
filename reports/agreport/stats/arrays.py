# SPDX-License-Identifier: BSD-3-Clause
"""The types of arrays, and how far numbers that are equal may differ."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ROUNDING = 1e-9
