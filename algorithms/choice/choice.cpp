// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/choice/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/choice/parameter_text.h"
#include "algorithms/schedule.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::algorithms {

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
  return text;
}

Choice choice_of(const Algorithm& algorithm, Via via) {
  Choice choice{.algorithm = &algorithm, .parameters = default_values(algorithm), .via = via};
  if (via != Via::messages) choice.variant = via_text(via);
  return choice;
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
