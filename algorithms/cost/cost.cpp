// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/cost/cost.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <map>

#include "algorithms/messages/transfer_bytes.h"
#include "algorithms/symmetry.h"
#include "algorithms/topology/network.h"

namespace gatherbench::cost {
namespace {

/// Returns the blocks' bytes; without block sizes every block has one byte.
messages::TransferBytes scale_of(const algorithms::Algorithm& algorithm,
                                 const algorithms::Problem& problem) {
  const int blocks = messages::blocks_moved(algorithm, problem.ranks);
  if (problem.counts_blocks() && !algorithm.cuts_blocks) return messages::TransferBytes(blocks);
  return {messages::sizes_of(problem, blocks),
          algorithms::make_schedule(algorithm, problem).segmentation};
}

/// Returns the use of one direction in a step.
PortUse direction_use(const algorithms::TransferList::Transfers& transfers,
                      const messages::TransferBytes& scale, int scratch_first_block,
                      std::int64_t most_runs) {
  PortUse use;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    ++use.peers;
    const std::int64_t runs =
        messages::count_messages(transfers[i], scratch_first_block, scale.segments());
    use.further_messages += (runs - 1) / most_runs;
    const auto bytes = static_cast<double>(scale.of(transfers[i]));
    use.bytes += bytes;
    if (transfers[i].incoming != algorithms::Incoming::store) use.combined_bytes += bytes;
  }
  return use;
}

PortUse port_use(const algorithms::Schedule& schedule, const messages::TransferBytes& scale,
                 std::int64_t most_runs) {
  PortUse sum{.combined_bytes = static_cast<double>(scale.combined_at_end(schedule))};
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::Step step = schedule.step(s);
    const PortUse out = direction_use(step.sends, scale, schedule.scratch_first_block, most_runs);
    const PortUse in = direction_use(step.receives, scale, schedule.scratch_first_block, most_runs);
    sum.peers += std::max(out.peers, in.peers);
    sum.further_messages += std::max(out.further_messages, in.further_messages);
    sum.bytes += std::max(out.bytes, in.bytes);
    sum.combined_bytes += in.combined_bytes;
  }
  return sum;
}

/// Prices of one rank's transfers and their combining, in seconds, where copies and messages
/// differ.
class WindowPrices {
 public:
  WindowPrices(const Hockney& model, const HostWindow& window, std::span<const int> node,
               const messages::TransferBytes& scale, std::int64_t most_runs)
      : model_(model), window_(window), node_(node), scale_(scale), most_runs_(most_runs) {}

  [[nodiscard]] double of(int rank, const algorithms::Schedule& schedule) const {
    double sum = static_cast<double>(scale_.combined_at_end(schedule)) * model_.gamma;
    for (std::size_t s = 0; s < schedule.steps(); ++s) {
      const algorithms::Step step = schedule.step(s);
      const int first_block = schedule.scratch_first_block;
      sum += std::max(of_direction(rank, step.sends, first_block),
                      of_direction(rank, step.receives, first_block));
      for (const algorithms::Transfer transfer : step.receives) {
        if (transfer.incoming == algorithms::Incoming::store) continue;
        sum += static_cast<double>(scale_.of(transfer)) * model_.gamma;
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] double of_direction(int rank, const algorithms::TransferList::Transfers& transfers,
                                    int first_block) const {
    double sum = 0;
    for (const algorithms::Transfer transfer : transfers) {
      const std::int64_t bytes = scale_.of(transfer);
      if (is_copied(algorithms::Via::window, node_, rank, transfer.peer, bytes)) {
        sum += window_.alpha + static_cast<double>(bytes) / window_.bandwidth;
        continue;
      }
      const std::int64_t runs = messages::count_messages(transfer, first_block, scale_.segments());
      const std::int64_t further = (runs - 1) / most_runs_;
      sum += model_.alpha + static_cast<double>(further) * model_.tau +
             static_cast<double>(bytes) * model_.beta;
    }
    return sum;
  }

  const Hockney& model_;
  const HostWindow& window_;
  std::span<const int> node_;
  const messages::TransferBytes& scale_;
  std::int64_t most_runs_;
};

bool equal_blocks(const algorithms::Problem& problem) {
  return std::ranges::adjacent_find(problem.block_bytes, std::ranges::not_equal_to()) ==
         problem.block_bytes.end();
}

algorithms::Representatives representatives_of(const algorithms::Algorithm& algorithm,
                                               const algorithms::Problem& problem) {
  return equal_blocks(problem) ? algorithms::Representatives::of(algorithm, problem)
                               : algorithms::Representatives::none(problem.ranks);
}

/// Calls visit(peer, bytes) for each peer that the schedule sends to, in any order.
template <typename Visit>
void for_each_peer(const algorithms::Schedule& schedule, const messages::TransferBytes& scale,
                   Visit visit) {
  std::map<int, double> sent;
  for (std::size_t s = 0; s < schedule.steps(); ++s) {
    const algorithms::TransferList::Transfers sends = schedule.step(s).sends;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      sent[sends[i].peer] += static_cast<double>(scale.of(sends[i]));
    }
  }
  for (const auto& [peer, bytes] : sent) visit(peer, bytes);
}

/// Calls visit(from, to, bytes) for each pair of ranks between which something is sent.
template <typename Visit>
void for_each_pair(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                   Visit visit) {
  const messages::TransferBytes scale = scale_of(algorithm, problem);
  const algorithms::ScheduleMaker schedules(algorithm, problem);
  const algorithms::Representatives alike = representatives_of(algorithm, problem);
  for (int first = 0; first < alike.count(); ++first) {
    for_each_peer(schedules.of_rank(first), scale, [&](int peer, double bytes) {
      for (int rank = first; rank < problem.ranks; rank += alike.count()) {
        visit(rank, alike.peer(rank, peer), bytes);
      }
    });
  }
}

}  // namespace

std::vector<PortUse> port_uses(const algorithms::Algorithm& algorithm,
                               const algorithms::Problem& given, bool further_messages,
                               std::int64_t most_runs) {
  further_messages = further_messages && !algorithm.kind->packs;
  algorithms::Problem problem = given;
  // Ranks that change places with equal blocks use their ports as before.
  if (equal_blocks(problem) && !further_messages) problem.reorder = nullptr;
  const messages::TransferBytes scale = scale_of(algorithm, problem);
  const algorithms::ScheduleMaker schedules(algorithm, problem);
  const int representatives =
      further_messages ? problem.ranks : representatives_of(algorithm, problem).count();
  std::vector<PortUse> uses;
  for (int rank = 0; rank < representatives; ++rank) {
    PortUse use = port_use(schedules.of_rank(rank), scale, most_runs);
    if (!further_messages) use.further_messages = 0;
    if (std::ranges::find(uses, use) == uses.end()) uses.push_back(use);
  }
  return uses;
}

double hockney_seconds(std::span<const PortUse> uses, const Hockney& model, double scale) {
  double longest = 0;
  for (const PortUse& use : uses) {
    longest = std::max(longest, static_cast<double>(use.peers) * model.alpha +
                                    static_cast<double>(use.further_messages) * model.tau +
                                    use.bytes * scale * model.beta +
                                    use.combined_bytes * scale * model.gamma);
  }
  return longest;
}

double hockney_window_seconds(const algorithms::Algorithm& algorithm,
                              const algorithms::Problem& problem, const Hockney& model,
                              const HostWindow& window, std::int64_t most_runs) {
  const messages::TransferBytes scale = scale_of(algorithm, problem);
  const algorithms::ScheduleMaker schedules(algorithm, problem);
  const bool packs = algorithm.kind->packs;
  const WindowPrices prices(model, window, problem.node, scale,
                            packs ? std::numeric_limits<std::int64_t>::max() : most_runs);
  double longest = 0;
  for (int rank = 0; rank < problem.ranks; ++rank) {
    longest = std::max(longest, prices.of(rank, schedules.of_rank(rank)));
  }
  return longest;
}

double hockney_bound_seconds(int ranks, double received_bytes, const Hockney& model) {
  const auto steps = static_cast<double>(std::bit_width(static_cast<unsigned>(ranks - 1)));
  return steps * model.alpha + received_bytes * model.beta;
}

double hop_bytes(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem,
                 std::span<const int> node) {
  double sum = 0;
  for_each_pair(algorithm, problem, [&](int from, int to, double bytes) {
    sum +=
        bytes * std::abs(node[static_cast<std::size_t>(from)] - node[static_cast<std::size_t>(to)]);
  });
  return sum;
}

double maximum_link_bytes(const algorithms::Algorithm& algorithm,
                          const algorithms::Problem& problem) {
  const topology::Network& network = *problem.network;
  std::vector<double> loads(static_cast<std::size_t>(network.links()), 0);
  std::vector<int> path;
  for_each_pair(algorithm, problem, [&](int from, int to, double bytes) {
    const int from_host = problem.host[static_cast<std::size_t>(from)];
    const int to_host = problem.host[static_cast<std::size_t>(to)];
    path.clear();
    network.add_links(from_host, to_host, path);
    for (const int link : path) loads[static_cast<std::size_t>(link)] += bytes;
  });
  return loads.empty() ? 0 : std::ranges::max(loads);
}

}  // namespace gatherbench::cost
