# SPDX-License-Identifier: BSD-3-Clause
"""Has a module for each command of `agsweep`, of the same name."""
