// SPDX-License-Identifier: BSD-3-Clause
#include "formats/hockney.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::formats {
namespace {

struct Parameter {
  std::string_view name;
  std::string_view unit;
  double Hockney::*member;
  bool optional;
};

constexpr std::array parameters{
    Parameter{"alpha", "SECONDS", &Hockney::alpha, false},
    Parameter{"beta", "SECONDS_A_BYTE", &Hockney::beta, false},
    Parameter{"tau", "SECONDS", &Hockney::tau, true},
};

// Times bytes, messages and ranks it is a finite number.
constexpr double largest = 1e100;

/// "alpha=SECONDS, beta=SECONDS_A_BYTE, tau=SECONDS".
std::string forms() {
  std::string text;
  for (const Parameter& parameter : parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", parameter.name, parameter.unit);
  }
  return text;
}

}  // namespace

std::string text_of(const Hockney& model) {
  std::string text(hockney_prefix);
  for (const Parameter& parameter : parameters) {
    text += fmt::format("{}{}={:.6g}", text.ends_with(':') ? "" : ",", parameter.name,
                        model.*parameter.member);
  }
  return text;
}

Hockney parse_hockney(std::string_view option, std::string_view text) {
  const std::string named = fmt::format("{} hockney", option);
  Hockney model{};
  std::vector<std::string_view> given;
  for (const std::string_view part : text::split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const auto* const parameter = std::ranges::find(parameters, key, &Parameter::name);
    if (parameter == parameters.end() || equals == std::string_view::npos) {
      throw text::bad_value(named, part, fmt::format("is none of {}", forms()));
    }
    if (std::ranges::find(given, key) != given.end()) {
      throw text::bad_value(named, part, fmt::format("gives {} twice", key));
    }
    given.push_back(key);
    model.*parameter->member =
        text::parse_number(fmt::format("{}:{}", named, key), part.substr(equals + 1));
    if (model.*parameter->member > largest) {
      throw text::bad_value(named, part, fmt::format("is too large: the largest is {:g}", largest));
    }
  }
  for (const Parameter& parameter : parameters) {
    if (parameter.optional || std::ranges::find(given, parameter.name) != given.end()) continue;
    throw text::bad_value(named, text,
                          fmt::format("lacks {}= (write alpha=1e-6,beta=1e-9)", parameter.name));
  }
  return model;
}

}  // namespace gatherbench::formats
