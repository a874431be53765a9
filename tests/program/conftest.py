# SPDX-License-Identifier: BSD-3-Clause
"""The build under test: GATHERBENCH_BUILD names its folder."""

import os
from pathlib import Path

import pytest

from .cluster import Cluster
from .launch import Build

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def build() -> Build:
    folder = ROOT / os.environ.get("GATHERBENCH_BUILD", "build")
    if not (folder / "bin" / "mpirun_here").exists():
        pytest.fail(f"{folder} holds no build: make build BUILD={folder.name}")
    return Build(folder)


@pytest.fixture(scope="session")
def cluster(build: Build) -> Cluster:
    found = Cluster(build)
    if reason := found.why_not():
        pytest.skip(reason)
    return found
