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

/// The last message on a link, and its step.
struct Use {
  std::size_t step = static_cast<std::size_t>(-1);
  Message message{};
};

}  // namespace

std::string contention(const topology::Network& network, std::span<const int> host_of_rank,
                       std::span<const algorithms::Schedule> schedules) {
  std::vector<Use> uses(static_cast<std::size_t>(network.links()));
  std::size_t steps = 0;
  for (const algorithms::Schedule& schedule : schedules) steps = std::max(steps, schedule.steps());
  std::string fault;
  std::vector<int> path;
  for (std::size_t s = 0; s < steps; ++s) {
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      if (s >= schedules[rank].steps()) continue;
      const algorithms::TransferList::Transfers sends = schedules[rank].step(s).sends;
      for (std::size_t i = 0; i < sends.size(); ++i) {
        if (sends[i].blocks.empty()) continue;  // a token has no bytes
        const Message message{static_cast<int>(rank), sends[i].peer};
        const int to_host = host_of_rank[static_cast<std::size_t>(message.to)];
        path.clear();
        network.add_links(host_of_rank[rank], to_host, path);
        for (const int link : path) {
          Use& use = uses[static_cast<std::size_t>(link)];
          if (use.step == s && fault.empty()) {
            const auto [from, to] = network.link_ends(link);
            fault =
                fmt::format("step {}: link {} -> {} carries rank {} to {} and rank {} to {}", s,
                            from, to, use.message.from, use.message.to, message.from, message.to);
          }
          use = {s, message};
        }
        if (!fault.empty()) return fault;
      }
    }
  }
  return fault;
}

}  // namespace gatherbench::proof
