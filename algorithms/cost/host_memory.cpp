// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/host_memory.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

#include "algorithms/cost/model_parameters.h"

namespace gatherbench::cost {
namespace {

constexpr std::array parameters{
    ModelParameter<HostMemory>{"copy_bandwidth", "BYTES_A_SECOND", &HostMemory::copy_bandwidth},
    ModelParameter<HostMemory>{"memory_bandwidth", "BYTES_A_SECOND", &HostMemory::memory_bandwidth},
};

bool is_of_memory(std::string_view part) {
  return std::ranges::find(parameters, part.substr(0, part.find('=')),
                           &ModelParameter<HostMemory>::name) != parameters.end();
}

}  // namespace

ParametersWithMemory split_host_memory(std::string_view option, std::string_view text) {
  std::vector<std::string_view> parts = text::split(text, ',');
  const auto others = std::ranges::stable_partition(parts, is_of_memory);
  const std::string of_memory = fmt::format("{}", fmt::join(parts.begin(), others.begin(), ","));
  ParametersWithMemory found{.others = fmt::format("{}", fmt::join(others, ","))};
  if (others.begin() == parts.begin()) return found;
  found.memory = parse_model<HostMemory>(option, "of a host's memory", parameters, of_memory,
                                         "copy_bandwidth=3e9,memory_bandwidth=12e9");
  require_bandwidth(option, of_memory, found.memory->copy_bandwidth);
  require_bandwidth(option, of_memory, found.memory->memory_bandwidth);
  return found;
}

HostSpeeds host_speeds(const std::optional<HostMemory>& memory, double bandwidth) {
  if (!memory) return {};
  return {memory->copy_bandwidth / bandwidth, memory->memory_bandwidth / bandwidth};
}

Paths::Paths(const topology::Network& network, std::span<const int> host, const HostSpeeds& within)
    : network_(network), host_(host) {
  for (int link = 0; link < network.links(); ++link) speed_.push_back(network.link_speed(link));
  speed_.resize(speed_.size() + 2 * host.size(), within.copy);
  speed_.resize(speed_.size() + static_cast<std::size_t>(network.hosts()), within.memory);
}

void Paths::add_links(int sender, int receiver, std::vector<int>& links) const {
  const int from = host_[static_cast<std::size_t>(sender)];
  const int to = host_[static_cast<std::size_t>(receiver)];
  if (from != to) {
    network_.add_links(from, to, links);
    return;
  }
  const int first_sent = network_.links();
  const int first_received = first_sent + static_cast<int>(host_.size());
  const int first_memory = first_received + static_cast<int>(host_.size());
  links.insert(links.end(), {first_sent + sender, first_received + receiver, first_memory + from});
}

std::string text_of(const HostMemory& memory) {
  std::string text;
  for (const auto& each : parameters) {
    text += fmt::format("{}{}={:.6g}", text.empty() ? "" : ",", each.name, memory.*each.member);
  }
  return text;
}

}  // namespace gatherbench::cost
