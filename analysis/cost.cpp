// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/cost.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "algorithms/segments.h"
#include "topology/switch_tree.h"

namespace gatherbench::analysis {
namespace {

/// Counts the bytes of transfers.
class Scale {
 public:
  Scale(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem) {
    if (problem.block_bytes.empty()) return;
    const algorithms::Schedule any = algorithms::make_schedule(algorithm, problem);
    const algorithms::Segments segments = algorithms::cut(problem.block_bytes, any.segmentation);
    bytes_before_.push_back(0);
    for (const std::int64_t bytes : segments.bytes) {
      bytes_before_.push_back(bytes_before_.back() + bytes);
    }
  }

  [[nodiscard]] std::int64_t bytes(const algorithms::Transfer& transfer) const {
    std::int64_t sum = 0;
    for (const algorithms::BlockRange& range : transfer.blocks) {
      const auto first = static_cast<std::size_t>(range.first);
      const auto end = first + static_cast<std::size_t>(range.count);
      sum += bytes_before_.empty() ? range.count : bytes_before_[end] - bytes_before_[first];
    }
    return sum;
  }

  [[nodiscard]] std::int64_t bytes(const algorithms::TransferList::Transfers& transfers) const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < transfers.size(); ++i) sum += bytes(transfers[i]);
    return sum;
  }

 private:
  std::vector<std::int64_t> bytes_before_;  // each segment; empty: every block has one byte
};

PortUse port_use(const algorithms::Schedule& schedule, const Scale& scale) {
  PortUse use;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    use.peers += static_cast<std::int64_t>(std::max(step.sends.size(), step.receives.size()));
    use.bytes += std::max(scale.bytes(step.sends), scale.bytes(step.receives));
  }
  return use;
}

/// The problem with its order of ranks made once for all schedules.
class Ordered {
 public:
  Ordered(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem)
      : problem_(problem) {
    if (algorithm.order != nullptr) order_ = algorithm.order(problem);
    problem_.order = order_;
  }
  [[nodiscard]] algorithms::Problem of_rank(int rank) const {
    algorithms::Problem one = problem_;
    one.rank = rank;
    return one;
  }

 private:
  std::vector<int> order_;
  algorithms::Problem problem_;
};

/// Calls visit(peer, bytes) for each peer that the schedule sends to, in any order.
template <typename Visit>
void for_each_peer(const algorithms::Schedule& schedule, const Scale& scale, Visit visit) {
  std::map<int, std::int64_t> sent;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::TransferList::Transfers sends = schedule.step(s).sends;
    for (std::size_t i = 0; i < sends.size(); ++i) sent[sends[i].peer] += scale.bytes(sends[i]);
  }
  for (const auto& [peer, bytes] : sent) visit(peer, bytes);
}

/// Calls visit(from, to, bytes) for each pair of ranks between which something is sent.
template <typename Visit>
void for_each_pair(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                   Visit visit) {
  const Scale scale(algorithm, problem);
  const Ordered ordered(algorithm, problem);
  const int p = problem.ranks;
  if (algorithm.symmetry == algorithms::Symmetry::none) {
    for (int rank = 0; rank < p; ++rank) {
      for_each_peer(algorithm.schedule(ordered.of_rank(rank)), scale,
                    [&](int peer, std::int64_t bytes) { visit(rank, peer, bytes); });
    }
    return;
  }
  for_each_peer(algorithm.schedule(ordered.of_rank(0)), scale, [&](int peer, std::int64_t bytes) {
    if (algorithm.symmetry == algorithms::Symmetry::bitwise_xor) {
      for (int rank = 0; rank < p; ++rank) visit(rank, rank ^ peer, bytes);
    } else {
      for (int rank = 0; rank < p - peer; ++rank) visit(rank, rank + peer, bytes);
      for (int rank = p - peer; rank < p; ++rank) visit(rank, rank + peer - p, bytes);
    }
  });
}

}  // namespace

std::vector<PortUse> port_uses(const algorithms::Algorithm& algorithm,
                               const algorithms::Problem& problem) {
  const Scale scale(algorithm, problem);
  const Ordered ordered(algorithm, problem);
  const int representatives = algorithm.symmetry == algorithms::Symmetry::none ? problem.ranks : 1;
  std::vector<PortUse> uses;
  for (int rank = 0; rank < representatives; ++rank) {
    const PortUse use = port_use(algorithm.schedule(ordered.of_rank(rank)), scale);
    if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
  }
  return uses;
}

double hockney_seconds(std::span<const PortUse> uses, const Hockney& model, double scale) {
  double longest = 0;
  for (const PortUse& use : uses) {
    longest = std::max(longest, static_cast<double>(use.peers) * model.alpha +
                                    static_cast<double>(use.bytes) * scale * model.beta);
  }
  return longest;
}

std::int64_t hop_bytes(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                       std::span<const int> machine) {
  std::int64_t sum = 0;
  for_each_pair(algorithm, problem, [&](int from, int to, std::int64_t bytes) {
    sum += bytes * std::abs(machine[static_cast<std::size_t>(from)] -
                            machine[static_cast<std::size_t>(to)]);
  });
  return sum;
}

std::int64_t most_loaded_link_bytes(const algorithms::Algorithm& algorithm,
                                    const algorithms::Problem& problem) {
  const topology::SwitchTree& tree = *problem.switches;
  std::vector<std::int64_t> loads(static_cast<std::size_t>(tree.links()), 0);
  for_each_pair(algorithm, problem, [&](int from, int to, std::int64_t bytes) {
    const int from_host = problem.host[static_cast<std::size_t>(from)];
    const int to_host = problem.host[static_cast<std::size_t>(to)];
    tree.visit_links(from_host, to_host,
                     [&](int link) { loads[static_cast<std::size_t>(link)] += bytes; });
  });
  return loads.empty() ? 0 : std::ranges::max(loads);
}

}  // namespace gatherbench::analysis
