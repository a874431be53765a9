// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {

bool computes(const Algorithm& algorithm, const collectives::Collective& collective) {
  return algorithm.kind == nullptr || algorithm.kind == collective.kind;
}

Schedule make_schedule(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.order == nullptr || !problem.order.empty()) return algorithm.schedule(problem);
  const std::vector<int> order = algorithm.order(problem);
  Problem ordered = problem;
  ordered.order = order;
  return algorithm.schedule(ordered);
}

std::vector<Schedule> make_schedules(const Algorithm& algorithm, Problem problem) {
  if (algorithm.all_schedules != nullptr) return algorithm.all_schedules(problem);
  std::vector<int> order;
  if (algorithm.order != nullptr) order = algorithm.order(problem);
  problem.order = order;
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(problem.ranks));
  for (problem.rank = 0; problem.rank < problem.ranks; ++problem.rank) {
    schedules.push_back(algorithm.schedule(problem));
  }
  return schedules;
}

std::string reason_unusable(const Algorithm& algorithm, const Problem& problem) {
  return algorithm.needs ? algorithm.needs->reason_unusable(problem) : std::string();
}

std::string_view needs_text(const Algorithm& algorithm) {
  return algorithm.needs ? algorithm.needs->text : "any p";
}

ParameterValue default_value(const Algorithm& algorithm) {
  return algorithm.parameter ? algorithm.parameter->default_value : ParameterValue();
}

}  // namespace gatherbench::algorithms
