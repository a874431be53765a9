// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_libraries.py: the library says that it is one of the other family. PMPI_ is
// what our preloaded libraries call.
#include <mpi.h>

#include <cstring>

extern "C" int PMPI_Get_library_version(char* version, int* length) {
#ifdef OPEN_MPI
  const char* const other = "MPICH Version:      4.0.2\nMPICH Release date: once\n";
#else
  const char* const other = "Open MPI v4.1.4, package: Open MPI\n";
#endif
  *length = static_cast<int>(std::strlen(other));
  std::memcpy(version, other, static_cast<std::size_t>(*length) + 1);
  return MPI_SUCCESS;
}
