// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/host/kernel_files.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The number that a file holds. None if there is no such file; also if it tells nothing, which is
/// noted.
std::optional<std::uint64_t> number_in(const fs::path& file, Reading& found) {
  errno = 0;
  if (const auto line = first_line(file)) {
    const auto value = whole_number(*line);
    if (!value) found.unreadable.push_back({file, fmt::format("is '{}'", *line)});
    return value;
  }
  if (errno != ENOENT && errno != ENOTDIR) {
    const int error = errno;
    found.unreadable.push_back(
        {file, error == 0 ? "is empty" : std::generic_category().message(error)});
  }
  return std::nullopt;
}

/// Reads /proc/self/net, which is of this process's network namespace; sysfs shows the namespace of
/// the process that mounted it.
void read_network(const fs::path& root, Reading& found) {
  constexpr std::array words{"bytes", "packets", "errors", "dropped"};
  constexpr std::array units{"B", "packets", "events", "packets"};
  constexpr std::size_t first_sent = 8;
  std::ifstream stream(root / "proc/net/dev");
  for (std::string line; std::getline(stream, line);) {
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;  // the names of the columns
    std::istringstream cells(line.substr(colon + 1));
    std::array<std::uint64_t, 2 * first_sent> values{};
    for (std::uint64_t& value : values) cells >> value;
    if (!cells) continue;
    const std::string card =
        line.substr(line.find_first_not_of(' '), colon - line.find_first_not_of(' '));
    const bool idle = values[1] == 0 && values[first_sent + 1] == 0;
    for (const auto& [way, first] :
         {std::pair("rx", std::size_t{0}), std::pair("tx", first_sent)}) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        found.counters.push_back({fmt::format("net/{}/{}_{}", card, way, words[i]), units[i],
                                  values[first + i], 0, idle});
      }
    }
  }
}

/// A line of names, then one of values: "Tcp: RtoAlgorithm ..." and "Tcp: 1 ...".
void read_tcp(const fs::path& root, Reading& found) {
  constexpr std::array wanted{std::string_view("OutSegs"), std::string_view("RetransSegs")};
  std::ifstream stream(root / "proc/net/snmp");
  std::string names;
  std::string values;
  while (std::getline(stream, names) && !names.starts_with("Tcp:")) continue;
  if (!std::getline(stream, values)) return;
  std::istringstream name_cells(names);
  std::istringstream value_cells(values);
  std::string name;
  std::string text;
  while (name_cells >> name && value_cells >> text) {
    const bool is_wanted = name == wanted[0] || name == wanted[1];
    const auto value = is_wanted ? whole_number(text) : std::nullopt;
    if (value) found.counters.push_back({"tcp/" + name, "segments", *value});
  }
}

std::string unit_of_infiniband(std::string_view word) {
  if (word.ends_with("bytes")) return "B";
  if (word.ends_with("packets") || word.ends_with("pkts")) return "packets";
  return word.ends_with("_wait") ? "ticks" : "events";
}

void read_port(const fs::path& port, const std::string& name, Reading& found) {
  constexpr std::uint64_t data_bytes = 4;  // the unit of port_xmit_data and port_rcv_data
  for (const std::string folder : {"counters", "hw_counters"}) {
    for (const fs::path& file : sorted_entries(port / folder)) {
      const std::string word = file.filename();
      if (word == "lifespan") continue;  // how long the driver keeps what it has read
      const auto value = number_in(file, found);
      if (!value) continue;
      const bool is_data = word == "port_xmit_data" || word == "port_rcv_data";
      found.counters.push_back({fmt::format("{}/{}/{}", name, folder, word),
                                is_data ? "B" : unit_of_infiniband(word),
                                is_data ? *value * data_bytes : *value});
    }
  }
}

/// Reads the counters of each active port, of Omni-Path and RoCE too.
void read_infiniband(const fs::path& root, Reading& found) {
  for (const fs::path& device : sorted_entries(root / "sys/class/infiniband")) {
    for (const fs::path& port : sorted_entries(device / "ports")) {
      const auto state = first_line(port / "state");  // "4: ACTIVE"
      if (state && !state->ends_with(": ACTIVE")) continue;
      read_port(
          port,
          fmt::format("infiniband/{}/{}", device.filename().string(), port.filename().string()),
          found);
    }
  }
}

/// Intel's domains, and AMD's where the same driver has them.
void read_powercap(const fs::path& root, Reading& found) {
  for (const fs::path& zone : sorted_entries(root / "sys/class/powercap")) {
    const std::string id = zone.filename();
    if (!id.starts_with("intel-rapl:")) continue;
    const auto value = number_in(zone / "energy_uj", found);
    if (!value) continue;
    const auto range = whole_number(first_line(zone / "max_energy_range_uj").value_or(""));
    found.counters.push_back(
        {fmt::format("energy/{}/{}", id, first_line(zone / "name").value_or("?")), "uJ", *value,
         range.value_or(0)});
  }
}

/// Reads the sockets of the driver amd_energy; its cores are contained in them.
void read_amd_energy(const fs::path& root, Reading& found) {
  for (const fs::path& monitor : sorted_entries(root / "sys/class/hwmon")) {
    if (first_line(monitor / "name") != "amd_energy") continue;
    for (const fs::path& file : sorted_entries(monitor)) {
      const std::string word = file.filename();  // "energy65_input", its name in "energy65_label"
      if (!word.starts_with("energy") || !word.ends_with("_input")) continue;
      const std::string label =
          first_line(monitor / (word.substr(0, word.find('_')) + "_label")).value_or("");
      if (!label.starts_with("Esocket")) continue;
      if (const auto value = number_in(file, found)) {
        found.counters.push_back(
            {fmt::format("energy/{}/{}", monitor.filename().string(), label), "uJ", *value});
      }
    }
  }
}

void read_energy(const fs::path& root, Reading& found) {
  read_powercap(root, found);
  read_amd_energy(root, found);
}

/// Every thread of a core tells of the core, and of its package: each counts once.
void read_throttling(const fs::path& root, Reading& found) {
  std::set<std::string> cores;
  std::set<std::string> packages;
  std::optional<std::uint64_t> of_cores;
  std::optional<std::uint64_t> of_packages;
  for (const fs::path& cpu : sorted_entries(root / "sys/devices/system/cpu")) {
    const fs::path folder = cpu / "thermal_throttle";
    const auto core = number_in(folder / "core_throttle_count", found);
    const auto package = number_in(folder / "package_throttle_count", found);
    const std::string name = cpu.filename();
    if (core && cores.insert(first_line(cpu / "topology/core_cpus_list").value_or(name)).second) {
      of_cores = of_cores.value_or(0) + *core;
    }
    const std::string socket = first_line(cpu / "topology/physical_package_id").value_or("0");
    if (package && packages.insert(socket).second) {
      of_packages = of_packages.value_or(0) + *package;
    }
  }
  if (of_cores) found.counters.push_back({"throttle/core", "events", *of_cores});
  if (of_packages) found.counters.push_back({"throttle/package", "events", *of_packages});
}

/// Reads the time that the host took from all processors together.
void read_processors_work(const fs::path& root, Reading& found) {
  constexpr std::size_t steal = 7;  // behind user, nice, system, idle, iowait, irq, softirq
  std::ifstream stream(root / "proc/stat");
  for (std::string line; std::getline(stream, line);) {
    std::istringstream cells(line);
    std::string word;
    std::uint64_t value = 0;
    cells >> word;
    if (word == "cpu") {
      for (std::size_t i = 0; i <= steal; ++i) cells >> value;
      value *= 1000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
      if (cells) found.counters.push_back({"cpu/steal", "ms", value});
    } else if ((word == "ctxt" || word == "intr") && cells >> value) {
      found.counters.push_back(
          {word == "ctxt" ? "cpu/context_switches" : "cpu/interrupts", "events", value});
    }
  }
}

/// Reads how often this process's cgroup, or one above it, was throttled: each may have a quota.
void read_quota(const fs::path& root, Reading& found) {
  std::optional<std::uint64_t> periods;
  std::optional<std::uint64_t> us;
  for (const fs::path& cgroup : processor_cgroups(root)) {
    std::ifstream stream(cgroup / "cpu.stat");
    std::string word;
    std::uint64_t value = 0;
    while (stream >> word >> value) {
      if (word == "nr_throttled") periods = periods.value_or(0) + value;
      if (word == "throttled_usec") us = us.value_or(0) + value;
      if (word == "throttled_time") us = us.value_or(0) + value / 1000;  // version 1 has ns
    }
  }
  if (periods) found.counters.push_back({"cgroup/throttled", "periods", *periods});
  if (us) found.counters.push_back({"cgroup/throttled_time", "us", *us});
}

struct CounterSource {
  std::string_view name;  // that its counters' names begin with
  void (*read)(const fs::path& root, Reading& found);
};

constexpr std::array sources{
    CounterSource{"net", &read_network},           CounterSource{"tcp", &read_tcp},
    CounterSource{"infiniband", &read_infiniband}, CounterSource{"energy", &read_energy},
    CounterSource{"throttle", &read_throttling},   CounterSource{"cpu", &read_processors_work},
    CounterSource{"cgroup", &read_quota},
};

}  // namespace

Reading read_counters(const fs::path& root) {
  Reading found;
  for (const CounterSource& source : sources) source.read(root, found);
  return found;
}

std::string describe_left_out(const fs::path& root) {
  std::string text;
  for (const CounterSource& source : sources) {
    Reading found;
    source.read(root, found);
    const std::string_view between = text.empty() ? "" : "; ";
    if (!found.unreadable.empty()) {
      const Reading::Unreadable& first = found.unreadable.front();
      text += fmt::format("{}{}: {} cannot be read ({}: {})", between, source.name,
                          found.unreadable.size(), first.why, first.path);
    } else if (found.counters.empty()) {
      text += fmt::format("{}no {}", between, source.name);
    }
  }
  return text;
}

}  // namespace gatherbench::bench
