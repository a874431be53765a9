// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithm.h"

#include <algorithm>

#include "algorithms/order.h"

namespace gatherbench::algorithms {

bool computes(const Algorithm& algorithm, const collectives::Collective& collective) {
  return algorithm.kind == nullptr || algorithm.kind == collective.kind;
}

bool takes_order(const Algorithm& algorithm) {
  return algorithm.schedule != nullptr && algorithm.kind == &collectives::allgather &&
         algorithm.order == nullptr && !algorithm.uses_nodes && !algorithm.uses_arrivals;
}

ScheduleMaker::ScheduleMaker(const Algorithm& algorithm, const Problem& problem)
    : algorithm_(algorithm), problem_(problem) {
  if (problem.reorder != nullptr) {
    order_ = problem.reorder->ranks(problem);
    position_.resize(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
      position_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
      if (!problem.block_bytes.empty()) block_bytes_.push_back(problem.bytes(order_[k]));
    }
  } else if (algorithm.order != nullptr && problem.order.empty()) {
    order_ = algorithm.order(problem);
    problem_.order = order_;
  }
}

Problem ScheduleMaker::flat() const {
  Problem problem = problem_;
  problem.reorder = nullptr;
  problem.block_bytes = block_bytes_;
  problem.node = {};
  problem.network = nullptr;
  problem.host = {};
  return problem;
}

Schedule ScheduleMaker::of_rank(int rank) const {
  Problem problem = position_.empty() ? problem_ : flat();
  problem.rank = position_.empty() ? rank : position_[static_cast<std::size_t>(rank)];
  Schedule schedule = algorithm_.schedule(problem);
  return position_.empty() ? schedule : in_order(schedule, order_, problem_);
}

std::vector<Schedule> ScheduleMaker::of_all() const {
  std::vector<Schedule> schedules;
  if (algorithm_.all_schedules != nullptr) {
    if (position_.empty()) return algorithm_.all_schedules(problem_);
    const std::vector<Schedule> all = algorithm_.all_schedules(flat());
    for (const int position : position_) {
      schedules.push_back(in_order(all[static_cast<std::size_t>(position)], order_, problem_));
    }
    return schedules;
  }
  schedules.reserve(static_cast<std::size_t>(problem_.ranks));
  for (int rank = 0; rank < problem_.ranks; ++rank) schedules.push_back(of_rank(rank));
  return schedules;
}

Schedule make_schedule(const Algorithm& algorithm, const Problem& problem) {
  return ScheduleMaker(algorithm, problem).of_rank(problem.rank);
}

std::vector<Schedule> make_schedules(const Algorithm& algorithm, const Problem& problem) {
  return ScheduleMaker(algorithm, problem).of_all();
}

std::string reason_unusable(const Algorithm& algorithm, const Problem& problem) {
  std::string reason;
  if (problem.reorder != nullptr) reason = reason_unusable(*problem.reorder, problem);
  if (reason.empty() && algorithm.needs) reason = algorithm.needs->reason_unusable(problem);
  return reason;
}

std::string_view needs_text(const Algorithm& algorithm) {
  return algorithm.needs ? algorithm.needs->text : "any p";
}

ParameterValues default_values(const Algorithm& algorithm) {
  ParameterValues values;
  std::ranges::transform(algorithm.parameters, values.begin(), &Parameter::default_value);
  return values;
}

}  // namespace gatherbench::algorithms
