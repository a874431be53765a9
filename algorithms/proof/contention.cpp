// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/contention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gatherbench::proof {
namespace {

struct Message {
  int from;
  int to;
};

/// The last message on each link, and its step.
class LinkUses {
 public:
  LinkUses(const topology::Network& network, std::span<const int> host_of_rank)
      : network_(network),
        host_of_rank_(host_of_rank),
        uses_(static_cast<std::size_t>(network.links())) {}

  /// A message of the step, which is none before that of the last one. Empty, or which link
  /// carries another one of that step.
  std::string add(std::size_t step, const Message& message) {
    path_.clear();
    network_.add_links(host_of(message.from), host_of(message.to), path_);
    std::string fault;
    for (const int link : path_) {
      Use& use = uses_[static_cast<std::size_t>(link)];
      if (use.step == step && fault.empty()) {
        const auto [from, to] = network_.link_ends(link);
        fault = fmt::format("step {}: link {} -> {} carries rank {} to {} and rank {} to {}", step,
                            from, to, use.message.from, use.message.to, message.from, message.to);
      }
      use = {step, message};
    }
    return fault;
  }

 private:
  struct Use {
    std::size_t step = static_cast<std::size_t>(-1);
    Message message{};
  };
  [[nodiscard]] int host_of(int rank) const {
    return host_of_rank_[static_cast<std::size_t>(rank)];
  }

  const topology::Network& network_;
  std::span<const int> host_of_rank_;
  std::vector<Use> uses_;
  std::vector<int> path_;
};

}  // namespace

std::string contention(const topology::Network& network, std::span<const int> host_of_rank,
                       std::span<const algorithms::Schedule> schedules) {
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : schedules) steps = std::max(steps, schedule.steps());
  LinkUses uses(network, host_of_rank);
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      if (s >= schedules[rank].steps()) continue;
      for (const algorithms::Transfer send : schedules[rank].step(s).sends) {
        if (send.blocks.empty()) continue;  // a token has no bytes
        std::string fault = uses.add(s, {static_cast<int>(rank), send.peer});
        if (!fault.empty()) return fault;
      }
    }
  }
  return {};
}

}  // namespace gatherbench::proof
