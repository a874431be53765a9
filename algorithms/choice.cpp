// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::algorithms {
namespace {

/// A set of algorithms that goes by a name.
struct Set {
  std::string_view name;
  bool (*contains)(const Algorithm&);
};
constexpr std::array sets{
    // Those that predict arrivals want threads and a computation to watch, from the whole launch.
    Set{"all", [](const Algorithm& algorithm) { return !algorithm.uses_arrivals; }},
    Set{"arrival_aware", [](const Algorithm& algorithm) { return algorithm.uses_arrivals; }},
    Set{"thesis", [](const Algorithm& algorithm) { return algorithm.in_thesis; }}};

// Far beyond sense; keeps the algorithms' arithmetic within 64 bits.
constexpr std::int64_t largest_count = 1'000'000;

std::int64_t parse_inner(std::string_view option, std::string_view name) {
  std::vector<std::string_view> legal;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!algorithm.can_be_inner) continue;
    if (algorithm.name == name) return &algorithm - all_algorithms().data();
    legal.push_back(algorithm.name);
  }
  throw text::unknown_name(option, "inner algorithm", name, legal);
}

/// Nanoseconds; 0: to be measured.
std::int64_t parse_time(std::string_view option, std::string_view text) {
  if (text == "measured") return 0;
  constexpr double longest = 1e9;  // seconds
  const double seconds = text::parse_duration(option, text);
  if (seconds > longest) throw text::bad_value(option, text, "is more than 1e9 s");
  return std::max<std::int64_t>(1, std::llround(seconds * 1e9));
}

std::int64_t parse_value(std::string_view option, const Parameter& parameter,
                         std::string_view text) {
  switch (parameter.kind) {
    case ParameterKind::count:
      return text::parse_integer(option, text, parameter.smallest, largest_count);
    case ParameterKind::bytes:
      return text::parse_bytes(option, text);
    case ParameterKind::time:
      return parse_time(option, text);
    case ParameterKind::inner_algorithm:
      return parse_inner(option, text);
  }
  return 0;
}

/// What follows the colon of "name:key=value".
std::int64_t parse_parameter(std::string_view option, const Algorithm& algorithm,
                             std::string_view item, std::string_view text) {
  const Parameter* const parameter = algorithm.parameter;
  if (parameter == nullptr) {
    throw text::bad_value(option, item,
                          fmt::format("gives a parameter, but {} takes none", algorithm.name));
  }
  const std::size_t equals = text.find('=');
  if (text.substr(0, equals) != parameter->name || equals == std::string_view::npos) {
    throw text::bad_value(
        option, item,
        fmt::format("is not {}:{}=..., the one parameter that {} takes ({})", algorithm.name,
                    parameter->name, algorithm.name, parameter->summary));
  }
  return parse_value(fmt::format("{} {}:{}", option, algorithm.name, parameter->name), *parameter,
                     text.substr(equals + 1));
}

Choice parse_choice(std::string_view option, std::string_view item) {
  const std::size_t colon = item.find(':');
  const Algorithm* const algorithm = find_algorithm(item.substr(0, colon));
  if (algorithm == nullptr) {
    throw text::unknown_name(option, "algorithm", item, legal_algorithm_names());
  }
  Choice choice = choice_of(*algorithm);
  if (colon == std::string_view::npos) return choice;
  choice.variant = item.substr(colon + 1);
  if (algorithm->library_call == LibraryCall::allgather) {
    if (choice.variant.empty()) {
      throw text::bad_value(option, item, "names no algorithm of the library after the colon");
    }
  } else {
    choice.parameter = parse_parameter(option, *algorithm, item, choice.variant);
  }
  return choice;
}

}  // namespace

std::string_view Choice::library_algorithm() const {
  return algorithm->library_call == LibraryCall::allgather ? std::string_view(variant)
                                                           : std::string_view();
}

std::string Choice::label() const {
  return variant.empty() ? std::string(algorithm->name)
                         : fmt::format("{}:{}", algorithm->name, variant);
}

Choice choice_of(const Algorithm& algorithm) {
  Choice choice{&algorithm};
  if (algorithm.parameter != nullptr) {
    choice.parameter =
        parse_value(algorithm.name, *algorithm.parameter, algorithm.parameter->otherwise);
  }
  return choice;
}

std::vector<Choice> parse_algorithms(std::string_view option, std::string_view list) {
  std::vector<Choice> chosen;
  const auto add = [&](Choice choice) {
    if (std::ranges::find(chosen, choice) == chosen.end()) chosen.push_back(std::move(choice));
  };
  for (const std::string_view item : text::split(list, ',')) {
    const auto* const set = std::ranges::find(sets, item, &Set::name);
    if (set == sets.end()) {
      add(parse_choice(option, item));
      continue;
    }
    for (const Algorithm& member : all_algorithms()) {
      if (set->contains(member)) add(choice_of(member));
    }
  }
  return chosen;
}

std::vector<std::string_view> legal_algorithm_names() {
  std::vector<std::string_view> names;
  for (const Set& set : sets) names.push_back(set.name);
  std::ranges::copy(algorithm_names(), std::back_inserter(names));
  return names;
}

bool parameter_in_range(const Choice& choice, int ranks) {
  const Parameter* const parameter = choice.algorithm->parameter;
  return parameter == nullptr || parameter->largest == nullptr ||
         choice.parameter <= parameter->largest(ranks);
}

void require_parameter(std::string_view option, const Choice& choice, int ranks) {
  if (parameter_in_range(choice, ranks)) return;
  const Parameter& parameter = *choice.algorithm->parameter;
  const std::int64_t largest = parameter.largest(ranks);
  if (largest < parameter.smallest) return;  // no value is legal here: the algorithm cannot run
  throw text::bad_value(
      option, choice.label(),
      fmt::format("is out of range: {} is {} to {} = {} with {} ranks", parameter.name,
                  parameter.smallest, parameter.largest_text, largest, ranks));
}

std::string parameter_text(const Algorithm& algorithm) {
  const Parameter* const parameter = algorithm.parameter;
  if (parameter == nullptr) return {};
  return fmt::format("{}:{}= {} [{}]", algorithm.name, parameter->name, parameter->summary,
                     parameter->otherwise);
}

bool needs_message_time(const Choice& choice) {
  const Parameter* const parameter = choice.algorithm->parameter;
  return parameter != nullptr && parameter->kind == ParameterKind::time && choice.parameter == 0;
}

Problem problem_for(const Choice& choice, int ranks) {
  Problem problem{.ranks = ranks, .parameter = choice.parameter};
  const Parameter* const parameter = choice.algorithm->parameter;
  if (parameter != nullptr && parameter->kind == ParameterKind::time) {
    problem.message_us = static_cast<double>(choice.parameter) / 1000;
  }
  return problem;
}

}  // namespace gatherbench::algorithms
