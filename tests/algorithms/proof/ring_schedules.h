// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "algorithms/schedule.h"
#include "tests/algorithms/topology/random_trees.h"

namespace gatherbench::proof {

/// The first `steps` steps of the ring algorithm with the ranks in this order around the ring.
inline std::vector<algorithms::Schedule> ring_schedules(std::span<const int> order,
                                                        std::size_t steps) {
  const std::size_t ranks = order.size();
  std::vector<algorithms::Schedule> schedules(ranks);
  for (std::size_t i = 0; i < ranks; ++i) {
    algorithms::Schedule& schedule = schedules[static_cast<std::size_t>(order[i])];
    for (std::size_t s = 0; s < steps; ++s) {
      schedule.begin_step();
      schedule.send(order[(i + 1) % ranks], {order[(i + ranks - s) % ranks], 1});
      schedule.receive(order[(i + ranks - 1) % ranks], {order[(i + 2 * ranks - s - 1) % ranks], 1});
    }
  }
  return schedules;
}

/// Ranks on hosts, 1 to `most` a host, numbered at random.
struct RanksOnHosts {
  std::vector<int> host_of_rank;
  std::vector<int> order;  ///< the ranks, host by host in the order of `ring`
};

inline RanksOnHosts random_ranks(std::mt19937& random, std::span<const int> ring,
                                 std::size_t most) {
  std::vector<int> hosts;  // of the ranks in order around the ring
  for (const int host : ring) hosts.insert(hosts.end(), 1 + topology::draw(random, most), host);
  RanksOnHosts ranks;
  for (std::size_t i = 0; i < hosts.size(); ++i) ranks.order.push_back(static_cast<int>(i));
  topology::shuffle(random, ranks.order);
  ranks.host_of_rank.resize(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    ranks.host_of_rank[static_cast<std::size_t>(ranks.order[i])] = hosts[i];
  }
  return ranks;
}

}  // namespace gatherbench::proof
