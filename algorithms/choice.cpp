// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "algorithms/algorithm_sets.h"
#include "algorithms/parameter_text.h"
#include "text/input_error.h"
#include "text/parse.h"

namespace gatherbench::algorithms {
namespace {

// Far beyond sense; keeps the algorithms' arithmetic within 64 bits.
constexpr std::int64_t max_count = 1'000'000;
constexpr std::string_view policy_key = "policy=";

const Algorithm* parse_inner(std::string_view option, std::string_view name) {
  std::vector<std::string_view> legal;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!algorithm.can_be_inner) continue;
    if (algorithm.name == name) return &algorithm;
    legal.push_back(algorithm.name);
  }
  throw text::unknown_name(option, "inner algorithm", name, legal);
}

MessageTime parse_time(std::string_view option, std::string_view text) {
  if (text == "measured") return {};
  constexpr double max_seconds = 1e9;
  const double seconds = text::parse_duration(option, text);
  if (seconds > max_seconds) throw text::bad_value(option, text, "is more than 1e9 s");
  return {std::chrono::nanoseconds(std::max(1LL, std::llround(seconds * 1e9)))};
}

/// Reads a value of the parameter whose default is visited.
struct ParseValue {
  std::string_view option;
  const Parameter& parameter;
  std::string_view text;

  ParameterValue operator()(std::monostate) const { return {}; }
  ParameterValue operator()(Count) const {
    return Count{text::parse_integer(option, text, parameter.min, max_count)};
  }
  ParameterValue operator()(Bytes) const { return Bytes{text::parse_bytes(option, text)}; }
  ParameterValue operator()(const MessageTime&) const { return parse_time(option, text); }
  ParameterValue operator()(const Algorithm*) const { return parse_inner(option, text); }
};

/// What follows the colon of "name:key=value".
ParameterValue parse_parameter(std::string_view option, const Algorithm& algorithm,
                               std::string_view item, std::string_view text) {
  if (!algorithm.parameter) {
    throw text::bad_value(option, item,
                          fmt::format("gives a parameter, but {} takes none", algorithm.name));
  }
  const Parameter& parameter = *algorithm.parameter;
  const std::size_t equals = text.find('=');
  if (text.substr(0, equals) != parameter.name || equals == std::string_view::npos) {
    throw text::bad_value(
        option, item,
        fmt::format("has '{}', which is not {}:{}=..., the one parameter that {} takes ({})", text,
                    algorithm.name, parameter.name, algorithm.name, parameter.summary));
  }
  const std::string where = fmt::format("{} {}:{}", option, algorithm.name, parameter.name);
  return std::visit(ParseValue{where, parameter, text.substr(equals + 1)}, parameter.default_value);
}

/// What follows the name of an algorithm of ours: its parameter, and the form of its messages.
void parse_variant(std::string_view option, std::string_view item, Choice& choice) {
  const Algorithm& algorithm = *choice.algorithm;
  const std::string where = fmt::format("{} {}", option, item);
  std::vector<std::string_view> keys;
  MessageForm form;
  for (const std::string_view part : text::split(choice.variant, ':')) {
    const std::string_view key = part.substr(0, part.find('='));
    if (std::ranges::find(keys, key) != keys.end()) {
      throw text::bad_value(option, item, fmt::format("gives {} twice", key));
    }
    keys.push_back(key);
    if (!read_message_form(where, part, form)) {
      choice.parameter = parse_parameter(option, algorithm, item, part);
      continue;
    }
    if (algorithm.library_call != LibraryCall::none) {
      throw text::bad_value(option, item, "moves its blocks by calls into the MPI library");
    }
    choice.form = form;
  }
  if (!choice.form || form.batch == 0) return;
  if (std::ranges::find(keys, "noncontiguous") == keys.end()) {
    choice.form->noncontiguous = Noncontiguous::packed;
  } else if (form.noncontiguous == Noncontiguous::pipelined) {
    throw text::bad_value(option, item,
                          "contradicts itself: pipelined is one run of blocks a message; legal: "
                          "batch=K with packed or datatype");
  }
}

Choice parse_choice(std::string_view option, std::string_view item,
                    const collectives::Collective* collective) {
  const std::size_t colon = item.find(':');
  const Algorithm* const algorithm = find_algorithm(item.substr(0, colon));
  if (algorithm == nullptr || (collective != nullptr && !computes(*algorithm, *collective))) {
    const std::string what =
        collective == nullptr ? "algorithm" : fmt::format("algorithm of {}", collective->name);
    throw text::unknown_name(option, what, item, legal_algorithm_names(collective));
  }
  Choice choice = choice_of(*algorithm);
  if (colon == std::string_view::npos) return choice;
  choice.variant = item.substr(colon + 1);
  if (algorithm->library_call == LibraryCall::native) {
    if (choice.variant.empty()) {
      throw text::bad_value(option, item, "names no algorithm of the library after the colon");
    }
  } else if (algorithm->selects) {
    if (choice.policy().empty()) {
      throw text::bad_value(
          option, item,
          fmt::format("names no policy; legal: {0}, {0}:{1}POLICY", algorithm->name, policy_key));
    }
  } else {
    parse_variant(option, item, choice);
  }
  return choice;
}

}  // namespace

std::string_view Choice::library_algorithm() const {
  return algorithm->library_call == LibraryCall::native ? std::string_view(variant)
                                                        : std::string_view();
}

std::string_view Choice::policy() const {
  const std::string_view text = variant;
  return algorithm->selects && text.starts_with(policy_key) ? text.substr(policy_key.size())
                                                            : std::string_view();
}

std::string Choice::label() const {
  return variant.empty() ? std::string(algorithm->name)
                         : fmt::format("{}:{}", algorithm->name, variant);
}

Choice choice_of(const Algorithm& algorithm) {
  return {.algorithm = &algorithm, .parameter = default_value(algorithm)};
}

std::vector<Choice> parse_algorithms(std::string_view option, std::string_view list,
                                     const collectives::Collective* collective) {
  std::vector<Choice> chosen;
  const auto add = [&](Choice choice) {
    if (std::ranges::find(chosen, choice) == chosen.end()) chosen.push_back(std::move(choice));
  };
  for (const std::string_view item : text::split(list, ',')) {
    const AlgorithmSet* const set = find_set(item);
    const auto found = set == nullptr ? std::vector<const Algorithm*>() : members(*set, collective);
    if (found.empty()) add(parse_choice(option, item, collective));
    for (const Algorithm* const member : found) add(choice_of(*member));
  }
  return chosen;
}

std::vector<std::string_view> legal_algorithm_names(const collectives::Collective* collective) {
  std::vector<std::string_view> names;
  for (const AlgorithmSet& set : algorithm_sets()) {
    if (!members(set, collective).empty()) names.push_back(set.name);
  }
  for (const Algorithm* const one : algorithms_of(collective)) names.push_back(one->name);
  return names;
}

bool parameter_in_range(const Choice& choice, int ranks) {
  const std::optional<Parameter>& parameter = choice.algorithm->parameter;
  return !parameter || parameter->max == nullptr ||
         std::get<Count>(choice.parameter).value <= parameter->max(ranks);
}

void require_parameter(std::string_view option, const Choice& choice, int ranks) {
  if (parameter_in_range(choice, ranks)) return;
  const Parameter& parameter = *choice.algorithm->parameter;
  const std::int64_t max = parameter.max(ranks);
  if (max < parameter.min) return;  // no value is legal here: the algorithm cannot run
  throw text::bad_value(option, choice.label(),
                        fmt::format("is out of range: {} is {} to {} = {} with {} ranks",
                                    parameter.name, parameter.min, parameter.max_text, max, ranks));
}

std::string parameter_text(const Algorithm& algorithm) {
  if (!algorithm.parameter) return {};
  const Parameter& parameter = *algorithm.parameter;
  return fmt::format("{}:{}= {} [{}]", algorithm.name, parameter.name, parameter.summary,
                     to_text(parameter.default_value));
}

MessageForm form_of(const Choice& choice, Noncontiguous all) {
  return choice.form.value_or(MessageForm{.noncontiguous = all});
}

bool needs_message_time(const Choice& choice) {
  const auto* const time = std::get_if<MessageTime>(&choice.parameter);
  return time != nullptr && !time->given;
}

Problem problem_for(const Choice& choice, int ranks) {
  Problem problem{.ranks = ranks, .parameter = choice.parameter};
  const auto* const time = std::get_if<MessageTime>(&choice.parameter);
  if (time != nullptr && time->given) {
    problem.message_us = static_cast<double>(time->given->count()) / 1000;
  }
  return problem;
}

}  // namespace gatherbench::algorithms
