// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/library_family.h"

#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>

#include "runtime/mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr std::string_view open_mpi = "Open MPI";
constexpr std::string_view mpich = "MPICH";
constexpr std::string_view standard_abi = "the standard ABI";

struct Mark {
  std::string_view text;  ///< in what MPI_Get_library_version says
  std::string_view family;
};
constexpr std::array marks{Mark{open_mpi, open_mpi}, Mark{mpich, mpich},
                           Mark{"Intel(R) MPI", mpich}, Mark{"MVAPICH", mpich}};

/// Returns true if the process calls MPI by the standard ABI. A library that has this ABI beside
/// its own keeps it in a separate file, libmpi_abi.so or libpmpi_abi.so.
bool runs_on_abi() {
  Dl_info found{};
  void* const function = dlsym(RTLD_DEFAULT, "PMPI_Get_library_version");
  return function != nullptr && dladdr(function, &found) != 0 && found.dli_fname != nullptr &&
         std::string_view(found.dli_fname).find("mpi_abi.") != std::string_view::npos;
}

}  // namespace

std::string_view family_of_header() {
#if defined(MPI_ABI)
  return standard_abi;
#elif defined(OPEN_MPI)
  return open_mpi;
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION)
  return mpich;
#else
  return "";
#endif
}

std::string_view library_of_another_family() {
  const std::string_view own = family_of_header();
  if (runs_on_abi()) return own == standard_abi ? "" : standard_abi;
  const std::string version = library_version();
  const auto named = [&](const Mark& mark) { return version.find(mark.text) != version.npos; };
  const auto* const found = std::ranges::find_if(marks, named);
  if (own.empty() || found == marks.end() || found->family == own) return "";
  return found->text;
}

}  // namespace gatherbench::mpi
