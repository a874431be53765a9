// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/mpi/device_pointers.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::mpi {
namespace {

constexpr const char* kinds_key = "mpi_memory_alloc_kinds";

/// Returns the kinds of memory that MPI_COMM_WORLD is said to take, "mpi,system,cuda:device"; empty
/// before MPI 4.1.
std::string memory_kinds() {
  MPI_Info info = MPI_INFO_NULL;
  require(MPI_Comm_get_info(MPI_COMM_WORLD, &info), "MPI_Comm_get_info");
  int length = 0;
  int is_there = 0;
  require(MPI_Info_get_valuelen(info, kinds_key, &length, &is_there), "MPI_Info_get_valuelen");
  std::string kinds;
  if (is_there != 0) {
    kinds.resize(static_cast<std::size_t>(length) + 1);
    require(MPI_Info_get(info, kinds_key, length, kinds.data(), &is_there), "MPI_Info_get");
    kinds.resize(static_cast<std::size_t>(length));
  }
  require(MPI_Info_free(&info), "MPI_Info_free");
  return kinds;
}

bool names_device(std::string_view kinds, std::string_view driver) {
  const std::vector<std::string_view> all = text::split(kinds, ',');
  return std::ranges::any_of(all, [&](std::string_view one) {
    return one == driver || one == fmt::format("{}:device", driver);
  });
}

template <typename Function>
Function* find(const std::string& name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name.c_str()));
}

/// Returns MPICH's number of a kind of device.
int number_in_mpich(std::string_view driver) { return driver == "cuda" ? 0 : 2; }

}  // namespace

std::string why_no_device_pointers(const device::Driver& driver) {
  if (names_device(memory_kinds(), driver.mpi_kind)) return {};
  const std::string name = fmt::format("MPIX_Query_{}_support", driver.mpi_kind);
  auto* const query = find<int()>(name);
  if (query != nullptr && query() == 1) return {};
  int supports = 0;
  auto* const query_kind = find<int(int, int*)>("MPIX_GPU_query_support");
  if (query_kind != nullptr &&
      query_kind(number_in_mpich(driver.mpi_kind), &supports) == MPI_SUCCESS && supports != 0) {
    return {};
  }
  const std::string_view said = query != nullptr        ? name
                                : query_kind != nullptr ? std::string_view("MPIX_GPU_query_support")
                                                        : std::string_view();
  return fmt::format(
      "has the MPI library take addresses of a device, which {}; legal: with stage=host, or a "
      "library that takes them (Open MPI or UCX built --with-{}, MPICH with "
      "MPIR_CVAR_ENABLE_GPU=1, "
      "Cray MPICH with MPICH_GPU_SUPPORT_ENABLED=1, Intel MPI with I_MPI_OFFLOAD=1)",
      said.empty() ? "it does not say that it does" : fmt::format("by {} it does not", said),
      driver.mpi_kind);
}

}  // namespace gatherbench::mpi
