# SPDX-License-Identifier: BSD-3-Clause
"""The build under test, and hosts that this machine can have."""

from program.conftest import build, cluster

__all__ = ["build", "cluster"]
