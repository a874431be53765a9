// SPDX-License-Identifier: BSD-3-Clause
//
// The C functions of MPI that stand between the program and the library.
#include <mpi.h>

#include <functional>

#include "runtime/mpi/next_function.h"
#include "runtime/trace/sizes.h"
#include "runtime/trace/tracer.h"

using namespace gatherbench::trace;  // NOLINT(google-build-using-namespace)

#define AGTRACE_EXPORT extern "C" __attribute__((visibility("default")))
// PMPI's functions are not called: a library that is preloaded behind this one has its turn, too.
#define NEXT(name) GATHERBENCH_NEXT(NAME(name))
#define TRACED(operation, comm, call, size)                                               \
  traced(                                                                                 \
      TraceOperation::operation, __builtin_return_address(0), comm, [&] { return call; }, \
      [&]([[maybe_unused]] const Membership& m) { return size; })

AGTRACE_EXPORT int MPI_Init(int* argc, char*** argv) {
  const int code = GATHERBENCH_NEXT(MPI_Init)(argc, argv);
  if (code == MPI_SUCCESS) Tracer::the().start();
  return code;
}

AGTRACE_EXPORT int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int code = GATHERBENCH_NEXT(MPI_Init_thread)(argc, argv, required, provided);
  if (code == MPI_SUCCESS) Tracer::the().start();
  return code;
}

AGTRACE_EXPORT int MPI_Finalize() {
  Tracer::the().finish();
  return GATHERBENCH_NEXT(MPI_Finalize)();
}

AGTRACE_EXPORT int MPI_Abort(MPI_Comm comm, int error) {
  Tracer::the().abandon("abort");
  return GATHERBENCH_NEXT(MPI_Abort)(comm, error);
}

AGTRACE_EXPORT int MPI_Barrier(MPI_Comm comm) {
  return TRACED(Barrier, comm, GATHERBENCH_NEXT(MPI_Barrier)(comm), Size());
}

#define NAME(name) name
using Count = int;
using Place = int;
#include "runtime/trace/collectives.inc"
#undef NAME

#if MPI_VERSION >= 4
namespace large {
#define NAME(name) name##_c
using Count = MPI_Count;
using Place = MPI_Aint;
#include "runtime/trace/collectives.inc"
}  // namespace large
#endif
