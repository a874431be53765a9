// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <string>

#include "runtime/mpi/next_function.h"

// The Fortran functions of MPI for libraries that are preloaded, under all names that compilers
// give them. All arguments are addresses.
namespace gatherbench::mpi {

/// Returns the function of that name in the library behind this one. If there is none, the program
/// cannot go on: `say` is called with a sentence about it, and the program ends.
template <class Function, class Say>
Function* function_behind(const char* name, const void* caller, Say say) {
  auto* const found = next_function<Function>(name, caller);
  if (found == nullptr) {
    say(std::string("no MPI library has ") + name);
    std::abort();
  }
  return found;
}

}  // namespace gatherbench::mpi

// NOLINTBEGIN(cppcoreguidelines-macro-usage): names are made of names
#define GATHERBENCH_FORTRAN_NAME(symbol, PARAMETERS, ...)                           \
  extern "C" __attribute__((visibility("default"))) void symbol PARAMETERS {        \
    const void* const caller = __builtin_return_address(0);                         \
    static auto* const library =                                                    \
        ::gatherbench::mpi::function_behind<void PARAMETERS>(#symbol, caller, say); \
    __VA_ARGS__                                                                     \
  }

/// Defines a function under each of its names. Its body, the last argument, has two names more than
/// its parameters: `library`, the function behind it, and `caller`, an address in who called. `say`
/// has to be in scope.
#define GATHERBENCH_FORTRAN(lower, UPPER, PARAMETERS, ...)                \
  GATHERBENCH_FORTRAN_NAME(mpi_##lower, PARAMETERS, __VA_ARGS__)          \
  GATHERBENCH_FORTRAN_NAME(mpi_##lower##_, PARAMETERS, __VA_ARGS__)       \
  GATHERBENCH_FORTRAN_NAME(mpi_##lower##__, PARAMETERS, __VA_ARGS__)      \
  GATHERBENCH_FORTRAN_NAME(mpi_##lower##_f08_, PARAMETERS, __VA_ARGS__)   \
  GATHERBENCH_FORTRAN_NAME(mpi_##lower##_f08ts_, PARAMETERS, __VA_ARGS__) \
  GATHERBENCH_FORTRAN_NAME(MPI_##UPPER, PARAMETERS, __VA_ARGS__)
// NOLINTEND(cppcoreguidelines-macro-usage)
