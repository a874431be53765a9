// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/host_memory.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "algorithms/cost/model_parameters.h"

namespace gatherbench::cost {
namespace {

constexpr std::array memory_parameters{
    ModelParameter<HostMemory>{"copy_bandwidth", "BYTES_A_SECOND", &HostMemory::copy_bandwidth},
    ModelParameter<HostMemory>{"memory_bandwidth", "BYTES_A_SECOND", &HostMemory::memory_bandwidth},
};
constexpr std::array window_parameters{
    ModelParameter<HostWindow>{"window_alpha", "SECONDS", &HostWindow::alpha},
    ModelParameter<HostWindow>{"window_bandwidth", "BYTES_A_SECOND", &HostWindow::bandwidth},
    ModelParameter<HostWindow>{"window_memory_bandwidth", "BYTES_A_SECOND",
                               &HostWindow::memory_bandwidth, true},
};

/// Parameters that belong together, and the others.
struct Parted {
  std::string own;  // empty: there are none
  std::string others;
};

template <typename Model>
Parted part(std::span<const ModelParameter<Model>> parameters, std::string_view text) {
  const auto is_own = [&](std::string_view each) {
    return std::ranges::find(parameters, each.substr(0, each.find('=')),
                             &ModelParameter<Model>::name) != parameters.end();
  };
  std::vector<std::string_view> parts = text::split(text, ',');
  const auto others = std::ranges::stable_partition(parts, is_own);
  return {fmt::format("{}", fmt::join(parts.begin(), others.begin(), ",")),
          fmt::format("{}", fmt::join(others, ","))};
}

template <typename Model>
std::string text_of(std::span<const ModelParameter<Model>> parameters, const Model& model) {
  std::string text;
  for (const auto& each : parameters) {
    if (std::isinf(model.*each.member)) continue;
    text += fmt::format("{}{}={:.6g}", text.empty() ? "" : ",", each.name, model.*each.member);
  }
  return text;
}

}  // namespace

std::string memory_forms() { return forms_of<HostMemory>(memory_parameters); }

std::string window_forms() { return forms_of<HostWindow>(window_parameters); }

std::string needed_of_window() {
  std::string text;
  for (const auto& each : window_parameters) {
    if (!each.optional) text += fmt::format("{}{}=", text.empty() ? "" : " and ", each.name);
  }
  return text;
}

ParametersWithMemory split_host_memory(std::string_view option, std::string_view text) {
  const Parted parts = part<HostMemory>(memory_parameters, text);
  ParametersWithMemory found{.others = parts.others};
  if (parts.own.empty()) return found;
  found.memory = parse_model<HostMemory>(option, "of a host's memory", memory_parameters, parts.own,
                                         "copy_bandwidth=3e9,memory_bandwidth=12e9");
  require_bandwidth(option, parts.own, found.memory->copy_bandwidth);
  require_bandwidth(option, parts.own, found.memory->memory_bandwidth);
  return found;
}

ParametersWithWindow split_host_window(std::string_view option, std::string_view text) {
  const Parted parts = part<HostWindow>(window_parameters, text);
  ParametersWithWindow found{.others = parts.others};
  if (parts.own.empty()) return found;
  found.window = parse_model<HostWindow>(option, "of copies within a node", window_parameters,
                                         parts.own, "window_alpha=1e-7,window_bandwidth=10e9");
  require_bandwidth(option, parts.own, found.window->bandwidth);
  require_bandwidth(option, parts.own, found.window->memory_bandwidth);
  return found;
}

HostSpeeds host_speeds(const std::optional<HostMemory>& memory, double bandwidth,
                       const std::optional<HostWindow>& window) {
  HostSpeeds speeds;
  if (memory) speeds = {memory->copy_bandwidth / bandwidth, memory->memory_bandwidth / bandwidth};
  if (!window) return speeds;
  speeds.copy = window->bandwidth / bandwidth;
  if (std::isfinite(window->memory_bandwidth)) speeds.memory = window->memory_bandwidth / bandwidth;
  return speeds;
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
  return text_of<HostMemory>(memory_parameters, memory);
}

std::string text_of(const HostWindow& window) {
  return text_of<HostWindow>(window_parameters, window);
}

}  // namespace gatherbench::cost
