// SPDX-License-Identifier: BSD-3-Clause
#include "bench/host/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/host/components.h"
#include "bench/host/cpu_quota.h"
#include "bench/host/gather_texts.h"
#include "bench/host/loaded_libraries.h"
#include "bench/host/memory_policy.h"
#include "bench/host/network_cards.h"
#include "bench/host/processors.h"
#include "formats/text/parse.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"

namespace gatherbench::bench {
namespace {

/// In bytes, as the kernel has it: what the firmware keeps for itself is missing.
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
