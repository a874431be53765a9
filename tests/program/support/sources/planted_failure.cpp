// SPDX-License-Identifier: BSD-3-Clause
//
// Preloaded by test_trace.py: one function fails, as where a library has no more of what it needs.
// The call that fails is the tracer's own: the program has none.
#include <mpi.h>

#include <cstdlib>
#include <new>

#ifdef FAIL_MPI_Comm_dup
extern "C" int PMPI_Comm_dup(MPI_Comm /*comm*/, MPI_Comm* made) {
  *made = MPI_COMM_NULL;
  return MPI_ERR_OTHER;
}
#endif

#ifdef FAIL_MPI_Bcast
extern "C" int PMPI_Bcast(void* /*buffer*/, int /*count*/, MPI_Datatype /*type*/, int /*root*/,
                          MPI_Comm /*comm*/) {
  return MPI_ERR_OTHER;
}
#endif

#ifdef FAIL_new
// Large pieces of memory, on the ranks that have the variable.
void* operator new(std::size_t bytes) {
  if (bytes > 1'000'000 && std::getenv("NO_MEMORY") != nullptr) throw std::bad_alloc();
  void* const made = std::malloc(bytes);
  if (made == nullptr) throw std::bad_alloc();
  return made;
}
void operator delete(void* made) noexcept { std::free(made); }
void operator delete(void* made, std::size_t /*bytes*/) noexcept { std::free(made); }
#endif
