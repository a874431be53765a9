# SPDX-License-Identifier: BSD-3-Clause
"""A driver that stands in for a device's (device_stand_in.cpp)."""

import os
import subprocess
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

import pytest

from .folders import SOURCES
from .launch import Build


@dataclass(frozen=True)
class StandIn:
    """A driver of a device in a folder, and the library that also is an MPI library."""

    folder: Path
    build: Build

    @classmethod
    def compile(cls, build: Build, folder: Path) -> Self:
        command = [build.cached("MPI_CXX_COMPILER"), "-std=c++20", "-shared", "-fPIC", "-o"]
        source = str(SOURCES / "device_stand_in.cpp")
        subprocess.run([*command, str(folder / "libcuda.so.1"), source], check=True)
        (folder / "libamdhip64.so.6").symlink_to("libcuda.so.1")
        (folder / "amd").mkdir()
        (folder / "amd" / "libamdhip64.so.6").symlink_to("../libcuda.so.1")
        return cls(folder, build)

    def of(self, driver: str) -> Self:
        """Returns the one where AMD's driver is alone, if that is asked for."""
        return type(self)(self.folder / "amd", self.build) if driver == "hip" else self

    @property
    def library(self) -> Path:
        own = self.folder / "libcuda.so.1"
        return own if own.exists() else self.folder / "libamdhip64.so.6"

    @property
    def driver(self) -> dict[str, str]:
        """Variables of ranks that find the driver."""
        paths = [str(self.folder), os.environ.get("LD_LIBRARY_PATH", "")]
        return {"LD_LIBRARY_PATH": ":".join(filter(None, paths))}

    def aware(self, memory: str = "cuda") -> dict[str, str]:
        """The same, and their MPI library takes addresses of that memory: by itself, if it was
        built for CUDA, and else since the stand-in is before it."""
        if memory != "hip" and self.library_has_cuda:
            # There are no handles of its memory for other processes.
            return {**self.driver, "OMPI_MCA_btl_smcuda_use_cuda_ipc": "0"}
        if "-fsanitize" in self.build.cached("CMAKE_CXX_FLAGS_DEBUG"):
            pytest.skip("sanitizers have to be the first library, and here another is preloaded")
        return {**self.driver, "LD_PRELOAD": str(self.library)}

    @cached_property
    def library_has_cuda(self) -> bool:
        told = Path(self.build.cached("MPI_CXX_COMPILER")).with_name("ompi_info")
        if not told.exists():
            return False
        said = subprocess.run(
            [told, "--parsable", "--all"], capture_output=True, text=True, check=True
        ).stdout
        return "mpi_built_with_cuda_support:value:true" in said
