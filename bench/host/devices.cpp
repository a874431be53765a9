// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/host/rank_zero.h"
#include "formats/text/input_error.h"
#include "runtime/device/device.h"
#include "runtime/mpi/device_pointers.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view option = "--buffers-in";
constexpr std::string_view legal = "legal: private, window";

// Which rank of its node a process is, by its launcher: Open MPI, Hydra, Slurm, PALS, Flux.
constexpr std::array local_rank_variables{"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                          "SLURM_LOCALID", "PALS_LOCAL_RANKID",
                                          "FLUX_TASK_LOCAL_ID"};

const device::Driver& driver_of(BuffersIn in) {
  return in == BuffersIn::hip ? device::hip : device::cuda;
}

/// Returns where the number of the open device stands; none: no device is open.
std::optional<int>& opened() {
  static std::optional<int> number;
  return number;
}

/// Opens the device for the rank that has this number on its node. Throws InputError.
void open_device(const BufferPlaces& places, int local_rank) {
  const std::string_view kind = name_in(buffers_in_names, places.in);
  const device::Driver& driver = driver_of(places.in);
  void* const library = device::library_of(driver);
  if (library == nullptr) {
    throw text::bad_value(option, kind,
                          fmt::format("needs {}, and there is no {} here; {}", driver.name,
                                      fmt::join(driver.libraries, " or "), legal));
  }
  const auto turn = static_cast<std::size_t>(local_rank);
  try {
    const int count = driver.devices(library);
    for (const int asked : places.devices) {
      if (asked < count) continue;
      throw text::bad_value(
          "--devices", fmt::to_string(asked),
          fmt::format("is no device: {} counts {}; legal: 0 to {}", driver.name, count, count - 1));
    }
    if (count == 0) {
      throw text::bad_value(
          option, kind, fmt::format("needs a device, and {} counts none; {}", driver.name, legal));
    }
    const int number = places.devices.empty() ? static_cast<int>(turn) % count
                                              : places.devices[turn % places.devices.size()];
    if (opened() == number) return;
    device::Current::open(driver, number, places.in == BuffersIn::cuda_managed);
    opened() = number;
  } catch (const device::DeviceError& error) {
    throw text::bad_value(option, kind, fmt::format("was tried: {}; {}", error.what(), legal));
  }
}

std::optional<int> local_rank_told() {
  for (const char* const name : local_rank_variables) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    const std::string_view digits(text);
    int rank = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error == std::errc() && end == digits.data() + digits.size() && rank >= 0) return rank;
  }
  return std::nullopt;
}

/// Returns how many ranks of this rank's node come before it.
int local_rank_in(const Nodes& nodes, int rank) {
  const auto own = nodes.of_rank.begin() + rank;
  return static_cast<int>(std::count(nodes.of_rank.begin(), own, *own));
}

/// Joins the texts of all ranks in their order, each one once, with " and " between. Collective.
std::string kinds_of(const std::string& own, MPI_Comm world) {
  const std::vector<std::string> all = gather_texts(own, world);
  return text_of_rank_zero(world, [&] {
    std::vector<std::string> kinds;
    for (const std::string& one : all) {
      if (std::ranges::find(kinds, one) == kinds.end()) kinds.push_back(one);
    }
    return fmt::format("{}", fmt::join(kinds, " and "));
  });
}

/// Throws InputError on all ranks if one of them has a reason. Collective.
void require_none(const std::string& own_reason, MPI_Comm world) {
  const std::vector<std::string> all = gather_texts(own_reason, world);
  run_on_rank_zero(world, [&] {
    const auto first = std::ranges::find_if(all, [](const auto& one) { return !one.empty(); });
    if (first != all.end()) throw text::InputError(*first);
  });
}

/// Counts the ranks that have this rank's device. The driver may number it otherwise for each of
/// them (CUDA_VISIBLE_DEVICES), so it goes by its address. Collective.
int count_sharing(int node, MPI_Comm world) {
  const std::string own = fmt::format("{} {}", node, device::Current::device().address());
  const std::vector<std::string> all = gather_texts(own, world);
  std::vector<int> counts;
  for (const std::string& one : all) {
    counts.push_back(static_cast<int>(std::ranges::count(all, one)));
  }
  int own_count = 0;
  mpi::require(MPI_Scatter(counts.data(), 1, MPI_INT, &own_count, 1, MPI_INT, 0, world),
               "MPI_Scatter");
  return own_count;
}

}  // namespace

void open_device_before_mpi(const BufferPlaces& places) {
  if (!is_of_device(places.in)) return;
  try {
    if (const std::optional<int> rank = local_rank_told()) open_device(places, *rank);
  } catch (const text::InputError&) {
    return;  // find_devices throws it on all ranks together
  }
}

Devices find_devices(const BufferPlaces& places, const Nodes& nodes, MPI_Comm world) {
  Devices found;
  if (!is_of_device(places.in)) return found;
  if (mpi::rank_model().one_process) {
    throw text::bad_value(option, name_in(buffers_in_names, places.in),
                          "is about devices, and a simulation has none; legal: private");
  }
  const int rank = mpi::rank_of(world);
  const device::Driver& driver = driver_of(places.in);
  std::string reason;
  std::string version;
  try {
    open_device(places, local_rank_in(nodes, rank));
    version = driver.version(device::library_of(driver));
  } catch (const text::InputError& error) {
    reason = error.what();
  } catch (const device::DeviceError& error) {
    reason = error.what();
  }
  require_none(reason, world);
  found.driver = kinds_of(version, world);
  found.names = kinds_of(device::Current::device().name(), world);
  const std::vector<std::string> numbers = gather_texts(fmt::to_string(*opened()), world);
  found.of_rank =
      text_of_rank_zero(world, [&] { return fmt::format("{}", fmt::join(numbers, ",")); });
  found.sharing = count_sharing(nodes.of_rank[static_cast<std::size_t>(rank)], world);
  const std::vector<std::string> reasons = gather_texts(mpi::why_no_device_pointers(driver), world);
  found.why_no_pointers = text_of_rank_zero(world, [&] {
    const auto first = std::ranges::find_if(reasons, [](const auto& one) { return !one.empty(); });
    return first == reasons.end() ? std::string() : *first;
  });
  return found;
}

}  // namespace gatherbench::bench
