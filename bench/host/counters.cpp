// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "bench/host/kernel_files.h"
#include "bench/host/rank_zero.h"
#include "formats/columns.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Returns the number that a file holds. Returns none if there is no such file, and if the file
/// tells no number, which it notes in `found`.
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

/// Reads how many TCP segments were sent and sent again, from a line of names and then one of
/// values: "Tcp: RtoAlgorithm ..." and "Tcp: 1 ...".
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

/// Reads the energy of Intel's domains, and of AMD's where the same driver has them.
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

/// Reads how often cores and packages were throttled. Every thread of a core tells of the core, and
/// of its package: each counts once.
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

/// Reads the time that the host took from all processors together, and how many context switches
/// and interrupts there were.
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
  std::string_view name;  // the beginning of its counters' names
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

namespace {

constexpr char between_fields = '\t';  // no name of the kernel has one

formats::CounterChange without(const Counter& counter, std::string reason) {
  return {.counter = counter.name, .unit = counter.unit, .reason = std::move(reason)};
}

formats::CounterChange change_of(const Counter& before, const Counter& after) {
  std::uint64_t rise = after.value - before.value;
  if (after.value < before.value) {
    if (before.value > before.range) return without(after, "went backwards: it was reset");
    rise = before.range - before.value + after.value;
  }
  return {.counter = after.name, .unit = after.unit, .difference = static_cast<std::int64_t>(rise)};
}

}  // namespace

std::vector<formats::CounterChange> find_changes(const Reading& before, const Reading& after) {
  std::map<std::string_view, const Counter*> known;
  for (const Counter& counter : before.counters) known.emplace(counter.name, &counter);
  std::vector<formats::CounterChange> changes;
  for (const Counter& counter : after.counters) {
    const auto found = known.find(counter.name);
    if (found == known.end()) {
      changes.push_back(without(counter, "was not there before the first call"));
      continue;
    }
    const bool idle = found->second->idle && counter.idle;
    if (!idle) changes.push_back(change_of(*found->second, counter));
    known.erase(found);
  }
  for (const Counter& counter : before.counters) {
    if (known.contains(counter.name)) {
      changes.push_back(without(counter, "was gone after the last call"));
    }
  }
  return changes;
}

std::string text_of(const std::vector<formats::CounterChange>& changes) {
  std::string text;
  for (const formats::CounterChange& one : changes) {
    text += fmt::format("{}\t{}\t{}\t{}\n", one.counter, one.unit,
                        one.difference ? fmt::to_string(*one.difference) : "", one.reason);
  }
  return text;
}

std::vector<formats::CounterChange> changes_in(std::string_view text) {
  std::vector<formats::CounterChange> changes;
  for (const std::string_view line : text::split(text, '\n')) {
    const std::vector<std::string_view> fields = text::split(line, between_fields);
    if (fields.size() != 4) continue;  // behind the last line
    formats::CounterChange& one = changes.emplace_back();
    one.counter = fields[0];
    one.unit = fields[1];
    if (!fields[2].empty()) one.difference = std::stoll(std::string(fields[2]));
    one.reason = fields[3];
  }
  return changes;
}

namespace {

/// Returns, by rank, the host that the rank reads for: only the first rank of each host has one,
/// all others an empty text. Two nodes of one host (containers) have the same counters.
std::vector<std::string> find_readers(const Nodes& nodes) {
  std::vector<std::string> hosts(nodes.of_rank.size());
  std::set<std::string> known;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const std::string& host = nodes.hosts[static_cast<std::size_t>(nodes.of_rank[rank])];
    if (known.insert(host).second) hosts[rank] = host;
  }
  return hosts;
}

/// Joins the different texts of the readers: each is "TEXT", or where only some hosts have it "TEXT
/// (2 of 4 hosts, the first is h1)".
std::string unite(const std::vector<std::string>& hosts, const std::vector<std::string>& texts) {
  std::map<std::string, std::vector<std::string>> hosts_with;
  std::size_t count = 0;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    if (hosts[rank].empty()) continue;
    ++count;
    if (!texts[rank].empty()) hosts_with[texts[rank]].push_back(hosts[rank]);
  }
  std::string text;
  for (const auto& [what, who] : hosts_with) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", what);
    if (who.size() == count) continue;
    text += fmt::format(" ({} of {} hosts, the first is {})", who.size(), count, who.front());
  }
  return text;
}

}  // namespace

CounterRecorder::CounterRecorder(const Nodes& nodes, MPI_Comm world, std::filesystem::path root)
    : host_of_reader_(find_readers(nodes)), world_(world), root_(std::move(root)) {
  reads_ = !host_of_reader_[static_cast<std::size_t>(mpi::rank_of(world))].empty();
  int any = reads_ && !read_counters(root_).counters.empty() ? 1 : 0;
  mpi::require(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, world), "MPI_Allreduce");
  const std::vector<std::string> texts =
      gather_texts(reads_ ? describe_left_out(root_) : std::string(), world);
  left_out_ =
      mpi::broadcast_text(texts.empty() ? std::string() : unite(host_of_reader_, texts), 0, world);
  if (any == 0) {
    throw text::bad_value("--record", formats::name_of(formats::File::counters),
                          fmt::format("has nothing to record: {}; legal: ranks, steps", left_out_));
  }
}

void CounterRecorder::begin() {
  mpi::require(MPI_Barrier(world_), "MPI_Barrier");
  if (reads_) before_ = read_counters(root_);
  start_ns_ = mpi::steady_ns();
  mpi::require(MPI_Barrier(world_), "MPI_Barrier");
}

void CounterRecorder::end(std::int64_t calls) {
  mpi::require(MPI_Barrier(world_), "MPI_Barrier");
  end_ns_ = mpi::steady_ns();
  calls_ = calls;
  if (reads_) after_ = read_counters(root_);
}

std::vector<formats::CounterChange> CounterRecorder::gather() const {
  std::string own;
  if (reads_) {
    own = fmt::format("{}\n{}", end_ns_ - start_ns_, text_of(find_changes(before_, after_)));
  }
  const std::vector<std::string> texts = gather_texts(own, world_);
  std::vector<formats::CounterChange> all;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    if (texts[rank].empty()) continue;
    std::int64_t ns = 0;
    const std::string& text = texts[rank];
    std::from_chars(text.data(), text.data() + text.size(), ns);
    for (formats::CounterChange& one : changes_in(text)) {
      one.host = host_of_reader_[rank];
      one.calls = calls_;
      one.between_us = static_cast<double>(ns) / 1000;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace gatherbench::bench
