// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"

// The parameters of a cost model as text: "alpha=1e-6,beta=1e-9".
namespace gatherbench::cost {

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

}  // namespace gatherbench::cost
