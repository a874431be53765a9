// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/processors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "algorithms/topology/cpu_model.h"
#include "bench/host/first_line.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

/// "cpu12", "node0": the folders of the kernel's numbered things.
std::vector<fs::path> numbered(const fs::path& folder, std::string_view word) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    const std::string name = entry.path().filename();
    const bool fits = name.starts_with(word) && name.size() > word.size() &&
                      name.find_first_not_of("0123456789", word.size()) == name.npos;
    if (fits) found.push_back(entry.path());
  }
  return found;
}

std::string find_turbo(const fs::path& system) {
  const auto no_turbo = first_line(system / "cpu/intel_pstate/no_turbo");
  if (no_turbo) return *no_turbo == "0" ? "on" : "off";
  const auto boost = first_line(system / "cpu/cpufreq/boost");
  if (boost) return *boost == "0" ? "off" : "on";
  return {};
}

}  // namespace

formats::Metadata read_processors(const fs::path& root) {
  const fs::path system = root / "sys/devices/system";
  std::set<std::string> sockets;
  std::map<std::string, int> threads_of_core;  // by the list of the core's threads
  std::set<std::string> governors;
  for (const fs::path& cpu : numbered(system / "cpu", "cpu")) {
    // One that is offline has no topology. -1: the firmware did not tell.
    const auto socket = first_line(cpu / "topology/physical_package_id");
    if (socket && *socket != "-1") sockets.insert(*socket);
    auto core = first_line(cpu / "topology/core_cpus_list");
    if (!core) core = first_line(cpu / "topology/thread_siblings_list");  // before Linux 5.3
    if (core) ++threads_of_core[*core];
    if (const auto governor = first_line(cpu / "cpufreq/scaling_governor")) {
      governors.insert(*governor);
    }
  }
  std::set<int> threads;
  for (const auto& [core, count] : threads_of_core) threads.insert(count);

  formats::Metadata found;
  const auto add = [&](std::string_view key, const std::string& value) {
    if (!value.empty() && value != "0") found.emplace_back(key, value);
  };
  add("machine.cpu", topology::read_cpu_model(root / "proc/cpuinfo"));
  add("machine.sockets", fmt::to_string(sockets.size()));
  add("machine.cores", fmt::to_string(threads_of_core.size()));
  add("machine.threads_per_core", fmt::format("{}", fmt::join(threads, ", ")));
  add("machine.numa_nodes", fmt::to_string(numbered(system / "node", "node").size()));
  add("machine.governor", fmt::format("{}", fmt::join(governors, ", ")));
  add("machine.turbo", find_turbo(system));
  return found;
}

}  // namespace gatherbench::bench
