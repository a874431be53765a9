// SPDX-License-Identifier: BSD-3-Clause
//
// The C functions of MPI that stand between the program and the library.
#include <mpi.h>

#include "runtime/mpi/next_function.h"
#include "runtime/star/selector.h"

using namespace gatherbench::star;  // NOLINT(google-build-using-namespace)
namespace collectives = gatherbench::collectives;

#define AGSTAR_EXPORT extern "C" __attribute__((visibility("default")))
// PMPI's functions are not called: a library that is preloaded behind this one has its turn, too.
#define NEXT(name) [](auto... arguments) { return GATHERBENCH_NEXT(NAME(name))(arguments...); }

AGSTAR_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = GATHERBENCH_NEXT(MPI_Init)(argc, argv);
  if (code == MPI_SUCCESS) Selector::the().start();
  return code;
}

AGSTAR_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = GATHERBENCH_NEXT(MPI_Init_thread)(argc, argv, required, provided);
  if (code == MPI_SUCCESS) Selector::the().start();
  return code;
}

AGSTAR_EXPORT int MPI_Finalize() {
  Selector::the().finish();
  return GATHERBENCH_NEXT(MPI_Finalize)();
}

#define NAME(name) name
using Count = int;
using Place = int;
#include "runtime/star/bindings/bindings.inc"
#undef NAME

#if MPI_VERSION >= 4
namespace large {
#define NAME(name) name##_c
using Count = MPI_Count;
using Place = MPI_Aint;
#include "runtime/star/bindings/bindings.inc"
}  // namespace large
#endif
