// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/order.h"

namespace gatherbench::algorithms {

bool computes(const Algorithm& algorithm, const collectives::Collective& collective) {
  return algorithm.kind == nullptr || algorithm.kind == collective.kind;
}

bool gathers(const Algorithm& algorithm) {
  return algorithm.kind != nullptr && algorithm.kind->gathers();
}

bool runs_ahead(const Algorithm& algorithm) {
  return algorithm.uses_arrivals && !algorithm.kind->combines;
}

bool takes_order(const Algorithm& algorithm) {
  return algorithm.schedule != nullptr && gathers(algorithm) && algorithm.order == nullptr &&
         !algorithm.uses_nodes && !algorithm.uses_arrivals;
}

namespace {

/// Those of all ranks, or none, from the root's on.
template <typename T>
std::vector<T> counted_from(int root, std::span<const T> of_ranks) {
  std::vector<T> counted(of_ranks.begin(), of_ranks.end());
  // Not std::ranges::rotate: the fuzzers' clang 14 refuses the subrange of libstdc++ 12.
  if (!counted.empty()) std::rotate(counted.begin(), counted.begin() + root, counted.end());
  return counted;
}

}  // namespace

ScheduleMaker::ScheduleMaker(const Algorithm& algorithm, const Problem& problem)
    : algorithm_(algorithm), problem_(problem), seen_(problem) {
  if (problem.reorder != nullptr) {
    order_ = problem.reorder->ranks(problem);
    position_.resize(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) {
      position_[static_cast<std::size_t>(order_[k])] = static_cast<int>(k);
      if (!problem.block_bytes.empty()) block_bytes_.push_back(problem.bytes(order_[k]));
    }
    seen_.reorder = nullptr;
    seen_.block_bytes = block_bytes_;
    seen_.node = {};
    seen_.network = nullptr;
    seen_.host = {};
    return;
  }
  if (problem.root != 0) {
    seen_.root = 0;
    seen_.node = node_ = counted_from(problem.root, problem.node);
    seen_.host = host_ = counted_from(problem.root, problem.host);
    seen_.arrival_us = arrival_us_ = counted_from(problem.root, problem.arrival_us);
  }
  if (algorithm.order != nullptr && problem.order.empty()) {
    order_ = algorithm.order(seen_);
    seen_.order = order_;
  }
}

int ScheduleMaker::place_of(int rank) const {
  return position_.empty() ? collectives::distance_from(problem_.root, rank, problem_.ranks)
                           : position_[static_cast<std::size_t>(rank)];
}

Schedule ScheduleMaker::as_asked(Schedule seen) const {
  if (!seen.segmentation.leaves_whole()) seen.segmentation.unit = problem_.element_bytes;
  if (!position_.empty()) return in_order(seen, order_, problem_);
  return problem_.root == 0 ? std::move(seen) : from_root(seen, problem_.root, problem_.ranks);
}

Schedule ScheduleMaker::of_rank(int rank) const {
  Problem problem = seen_;
  problem.rank = place_of(rank);
  return as_asked(algorithm_.schedule(problem));
}

std::vector<Schedule> ScheduleMaker::of_all() const {
  std::vector<Schedule> seen;
  if (algorithm_.all_schedules != nullptr) seen = algorithm_.all_schedules(seen_);
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(problem_.ranks));
  for (int rank = 0; rank < problem_.ranks; ++rank) {
    schedules.push_back(seen.empty()
                            ? of_rank(rank)
                            : as_asked(std::move(seen[static_cast<std::size_t>(place_of(rank))])));
  }
  return schedules;
}

Schedule make_schedule(const Algorithm& algorithm, const Problem& problem) {
  return ScheduleMaker(algorithm, problem).of_rank(problem.rank);
}

std::vector<Schedule> make_schedules(const Algorithm& algorithm, const Problem& problem) {
  return ScheduleMaker(algorithm, problem).of_all();
}

namespace {

/// Of an operator that does not commute.
std::string reason_out_of_order(const Algorithm& algorithm, const Problem& problem) {
  if (!algorithm.keeps_order) return "needs an operator that commutes";
  if (problem.root == 0) return {};
  return fmt::format("needs root 0, or an operator that commutes; root = {}", problem.root);
}

}  // namespace

std::string reason_unusable(const Algorithm& algorithm, const Problem& problem) {
  std::string reason;
  if (problem.reorder != nullptr) reason = reason_unusable(*problem.reorder, problem);
  const bool has_schedule = algorithm.library_call == LibraryCall::none;
  if (!problem.commutes && has_schedule) reason = reason_out_of_order(algorithm, problem);
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
