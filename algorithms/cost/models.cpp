// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::cost {
namespace {

// The parameters of a cost model as text: "alpha=1e-6,beta=1e-9".

/// One parameter, a number that is not negative.
template <typename Model>
struct ModelParameter {
  std::string_view name;
  std::string_view unit;
  double Model::*member;
  bool optional = false;
};

/// Times bytes, messages and ranks it is a finite number.
inline constexpr double largest_parameter = 1e100;

/// "alpha=SECONDS,beta=SECONDS_A_BYTE"
template <typename Model>
std::string forms_of(std::span<const ModelParameter<Model>> parameters,
                     std::string_view separator = ",") {
  std::string forms;
  for (const ModelParameter<Model>& each : parameters) {
    forms += fmt::format("{}{}={}", forms.empty() ? "" : separator, each.name, each.unit);
  }
  return forms;
}

/// Reads "alpha=SECONDS,beta=SECONDS_A_BYTE". Throws InputError that names `option` and the model.
template <typename Model>
Model parse_model(std::string_view option, std::string_view model_name,
                  std::span<const ModelParameter<Model>> parameters, std::string_view text,
                  std::string_view example) {
  const std::string named = fmt::format("{} {}", option, model_name);
  Model model{};
  std::vector<std::string_view> given;
  for (const std::string_view part : text::split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const auto parameter = std::ranges::find(parameters, key, &ModelParameter<Model>::name);
    if (parameter == parameters.end() || equals == std::string_view::npos) {
      throw text::bad_value(named, part, fmt::format("is none of {}", forms_of(parameters, ", ")));
    }
    if (std::ranges::find(given, key) != given.end()) {
      throw text::bad_value(named, part, fmt::format("gives {} twice", key));
    }
    given.push_back(key);
    model.*parameter->member =
        text::parse_number(fmt::format("{}:{}", named, key), part.substr(equals + 1));
    if (model.*parameter->member > largest_parameter) {
      throw text::bad_value(named, part,
                            fmt::format("is too large: the largest is {:g}", largest_parameter));
    }
  }
  for (const ModelParameter<Model>& each : parameters) {
    if (each.optional || std::ranges::find(given, each.name) != given.end()) continue;
    throw text::bad_value(named, text, fmt::format("lacks {}= (write {})", each.name, example));
  }
  return model;
}

/// Throws InputError unless bytes over this bandwidth are a finite number.
inline void require_bandwidth(std::string_view named, std::string_view text, double bandwidth) {
  constexpr double smallest = 1e-100;
  if (bandwidth >= smallest) return;
  throw text::bad_value(named, text,
                        fmt::format("has too small a bandwidth: the smallest is {:g}", smallest));
}

constexpr std::array hockney_parameters{
    ModelParameter<Hockney>{"alpha", "SECONDS", &Hockney::alpha, false},
    ModelParameter<Hockney>{"beta", "SECONDS_A_BYTE", &Hockney::beta, false},
    ModelParameter<Hockney>{"tau", "SECONDS", &Hockney::tau, true},
    ModelParameter<Hockney>{"gamma", "SECONDS_A_BYTE", &Hockney::gamma, true},
};

}  // namespace

std::string text_of(const Hockney& model) {
  std::string text(hockney_prefix);
  for (const ModelParameter<Hockney>& parameter : hockney_parameters) {
    if (parameter.member == &Hockney::gamma && model.gamma == 0) continue;
    text += fmt::format("{}{}={:.6g}", text.ends_with(':') ? "" : ",", parameter.name,
                        model.*parameter.member);
  }
  return text;
}

std::string hockney_forms() { return forms_of<Hockney>(hockney_parameters); }

Hockney parse_hockney(std::string_view option, std::string_view text) {
  return parse_model<Hockney>(option, "hockney", hockney_parameters, text, "alpha=1e-6,beta=1e-9");
}

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

namespace {

constexpr std::array contention_parameters{
    ModelParameter<ContentionModel>{"alpha", "SECONDS", &ContentionModel::alpha},
    ModelParameter<ContentionModel>{"bandwidth", "BYTES_A_SECOND", &ContentionModel::bandwidth},
    ModelParameter<ContentionModel>{"further", "SHARE", &ContentionModel::further, true},
};

}  // namespace

std::string contention_forms() { return forms_of<ContentionModel>(contention_parameters); }

ContentionModel parse_contention(std::string_view option, std::string_view text) {
  const ParametersWithMemory given = split_host_memory(option, text);
  auto model = parse_model<ContentionModel>(option, "contention", contention_parameters,
                                            given.others, "alpha=1e-6,bandwidth=1e9");
  require_bandwidth(fmt::format("{} contention", option), text, model.bandwidth);
  model.memory = given.memory;
  return model;
}

}  // namespace gatherbench::cost
