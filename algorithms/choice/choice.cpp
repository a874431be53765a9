// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice/choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/registry.h"
#include "algorithms/schedule.h"
#include "algorithms/shared/inner.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::algorithms {
namespace {

/// Between the numbers of a list, as in the sides of a mesh: a comma is between algorithms, a colon
/// between parameters.
constexpr char list_separator = 'x';
/// A list that the algorithm makes from p, a count that it chooses: 0.
constexpr std::string_view automatic = "auto";

/// A time that is not given.
constexpr std::string_view measured = "measured";

std::string time_text(std::optional<std::chrono::nanoseconds> given) {
  return given ? fmt::format("{}us", static_cast<double>(given->count()) / 1000)
               : std::string(measured);
}

struct Text {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(Count count) const {
    return count.value == 0 ? std::string(automatic) : fmt::to_string(count.value);
  }
  std::string operator()(const Numbers& numbers) const {
    return numbers.size == 0 ? std::string(automatic)
                             : fmt::format("{}", fmt::join(numbers.all(), {&list_separator, 1}));
  }
  std::string operator()(Bytes bytes) const {
    constexpr std::int64_t kibi = 1024;
    return bytes.value % kibi == 0 ? fmt::format("{}K", bytes.value / kibi)
                                   : fmt::to_string(bytes.value);
  }
  std::string operator()(const MessageTime& time) const { return time_text(time.given); }
  std::string operator()(const StartTime& time) const { return time_text(time.given); }
  std::string operator()(const Algorithm* algorithm) const { return std::string(algorithm->name); }
};

struct Kind {
  std::string_view operator()(std::monostate) const { return "none"; }
  std::string_view operator()(Count) const { return "count"; }
  std::string_view operator()(const Numbers&) const { return "list"; }
  std::string_view operator()(Bytes) const { return "bytes"; }
  std::string_view operator()(const MessageTime&) const { return "time"; }
  std::string_view operator()(const StartTime&) const { return "start time"; }
  std::string_view operator()(const Algorithm*) const { return "algorithm"; }
};

// Far beyond sense; keeps the algorithms' arithmetic within 64 bits.
constexpr std::int64_t max_count = 1'000'000;

std::string most_text(const Parameter& parameter) {
  return parameter.max_text.empty() ? std::to_string(max_count) : std::string(parameter.max_text);
}

const Algorithm* parse_inner(std::string_view option, const Parameter& parameter,
                             std::string_view name) {
  std::vector<std::string_view> legal;
  for (const Algorithm& algorithm : all_algorithms()) {
    if (!is_legal_inner(parameter, algorithm)) continue;
    if (algorithm.name == name) return &algorithm;
    legal.push_back(algorithm.name);
  }
  throw text::unknown_name(option, "inner algorithm", name, legal);
}

/// Reads a time; none: it is to be measured.
std::optional<std::chrono::nanoseconds> parse_time(std::string_view option, std::string_view text) {
  if (text == measured) return {};
  const double seconds = text::parse_duration(option, text);
  return std::chrono::nanoseconds(std::max(1LL, std::llround(seconds * 1e9)));
}

/// Reads a value of the parameter whose default is visited.
struct ParseValue {
  std::string_view option;
  const Parameter& parameter;
  std::string_view text;

  ParameterValue operator()(std::monostate) const { return {}; }
  ParameterValue operator()(Count by_default) const {
    if (by_default.value == 0) {
      if (text == automatic) return by_default;
      if (text.find_first_not_of("0123456789") != std::string_view::npos) {
        throw text::bad_value(
            option, text,
            fmt::format("is neither {0} nor a whole number; legal: {0}, {1} to {2}", automatic,
                        parameter.min, most_text(parameter)));
      }
    }
    return Count{text::parse_integer(option, text, parameter.min, max_count)};
  }
  ParameterValue operator()(const Numbers&) const {
    Numbers numbers;
    if (text == automatic && std::get<Numbers>(parameter.default_value).size == 0) return numbers;
    const std::vector<std::string_view> parts = text::split(text, list_separator);
    if (parts.size() > Numbers::most) {
      throw text::bad_value(option, text, fmt::format("has more than {} numbers", Numbers::most));
    }
    for (const std::string_view part : parts) {
      numbers.add(
          static_cast<std::int32_t>(text::parse_integer(option, part, parameter.min, max_count)));
    }
    return numbers;
  }
  ParameterValue operator()(Bytes) const { return Bytes{text::parse_bytes(option, text)}; }
  ParameterValue operator()(const MessageTime&) const {
    return MessageTime{parse_time(option, text)};
  }
  ParameterValue operator()(const StartTime&) const { return StartTime{parse_time(option, text)}; }
  ParameterValue operator()(const Algorithm*) const { return parse_inner(option, parameter, text); }
};

}  // namespace

std::string to_text(const ParameterValue& value) { return std::visit(Text{}, value); }

ParameterValue parse_value(std::string_view option, const Parameter& parameter,
                           std::string_view text) {
  return std::visit(ParseValue{option, parameter, text}, parameter.default_value);
}

std::string_view kind_of(const Parameter& parameter) {
  return std::visit(Kind{}, parameter.default_value);
}

std::string_view Choice::library_algorithm() const {
  return algorithm->calls(LibraryCall::native) ? std::string_view(variant) : std::string_view();
}

std::string_view Choice::policy() const {
  const std::string_view text = variant;
  return algorithm->is<Selects>() && text.starts_with(policy_key) ? text.substr(policy_key.size())
                                                                  : std::string_view();
}

std::string Choice::label() const {
  std::string text(algorithm->name);
  if (order != nullptr) text.append("@").append(order->name);
  if (!variant.empty()) text.append(":").append(variant);
  if (stage.on_host) text.append(":").append(stage_text(stage));
  return text;
}

Choice Choice::unstaged() const {
  Choice same = *this;
  same.stage = {};
  return same;
}

Choice by_window(Choice choice) {
  choice.via = Via::window;
  if (!choice.variant.empty()) choice.variant += ':';
  choice.variant += via_text(Via::window);
  return choice;
}

Choice choice_of(const Algorithm& algorithm, Via via) {
  Choice choice{.algorithm = &algorithm, .parameters = default_values(algorithm)};
  return via == Via::messages ? choice : by_window(std::move(choice));
}

const Parameter* parameter_out_of_range(const Choice& choice, int ranks) {
  const Parameters& parameters = choice.algorithm->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    if (parameter.max == nullptr) continue;
    if (std::get<Count>(choice.parameters[i]).value > parameter.max(ranks)) return &parameter;
  }
  return nullptr;
}

void require_parameter(std::string_view option, const Choice& choice, int ranks) {
  const Parameter* const outside = parameter_out_of_range(choice, ranks);
  if (outside == nullptr) return;
  const Parameter& parameter = *outside;
  const std::int64_t max = parameter.max(ranks);
  if (max < parameter.min) return;  // no value is legal here: the algorithm cannot run
  const std::string number = fmt::to_string(max);
  throw text::bad_value(option, choice.label(),
                        fmt::format("is out of range: {} is {} to {}{}", parameter.name,
                                    parameter.min, parameter.max_text,
                                    number == parameter.max_text
                                        ? std::string()
                                        : fmt::format(" = {} with {} ranks", number, ranks)));
}

std::vector<std::string> parameter_texts(const Algorithm& algorithm) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : algorithm.parameters) {
    texts.push_back(fmt::format("{}:{}= {} [{}]", algorithm.name, parameter.name, parameter.summary,
                                to_text(parameter.default_value)));
  }
  return texts;
}

MessageForm form_of(const Choice& choice, Noncontiguous all) {
  return choice.form.value_or(MessageForm{.noncontiguous = all});
}

bool uses_scratch(const Choice& choice) {
  return choice.algorithm->uses_scratch && choice.order == nullptr;
}

namespace {

/// Returns whether the value is an algorithm that runs inside of another and sends what it is given
/// in pieces of so many bytes.
bool is_inner_in_pieces(const ParameterValue& value) {
  const auto* const inner = std::get_if<const Algorithm*>(&value);
  if (inner == nullptr) return false;
  const ParameterValues own = default_values(**inner);
  return value_of_kind<Bytes>(own) != nullptr;
}

/// Returns whether the choice's file, if it has one, cuts blocks into segments.
bool is_cut_by_file(const Choice& choice) {
  return choice.schedules != nullptr && !choice.schedules->empty() &&
         !choice.schedules->front().segmentation.leaves_whole();
}

}  // namespace

bool moves_by_size(const Choice& choice) {
  return choice.algorithm->cuts_blocks || is_cut_by_file(choice) ||
         std::ranges::any_of(choice.parameters, is_inner_in_pieces);
}

bool needs_message_time(const Choice& choice) {
  const auto* const time = value_of_kind<MessageTime>(choice.parameters);
  return time != nullptr && !time->given;
}

bool needs_start_time(const Choice& choice) {
  const auto* const time = value_of_kind<StartTime>(choice.parameters);
  return time != nullptr && !time->given;
}

Problem problem_for(const Choice& choice, int ranks) {
  Problem problem{.ranks = ranks, .parameters = choice.parameters, .reorder = choice.order};
  problem.from_file = choice.schedules.get();
  const auto* const time = value_of_kind<MessageTime>(choice.parameters);
  if (time != nullptr && time->given) {
    problem.message_us = static_cast<double>(time->given->count()) / 1000;
  }
  const auto* const start = value_of_kind<StartTime>(choice.parameters);
  if (start != nullptr && start->given) {
    problem.start_us = static_cast<double>(start->given->count()) / 1000;
  }
  return problem;
}

}  // namespace gatherbench::algorithms
