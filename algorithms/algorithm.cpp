// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "algorithms/order.h"

namespace gatherbench::algorithms {

const Schedules* Algorithm::schedules() const {
  if (const auto* const by_arrivals = std::get_if<ByArrivals>(&how)) return &by_arrivals->schedules;
  if (const auto* const from_file = std::get_if<FromFile>(&how)) return &from_file->schedules;
  return std::get_if<Schedules>(&how);
}

bool Algorithm::calls(LibraryCall call) const {
  const auto* const own = std::get_if<LibraryCall>(&how);
  return own != nullptr && *own == call;
}

bool computes(const Algorithm& algorithm, const collectives::Collective& collective) {
  return algorithm.kind == nullptr || algorithm.kind == collective.kind;
}

bool gathers(const Algorithm& algorithm) {
  return algorithm.kind != nullptr && algorithm.kind->gathers();
}

bool runs_ahead(const Algorithm& algorithm) {
  return algorithm.is<ByArrivals>() && !algorithm.kind->combines;
}

bool takes_order(const Algorithm& algorithm) {
  const Schedules* const schedules = algorithm.schedules();
  return schedules != nullptr && schedules->order == nullptr && gathers(algorithm) &&
         !algorithm.uses_nodes && !algorithm.is<ByArrivals>();
}

namespace {

/// Returns the values of all ranks, or none, from the root's on.
template <typename T>
std::vector<T> counted_from(int root, std::span<const T> of_ranks) {
  std::vector<T> counted(of_ranks.begin(), of_ranks.end());
  // std::ranges::rotate would not do: the fuzzers' clang 14 refuses the subrange of libstdc++ 12.
  if (!counted.empty()) std::rotate(counted.begin(), counted.begin() + root, counted.end());
  return counted;
}

}  // namespace

ScheduleMaker::ScheduleMaker(const Algorithm& algorithm, const Problem& problem)
    : schedules_(*algorithm.schedules()), problem_(problem), seen_(problem) {
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
  if (schedules_.order != nullptr && problem.order.empty()) {
    order_ = schedules_.order(seen_);
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
  return as_asked(schedules_.of_rank(problem));
}

std::vector<Schedule> ScheduleMaker::of_all() const {
  std::vector<Schedule> seen;
  if (schedules_.of_all != nullptr) seen = schedules_.of_all(seen_);
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

/// Returns why it cannot run with an operator that does not commute; none if it can.
std::optional<std::string> why_not_in_order(const Algorithm& algorithm, const Problem& problem) {
  if (!algorithm.keeps_order) return "needs an operator that commutes";
  if (problem.root == 0) return {};
  return fmt::format("needs root 0, or an operator that commutes; root = {}", problem.root);
}

}  // namespace

std::optional<std::string> why_not(const Algorithm& algorithm, const Problem& problem) {
  std::optional<std::string> reason;
  if (problem.reorder != nullptr) reason = why_not(*problem.reorder, problem);
  const bool has_schedule = !algorithm.is<LibraryCall>();
  if (!problem.commutes && has_schedule) reason = why_not_in_order(algorithm, problem);
  if (!reason && algorithm.needs) reason = algorithm.needs->why_not(problem);
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
