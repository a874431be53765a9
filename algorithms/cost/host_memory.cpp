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

std::string text_of(const HostMemory& memory) {
  std::string text;
  for (const auto& each : parameters) {
    text += fmt::format("{}{}={:.6g}", text.empty() ? "" : ",", each.name, memory.*each.member);
  }
  return text;
}

}  // namespace gatherbench::cost
