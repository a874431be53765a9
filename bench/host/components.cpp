// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/handles.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view open_mpi = "Open MPI";
constexpr std::string_view mpich_device = "MPICH Device:";

/// Open MPI drops the variables of components that it closes, so those of a framework that are left
/// are those in use. Sorted: "btl" -> self, tcp, vader.
std::vector<std::string_view> open_in(std::string_view framework,
                                      std::span<const std::string> categories) {
  std::vector<std::string_view> found;
  for (const std::string_view category : categories) {
    const std::size_t at = category.find('_') + 1;  // behind the project, "ompi" or "opal"
    std::string_view rest = category.substr(at);
    if (!rest.starts_with(framework) || !rest.substr(framework.size()).starts_with('_')) continue;
    rest.remove_prefix(framework.size() + 1);
    if (rest != "base") found.push_back(rest);  // the framework's own
  }
  std::ranges::sort(found);
  // Open MPI 5.0 has the variables of sm once more under its former name.
  if (std::ranges::find(found, "sm") != found.end()) std::erase(found, "vader");
  return found;
}

/// The point-to-point layer, and what it works with: ob1 with the transports that it drives itself,
/// cm with a library of the network's that matches messages; others (ucx) are whole.
std::string transport_of(std::span<const std::string> categories) {
  const std::vector<std::string_view> layers = open_in("pml", categories);
  std::vector<std::string_view> below;
  for (const std::string_view layer : layers) {
    if (layer == "ob1") below = open_in("btl", categories);
    if (layer == "cm") below = open_in("mtl", categories);
  }
  std::erase(below, "self");  // always there: what a rank sends to itself
  return fmt::format("{}{}{}", fmt::join(layers, ", "), below.empty() ? "" : " over ",
                     fmt::join(below, ", "));
}

/// "... MPICH Device: ch4:ofi MPICH configure: ..." -> "ch4:ofi".
std::string mpich_transport(std::string_view version) {
  const std::size_t key = version.find(mpich_device);
  if (key == version.npos) return {};
  const std::size_t first = version.find_first_not_of(' ', key + mpich_device.size());
  if (first == version.npos) return {};
  const std::size_t next = version.find(" MPICH ", first);
  const std::string_view device = version.substr(first, next - first);
  return std::string(device.substr(0, device.find_last_not_of(' ') + 1));
}

}  // namespace

formats::Metadata find_components(std::string_view library_version,
                                  std::span<const std::string> categories) {
  formats::Metadata found;
  const auto add = [&](std::string_view key, std::string value) {
    if (!value.empty()) found.emplace_back(key, std::move(value));
  };
  if (library_version.starts_with(open_mpi)) {
    add("transport", transport_of(categories));
    add("collective_components", fmt::format("{}", fmt::join(open_in("coll", categories), ", ")));
  } else {
    add("transport", mpich_transport(library_version));
  }
  return found;
}

formats::Metadata describe_components() {
  const std::string version = mpi::library_version();
  // Others are not asked: their categories tell nothing of this.
  const bool tells = version.starts_with(open_mpi);
  return find_components(version, tells ? mpi::control_categories() : std::vector<std::string>{});
}

}  // namespace gatherbench::bench
