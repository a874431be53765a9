# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

from spack.package import *
from spack_repo.builtin.build_systems.cmake import CMakePackage


class Gatherbench(CMakePackage):
    """Benchmarks of the MPI all-gather (and all-to-all, broadcast, reduction): every published
    algorithm, proven before it runs, under unequal blocks and arrival patterns, beside the MPI
    library's own."""

    # The sources are the commit that is checked out around this file.
    git = Path(__file__).parents[7].as_uri()

    license("BSD-3-Clause")

    version("head")

    variant("simgrid", default=False, description="Simulate the ranks, with SimGrid's SMPI")

    depends_on("c", type="build")  # FindThreads and FindMPI may ask for it
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("git", type="build")  # results say which commit they are from

    depends_on("mpi", when="~simgrid")
    depends_on("simgrid@3.32: +smpi", when="+simgrid")
    depends_on("fmt@9:")
    depends_on("cli11@2.1:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")
    depends_on("zlib-api")

    conflicts("%gcc@:10", msg="The sources are C++20: g++ 11 or newer")
    conflicts("%clang@:13", msg="The sources are C++20: clang++ 14 or newer")

    def cmake_args(self):
        if self.spec.satisfies("+simgrid"):
            wrapper = self.spec["simgrid"].prefix.bin.smpicxx
        else:
            wrapper = self.spec["mpi"].mpicxx
        return [
            self.define("MPI_CXX_COMPILER", wrapper),
            self.define("GATHERBENCH_WERROR", False),
            # It is an error, and no download, if Spack did not bring something.
            self.define("FETCHCONTENT_FULLY_DISCONNECTED", True),
        ]

    def test_prove(self):
        """every schedule of up to 16 ranks is proven"""
        which(self.prefix.bin.allgather_schedule, required=True)("prove", "--ranks", "1:16")
