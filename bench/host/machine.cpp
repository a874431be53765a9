// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "algorithms/topology/cpu_model.h"
#include "bench/host/kernel_files.h"
#include "bench/host/loaded_libraries.h"
#include "bench/host/rank_zero.h"
#include "formats/text/parse.h"
#include "runtime/mpi/control_variables.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

constexpr std::string_view open_mpi = "Open MPI";
constexpr std::string_view mpich_device = "MPICH Device:";

/// Returns the components of a framework that are in use, sorted: self, tcp, vader of "btl". Open
/// MPI drops the variables of components that it closes, so those that a framework still has are of
/// components in use.
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

/// Returns the point-to-point layer, and what it works with: ob1 with the transports that it drives
/// itself, cm with a library of the network's that matches messages; others (ucx) are named alone.
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

/// Returns the device that MPICH's version text names, empty if none: "ch4:ofi" of "... MPICH
/// Device: ch4:ofi MPICH configure: ...".
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
  // Other libraries are not asked: their categories tell nothing of this.
  const bool tells = version.starts_with(open_mpi);
  return find_components(version, tells ? mpi::control_categories() : std::vector<std::string>{});
}

namespace {

namespace fs = std::filesystem;

constexpr double no_quota = std::numeric_limits<double>::infinity();

std::optional<double> parse_us(std::string_view text) {
  std::int64_t us = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), us);
  if (parsed.ec != std::errc() || us <= 0) return std::nullopt;
  return static_cast<double>(us);
}

/// Returns the quota in processors; "max" (cgroup version 2) and -1 (version 1) mean no quota.
double quotient(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_us(quota_us);
  const auto period = parse_us(period_us);
  return quota && period ? *quota / *period : no_quota;
}

/// Returns the quota of one cgroup in processors; none if it has no such files.
std::optional<double> quota_of(const fs::path& cgroup) {
  if (const auto both = first_line(cgroup / "cpu.max")) {
    const std::size_t blank = both->find(' ');
    if (blank == both->npos) return no_quota;
    return quotient(std::string_view(*both).substr(0, blank),
                    std::string_view(*both).substr(blank + 1));
  }
  const auto quota = first_line(cgroup / "cpu.cfs_quota_us");
  const auto period = first_line(cgroup / "cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  return quotient(*quota, *period);
}

// The order is that of MPOL_DEFAULT, ... in linux/mempolicy.h.
constexpr std::array<std::string_view, 7> policies{
    "default", "preferred", "bind", "interleave", "local", "preferred-many", "weighted-interleave"};

/// Returns machine.huge_pages, what the kernel does about transparent huge pages (always, madvise,
/// never), from `sys/kernel/mm` below `root`, where the chosen word stands in brackets. Without the
/// file there is no key.
formats::Metadata read_huge_pages(const std::filesystem::path& root) {
  const std::string line =
      first_line(root / "sys/kernel/mm/transparent_hugepage/enabled").value_or("");
  const std::size_t begin = line.find('[');
  const std::size_t end = line.find(']');
  if (begin == line.npos || end == line.npos || end < begin) return {};
  return {{"machine.huge_pages", line.substr(begin + 1, end - begin - 1)}};
}

/// Returns numa_policy: from which NUMA nodes this process gets its memory (default, bind,
/// interleave and so on), as numactl sets it. There is no key where the kernel or a container's
/// filter does not tell.
formats::Metadata describe_numa_policy() {
  int mode = -1;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) != 0) return {};
  constexpr int flags = 0xe000;  // MPOL_F_STATIC_NODES and the like
  const auto policy = static_cast<std::size_t>(mode & ~flags);
  if (mode < 0 || policy >= policies.size()) return {};
  return {{"numa_policy", std::string(policies[policy])}};
}

/// Returns the active ports of a device of sys/class/infiniband, with kind and rate; empty: it has
/// none. Omni-Path tells InfiniBand as its link layer; its driver's devices are hfi1_0 and so on. A
/// device that has Ethernet as its link layer (RoCE) is among the Ethernet cards, too.
std::string infiniband_card(const fs::path& device) {
  std::string text;
  const std::vector<fs::path> ports = sorted_entries(device / "ports");
  for (const fs::path& port : ports) {
    const auto state = first_line(port / "state");  // "4: ACTIVE"
    const auto rate = first_line(port / "rate");
    auto kind = first_line(port / "link_layer");
    if (!state || !kind || !state->ends_with(": ACTIVE")) continue;
    const std::string name = device.filename();
    if (name.starts_with("hfi1_")) kind = "Omni-Path";
    text += fmt::format("{}{}{} {}{}{}", text.empty() ? "" : ", ", name,
                        ports.size() > 1 ? " port " + port.filename().string() : "",
                        *kind == "Ethernet" ? "RoCE" : *kind, rate ? " " : "", rate.value_or(""));
  }
  return text;
}

std::string ethernet_card(const fs::path& card) {
  constexpr std::string_view arphrd_ether = "1";
  std::error_code none;
  const bool is_up = first_line(card / "operstate") == "up";
  if (!is_up || first_line(card / "type") != arphrd_ether || !fs::exists(card / "device", none)) {
    return {};
  }
  std::string text = fmt::format("{} Ethernet", card.filename().string());
  const std::string speed = first_line(card / "speed").value_or("");
  int megabits = 0;  // a second; -1: not told
  std::from_chars(speed.data(), speed.data() + speed.size(), megabits);
  if (megabits > 0) text += fmt::format(" {:g} Gb/s", megabits / 1000.0);
  const fs::path driver = fs::read_symlink(card / "device/driver", none);
  if (!driver.empty()) text += fmt::format(" ({})", driver.filename().string());
  return text;
}

/// Returns this node's network cards that are up, from `sys/class/infiniband` and `sys/class/net`
/// below `root`: "mlx5_0 InfiniBand 200 Gb/sec (4X HDR), eth0 Ethernet 25 Gb/s (mlx5_core)". A
/// speed that is not told is left out; so are interfaces without a device (bridges, a container's
/// end of a pair). Empty: none is known.
std::string read_network_cards(const fs::path& root) {
  std::vector<std::string> cards;
  const auto add = [&](std::string text) {
    if (!text.empty()) cards.push_back(std::move(text));
  };
  for (const fs::path& device : sorted_entries(root / "sys/class/infiniband")) {
    add(infiniband_card(device));
  }
  for (const fs::path& card : sorted_entries(root / "sys/class/net")) add(ethernet_card(card));
  return fmt::format("{}", fmt::join(cards, ", "));
}

/// Returns the folders of the things that the kernel numbers: "cpu12" of the word "cpu", and so on.
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

/// Returns what the kernel tells of this node's online processors, from `proc/cpuinfo` and
/// `sys/devices/system` below `root`. Without a file, as in some containers and virtual machines,
/// its key is missing.
formats::Metadata read_processors(const fs::path& root) {
  const fs::path system = root / "sys/devices/system";
  std::set<std::string> sockets;
  std::map<std::string, int> threads_of_core;  // by the list of the core's threads
  std::set<std::string> governors;
  for (const fs::path& cpu : numbered(system / "cpu", "cpu")) {
    // A processor that is offline has no topology. -1: the firmware did not tell.
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

/// Returns the bytes of memory that the kernel has; what the firmware keeps is not among them.
std::optional<std::int64_t> total_memory(const std::filesystem::path& meminfo) {
  std::ifstream stream(meminfo);
  std::string key;
  std::int64_t kibibytes = 0;
  if (stream >> key >> kibibytes && key == "MemTotal:") return kibibytes * 1024;
  return std::nullopt;
}

std::string unite_values(std::span<const std::string> values) {
  if (std::ranges::adjacent_find(values, std::not_equal_to{}) == values.end()) return values[0];
  const auto is_number = [](const std::string& value) {
    return !value.empty() && value.size() < std::numeric_limits<std::int64_t>::digits10 &&
           value.find_first_not_of("0123456789") == value.npos;
  };
  if (std::ranges::all_of(values, is_number)) {
    std::vector<std::int64_t> numbers;
    for (const std::string& value : values) numbers.push_back(std::stoll(value));
    return fmt::format("{} to {}", std::ranges::min(numbers), std::ranges::max(numbers));
  }
  std::map<std::string, int> kinds;
  for (const std::string& value : values) ++kinds[value.empty() ? "not told" : value];
  std::string text = fmt::format("{} kinds:", kinds.size());
  for (std::string_view between = " "; const auto& [value, nodes] : kinds) {
    text += fmt::format("{}{} ({} node{})", between, value, nodes, nodes == 1 ? "" : "s");
    between = "; ";
  }
  return text;
}

}  // namespace

std::string read_cpu_quota(const fs::path& root) {
  std::optional<double> least;
  for (const fs::path& cgroup : processor_cgroups(root)) {
    if (const auto quota = quota_of(cgroup)) {
      least = std::min(*quota, least.value_or(no_quota));
    }
  }
  if (!least) return {};
  return *least == no_quota ? "none" : fmt::format("{:.4g} processors", *least);
}

formats::Metadata read_node(const std::filesystem::path& root) {
  formats::Metadata found = read_processors(root);
  if (const auto bytes = total_memory(root / "proc/meminfo")) {
    found.emplace_back("machine.memory", fmt::to_string(*bytes));
  }
  if (std::string quota = read_cpu_quota(root); !quota.empty()) {
    found.emplace_back("machine.cpu_quota", std::move(quota));
  }
  std::ranges::copy(read_huge_pages(root), std::back_inserter(found));
  if (std::string cards = read_network_cards(root); !cards.empty()) {
    found.emplace_back("machine.network", std::move(cards));
  }
  return found;
}

formats::Metadata unite(std::span<const formats::Metadata> nodes) {
  formats::Metadata united;
  for (const formats::Metadata& node : nodes) {
    for (const auto& [key, ignored] : node) {
      if (formats::find_value(united, key) != nullptr) continue;
      std::vector<std::string> values;
      for (const formats::Metadata& each : nodes) {
        const std::string* const value = formats::find_value(each, key);
        values.push_back(value == nullptr ? "" : *value);
      }
      united.emplace_back(key, unite_values(values));
    }
  }
  return united;
}

formats::Metadata collect_machine(const Nodes& nodes, MPI_Comm world) {
  if (mpi::rank_model().one_process) return {};
  // The first rank of a node speaks for it.
  std::vector<std::size_t> speakers;
  for (int node = 0; node < nodes.count(); ++node) {
    const auto first = std::ranges::find(nodes.of_rank, node);
    speakers.push_back(static_cast<std::size_t>(first - nodes.of_rank.begin()));
  }
  std::string own;
  if (std::ranges::find(speakers, static_cast<std::size_t>(mpi::rank_of(world))) !=
      speakers.end()) {
    formats::Metadata found = read_node("/");
    for (const formats::Metadata& more :
         {describe_components(), describe_loaded_libraries(), describe_numa_policy()}) {
      std::ranges::copy(more, std::back_inserter(found));
    }
    for (const auto& [key, value] : found) own += fmt::format("{}={}\n", key, value);
  }
  const std::vector<std::string> texts = gather_texts(own, world);
  if (texts.empty()) return {};
  std::vector<formats::Metadata> told;
  for (const std::size_t speaker : speakers) {
    formats::Metadata& node = told.emplace_back();
    for (const std::string_view line : text::split(texts[speaker], '\n')) {
      const std::size_t equals = line.find('=');
      if (equals != line.npos) node.emplace_back(line.substr(0, equals), line.substr(equals + 1));
    }
  }
  return unite(told);
}

std::string find_load(MPI_Comm world) {
  if (mpi::rank_model().one_process) return {};
  double load = -1;  // not told
  getloadavg(&load, 1);
  double highest = -1;
  mpi::require(MPI_Reduce(&load, &highest, 1, MPI_DOUBLE, MPI_MAX, 0, world), "MPI_Reduce");
  return highest < 0 ? "" : fmt::format("{:.2f}", highest);
}

}  // namespace gatherbench::bench
