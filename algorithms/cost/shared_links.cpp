// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/shared_links.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/symmetry.h"
#include "algorithms/topology/network.h"

namespace gatherbench::cost {
namespace {

messages::TransferBytes bytes_of(const algorithms::Algorithm& algorithm,
                                 const algorithms::Problem& problem,
                                 const algorithms::Segmentation& segmentation) {
  const int blocks = messages::blocks_moved(algorithm, problem.ranks);
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
      bytes_[index] += static_cast<double>(bytes);
      most_ = std::max(most_, bytes_[index] / paths_.speed(used_[i]));
    }
  }
  /// Returns the load of the most loaded link, and empties all links.
  double take_most() {
    for (const int link : used_) bytes_[static_cast<std::size_t>(link)] = 0;
    used_.clear();
    return std::exchange(most_, 0.0);
  }

 private:
  Paths paths_;
  std::vector<double> bytes_;  // of each link; of large blocks they pass 2^63
  std::vector<int> used_;
  double most_ = 0;
};

/// The schedules of all ranks, made once for those that are alike.
class AllSchedules {
 public:
  AllSchedules(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem)
      : alike_(has_equal_blocks(problem) ? algorithms::Representatives::of(algorithm, problem)
                                         : algorithms::Representatives::none(problem.ranks)) {
    if (alike_.count() == problem.ranks) {
      schedules_ = algorithms::make_schedules(algorithm, problem);
      return;
    }
    const algorithms::ScheduleMaker maker(algorithm, problem);
    for (int rank = 0; rank < alike_.count(); ++rank) schedules_.push_back(maker.of_rank(rank));
  }
  [[nodiscard]] const algorithms::Schedule& of(int rank) const {
    return schedules_[static_cast<std::size_t>(alike_.of(rank))];
  }
  /// Returns the rank's own peer for the one in its schedule, which may be made for another rank.
  [[nodiscard]] int peer(int rank, int in_schedule) const { return alike_.peer(rank, in_schedule); }
  [[nodiscard]] std::size_t steps() const {
    std::size_t most = 0;
    for (const algorithms::Schedule& each : schedules_) most = std::max(most, each.steps());
    return most;
  }

 private:
  static bool has_equal_blocks(const algorithms::Problem& problem) {
    return std::ranges::adjacent_find(problem.block_bytes, std::ranges::not_equal_to()) ==
           problem.block_bytes.end();
  }

  algorithms::Representatives alike_;
  std::vector<algorithms::Schedule> schedules_;
};

/// The messages and copies that a rank begins in a step, in one direction.
struct StartUps {
  std::int64_t messages = 0;
  std::int64_t copies = 0;

  /// Returns true if these take longer than the others, or as long with more copies.
  [[nodiscard]] bool is_longer(const StartUps& other, const StartUpTimes& times) const {
    const auto length = [&times](const StartUps& one) {
      SharedLinks step;
      step.add_step(one.messages, one.copies);
      return std::pair(step.start_ups(times), one.copies);
    };
    return length(*this) > length(other);
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

void SharedLinks::add_step(std::int64_t messages, std::int64_t copies) {
  const bool only_copies = messages == 0 && copies > 0;
  (only_copies ? steps_of_copies : steps) += 1;
  further_messages += std::max<std::int64_t>(messages - 1, 0);
  further_copies += only_copies ? copies - 1 : copies;
}

double SharedLinks::start_ups(const StartUpTimes& times) const {
  const auto with_further = [&times](std::int64_t firsts, std::int64_t further) {
    return static_cast<double>(firsts) + times.further * static_cast<double>(further);
  };
  return with_further(steps, further_messages) * times.message +
         with_further(steps_of_copies, further_copies) * times.copy;
}

SharedLinks shared_links(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                         const HostSpeeds& within, algorithms::Via via, const StartUpTimes& times) {
  const AllSchedules schedules(algorithm, problem);
  const messages::TransferBytes scale = bytes_of(algorithm, problem, schedules.of(0).segmentation);
  const std::size_t steps = schedules.steps();
  const StartUpCounter counter(schedules, scale, problem.host, algorithm.kind->packs, via);
  SharedLinks sum;
  Loads loads(problem, within);
  for (std::size_t s = 0; s < steps; ++s) {
    std::optional<StartUps> most;
    const auto raise_most = [&](int rank, const algorithms::TransferList::Transfers& transfers) {
      if (transfers.empty()) return;
      const StartUps found = counter.of(rank, transfers);
      if (!most || found.is_longer(*most, times)) most = found;
    };
    for (int rank = 0; rank < problem.ranks; ++rank) {
      if (s >= schedules.of(rank).steps()) continue;
      const algorithms::Step step = schedules.of(rank).step(s);
      raise_most(rank, step.sends);
      raise_most(rank, step.receives);
      for (std::size_t i = 0; i < step.sends.size(); ++i) {
        loads.add(rank, schedules.peer(rank, step.sends[i].peer), scale.of(step.sends[i]));
      }
    }
    sum.add_step(most ? most->messages : 0, most ? most->copies : 0);
    sum.bytes += loads.take_most();
  }
  return sum;
}

double contention_seconds(const SharedLinks& use, const ContentionModel& model, double scale,
                          const HostWindow& window) {
  return use.start_ups({model.alpha, window.alpha, model.further}) +
         use.bytes * scale / model.bandwidth;
}

}  // namespace gatherbench::cost
