// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/shared_links.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "algorithms/messages/message_count.h"
#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/topology/network.h"

namespace gatherbench::cost {
namespace {

messages::TransferBytes bytes_of(const algorithms::Algorithm& algorithm,
                                 const algorithms::Problem& problem,
                                 const algorithms::Segmentation& segmentation) {
  const int blocks = algorithm.kind->blocks(problem.ranks);
  if (problem.counts_blocks() && !algorithm.cuts_blocks) return messages::TransferBytes(blocks);
  return {messages::sizes_of(problem, blocks), segmentation};
}

/// Bytes on each directed link, in one step, over its speed.
class Loads {
 public:
  Loads(const algorithms::Problem& problem, const HostSpeeds& within)
      : paths_(*problem.network, problem.host, within),
        bytes_(static_cast<std::size_t>(paths_.links()), 0) {}

  void add(int from, int to, std::int64_t bytes) {
    const std::size_t first = used_.size();
    paths_.add_links(from, to, used_);
    for (std::size_t i = first; i < used_.size(); ++i) {
      const auto index = static_cast<std::size_t>(used_[i]);
      bytes_[index] += bytes;
      most_ = std::max(most_, static_cast<double>(bytes_[index]) / paths_.speed(used_[i]));
    }
  }
  /// The most loaded one's; then all are empty again.
  double take_most() {
    for (const int link : used_) bytes_[static_cast<std::size_t>(link)] = 0;
    used_.clear();
    return std::exchange(most_, 0.0);
  }

 private:
  Paths paths_;
  std::vector<std::int64_t> bytes_;  // of each link
  std::vector<int> used_;
  double most_ = 0;
};

/// The schedules of all ranks, made once where they are alike.
class AllSchedules {
 public:
  AllSchedules(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem)
      : symmetry_(is_alike(problem) ? algorithm.symmetry : algorithms::Symmetry::none),
        ranks_(problem.ranks) {
    if (symmetry_ == algorithms::Symmetry::none) {
      schedules_ = algorithms::make_schedules(algorithm, problem);
    } else {
      algorithms::Problem first = problem;
      first.rank = 0;
      schedules_ = {algorithms::make_schedule(algorithm, first)};
    }
  }
  [[nodiscard]] const algorithms::Schedule& of(int rank) const {
    return schedules_[schedules_.size() == 1 ? 0 : static_cast<std::size_t>(rank)];
  }
  /// The peer of a rank, as its schedule has it.
  [[nodiscard]] int peer(int rank, int in_schedule) const {
    switch (symmetry_) {
      case algorithms::Symmetry::none:
        return in_schedule;
      case algorithms::Symmetry::shift:
        return (in_schedule + rank) % ranks_;
      case algorithms::Symmetry::bitwise_xor:
        return in_schedule ^ rank;
    }
    return in_schedule;
  }
  [[nodiscard]] std::size_t steps() const {
    std::size_t most = 0;
    for (const algorithms::Schedule& each : schedules_) most = std::max(most, each.steps());
    return most;
  }

 private:
  static bool is_alike(const algorithms::Problem& problem) {
    return problem.reorder == nullptr &&
           std::ranges::adjacent_find(problem.block_bytes, std::ranges::not_equal_to()) ==
               problem.block_bytes.end();
  }

  algorithms::Symmetry symmetry_;
  int ranks_;
  std::vector<algorithms::Schedule> schedules_;
};

/// What a rank begins in a step, in one direction.
struct StartUps {
  std::int64_t messages = 0;
  std::int64_t copies = 0;

  /// The longer ones; of those that take as long, more copies.
  void raise_to(const StartUps& other, const StartUpTimes& times) {
    const auto length = [&](const StartUps& one) {
      const auto further = static_cast<double>(std::max<std::int64_t>(one.messages - 1, 0));
      const double of_messages = (one.messages > 0 ? times.message : 0) + further * times.further;
      return of_messages + static_cast<double>(one.copies) * times.copy;
    };
    if (std::pair(length(other), other.copies) > std::pair(length(*this), copies)) *this = other;
  }
};

class StartUpCounter {
 public:
  StartUpCounter(const AllSchedules& schedules, const messages::TransferBytes& scale,
                 std::span<const int> host, bool packs, algorithms::Via via)
      : schedules_(schedules), scale_(scale), host_(host), packs_(packs), via_(via) {}

  [[nodiscard]] StartUps of(int rank, const algorithms::TransferList::Transfers& transfers) const {
    StartUps found;
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const int peer = schedules_.peer(rank, transfers[i].peer);
      if (is_copied(via_, host_, rank, peer, scale_.of(transfers[i]))) {
        ++found.copies;
      } else {
        found.messages +=
            packs_ ? 1 : messages::count_cyclic_messages(transfers[i], scale_.segments());
      }
    }
    return found;
  }

 private:
  const AllSchedules& schedules_;
  const messages::TransferBytes& scale_;
  std::span<const int> host_;
  bool packs_;
  algorithms::Via via_;
};

}  // namespace

SharedLinks shared_links(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                         const HostSpeeds& within, algorithms::Via via, const StartUpTimes& times) {
  const AllSchedules schedules(algorithm, problem);
  const messages::TransferBytes scale = bytes_of(algorithm, problem, schedules.of(0).segmentation);
  const std::size_t steps = schedules.steps();
  const StartUpCounter counter(schedules, scale, problem.host, algorithm.kind->packs, via);
  SharedLinks sum;
  Loads loads(problem, within);
  for (std::size_t s = 0; s < steps; ++s) {
    StartUps most;
    for (int rank = 0; rank < problem.ranks; ++rank) {
      if (s >= schedules.of(rank).steps()) continue;
      const algorithms::Step step = schedules.of(rank).step(s);
      most.raise_to(counter.of(rank, step.sends), times);
      most.raise_to(counter.of(rank, step.receives), times);
      for (std::size_t i = 0; i < step.sends.size(); ++i) {
        loads.add(rank, schedules.peer(rank, step.sends[i].peer), scale.of(step.sends[i]));
      }
    }
    if (most.messages > 0 || most.copies == 0) ++sum.steps;
    sum.further_messages += std::max<std::int64_t>(most.messages - 1, 0);
    sum.copies += most.copies;
    sum.bytes += loads.take_most();
  }
  return sum;
}

double contention_seconds(const SharedLinks& use, const ContentionModel& model, double scale,
                          const HostWindow& window) {
  const double start_ups =
      static_cast<double>(use.steps) + model.further * static_cast<double>(use.further_messages);
  return start_ups * model.alpha + static_cast<double>(use.copies) * window.alpha +
         use.bytes * scale / model.bandwidth;
}

}  // namespace gatherbench::cost
