// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/shared_links.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "analysis/transfer_bytes.h"
#include "topology/switch_tree.h"

namespace gatherbench::analysis {
namespace {

TransferBytes bytes_of(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                       const algorithms::Segmentation& segmentation) {
  if (problem.block_bytes.empty()) return TransferBytes(algorithm.kind->blocks(problem.ranks));
  return {problem.block_bytes, segmentation};
}

/// Bytes on each directed link, in one step.
class Loads {
 public:
  explicit Loads(const algorithms::Problem& problem)
      : problem_(problem), bytes_(static_cast<std::size_t>(problem.switches->links()), 0) {}

  void add(int from, int to, std::int64_t bytes) {
    const int from_host = problem_.host[static_cast<std::size_t>(from)];
    const int to_host = problem_.host[static_cast<std::size_t>(to)];
    problem_.switches->visit_links(from_host, to_host, [&](int link) {
      std::int64_t& load = bytes_[static_cast<std::size_t>(link)];
      load += bytes;
      most_ = std::max(most_, load);
      used_.push_back(link);
    });
  }
  /// The most loaded one's; then all are empty again.
  std::int64_t take_most() {
    for (const int link : used_) bytes_[static_cast<std::size_t>(link)] = 0;
    used_.clear();
    return std::exchange(most_, 0);
  }

 private:
  const algorithms::Problem& problem_;
  std::vector<std::int64_t> bytes_;
  std::vector<int> used_;
  std::int64_t most_ = 0;
};

}  // namespace

SharedLinks shared_links(const algorithms::Algorithm& algorithm,
                         const algorithms::Problem& problem) {
  const std::vector<algorithms::Schedule> schedules =
      algorithms::make_schedules(algorithm, problem);
  const TransferBytes scale = bytes_of(algorithm, problem, schedules.front().segmentation);
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : schedules) steps = std::max(steps, schedule.steps());
  SharedLinks sum{.steps = static_cast<std::int64_t>(steps)};
  Loads loads(problem);
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      if (s >= schedules[rank].steps()) continue;
      const algorithms::TransferList::Transfers sends = schedules[rank].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        loads.add(static_cast<int>(rank), sends[i].peer, scale.of(sends[i]));
      }
    }
    sum.bytes += loads.take_most();
  }
  return sum;
}

double contention_seconds(const SharedLinks& use, const formats::ContentionModel& model,
                          double scale) {
  return static_cast<double>(use.steps) * model.alpha +
         static_cast<double>(use.bytes) * scale / model.bandwidth;
}

}  // namespace gatherbench::analysis
