// SPDX-License-Identifier: BSD-3-Clause
//
// Topology rings (TSLR): the ring over an order of the ranks in which no link of the switch tree
// carries two blocks at once. The ranks of a host are neighbours.
//   topology_ring          hosts in depth-first order of the switches (Algorithm 1, LR1)
//   topology_ring_two_hop  no block passes more than 2 switches (Algorithm 2, LR2)
//   topology_ring_optimal  the longest path passes the fewest switches that can be (Algorithm
//                          3, LR3)
//
// Steps   p-1, one block each
// Cost    (p-1) (alpha + m/p beta), without contention
// Limits  the switch tree must be known; two_hop: each switch has at least as many hosts as
//         switches next to it; optimal: the switches below one are of few kinds
// Memory  none beside the receive buffer
// Source  Faraj 2006, section 3.3.2
//
//   switches s0 {hosts 0 2}, s1 {hosts 1 3} below s0: the ring 0 -> 2 -> 1 -> 3 -> 0 crosses the
//   link s0-s1 once in each direction; 0 -> 1 -> 2 -> 3 -> 0 would cross it twice.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/order.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/topology/host_rings.h"
#include "algorithms/topology/switch_tree.h"
#include "formats/text/input_error.h"

namespace gatherbench::algorithms {
namespace {

std::vector<int> two_hop_order(const Problem& problem) {
  return ranks_on_hosts(problem, topology::two_hop_ring(*problem.switches(), problem.host));
}
std::vector<int> optimal_order(const Problem& problem) {
  return ranks_on_hosts(problem, topology::optimal_ring(*problem.switches(), problem.host));
}

Schedule topology_ring_schedule(const Problem& problem) {
  const std::span<const int> order = problem.order;
  const std::size_t p = order.size();
  const auto own = static_cast<std::size_t>(std::ranges::find(order, problem.rank) - order.begin());
  const int right = order[(own + 1) % p];
  const int left = order[(own + p - 1) % p];
  Schedule schedule;
  schedule.reserve(p - 1, p - 1, p - 1);
  for (std::size_t s = 0; s + 1 < p; ++s) {
    schedule.begin_step();
    schedule.send(right, {order[(own + p - s) % p], 1});
    schedule.receive(left, {order[(own + p - s - 1) % p], 1});
  }
  return schedule;
}

constexpr Needs switch_tree{"a switch tree",
                            [](const Problem& problem) -> std::optional<std::string> {
                              if (problem.switches() != nullptr) return std::nullopt;
                              return "needs a switch tree: --topology FILE";
                            }};

constexpr Needs two_hop_switch_tree{
    "a switch tree with hosts on all switches", [](const Problem& problem) {
      const auto why = switch_tree.why_not(problem);
      return why ? why : topology::why_not_in_two_hops(*problem.switches(), problem.host);
    }};

/// Returns why there is no optimal ring: the tree may have too many kinds of switches to find it.
std::optional<std::string> why_no_optimal_ring(const Problem& problem) {
  if (auto why = switch_tree.why_not(problem)) return why;
  try {
    (void)optimal_order(problem);
  } catch (const text::InputError& error) {
    return fmt::format("finds no ring: {}", error.what());
  }
  return std::nullopt;
}

constexpr Needs switch_tree_of_few_kinds{"a switch tree", why_no_optimal_ring};

constexpr Algorithm over_hosts(std::string_view name, std::string_view summary,
                               std::string_view source, const Needs& needs, RankOrder* order) {
  return {.name = name,
          .summary = summary,
          .source = source,
          .needs = needs,
          .contention_free = true,
          .can_be_phase = true,
          .growth = Growth::linear,
          .steps = formulas::p_minus_1,
          .messages = formulas::each_block_once,
          .bytes = formulas::all_bytes,
          .how = Schedules{.of_rank = topology_ring_schedule, .order = order}};
}

}  // namespace

extern constinit const Algorithm topology_ring =
    over_hosts("topology_ring", "ring over the hosts in depth-first order of the switches",
               "Faraj 2006, 3.3.2, Algorithm 1", switch_tree, depth_first_order);

extern constinit const Algorithm topology_ring_two_hop =
    over_hosts("topology_ring_two_hop", "the ring that never passes more than two switches",
               "Faraj 2006, 3.3.2, Algorithm 2", two_hop_switch_tree, two_hop_order);

extern constinit const Algorithm topology_ring_optimal =
    over_hosts("topology_ring_optimal", "the ring whose longest path passes the fewest switches",
               "Faraj 2006, 3.3.2, Algorithm 3", switch_tree_of_few_kinds, optimal_order);

}  // namespace gatherbench::algorithms
