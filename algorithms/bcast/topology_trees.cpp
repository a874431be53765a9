// SPDX-License-Identifier: BSD-3-Clause
//
// Contention-free pipelined trees: a block goes in segments down a tree of ranks in which no two
// ranks send over one link of the switch tree in one direction. The ranks of a host are neighbours.
//   topology_linear  hosts in depth-first order of the switches from the root's (Algorithm 4)
//   topology_binary  a binary tree over that order, of the least height found (Algorithm 5)
//
// Steps   X = ceil(m/segment) segments: X+p-2 in all for topology_linear, 2(X+H-1) for
//         topology_binary of height H; a rank has its part of these
// Cost    (X+p-2) (alpha + m/X beta), and 2 (X+H-1) (alpha + m/X beta), without contention
// Limits  the switch tree must be known; 2^20 segments; topology_binary 512 ranks, since it looks
//         at p^3/6 trees
// Memory  none beside the block; topology_binary p^2 links / 16 bytes while it looks
// Source  Faraj 2006, section 3.4
//
//   switches s0 {hosts 0 2}, s1 {hosts 1 3} below s0, root 0: 0 > 2 > 1 > 3 crosses the link s0-s1
//   once; 0 > 1 > 2 > 3 would have two ranks send over it.
#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/bcast/tree_place.h"
#include "algorithms/order.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"
#include "algorithms/topology/broadcast_trees.h"

namespace gatherbench::algorithms {
namespace {

constexpr int max_ranks_of_binary = 512;

std::vector<int> order_from_root(const Problem& problem) {
  return ranks_on_hosts(
      problem, topology::depth_first_from(*problem.switches(), problem.host, problem.host.front()));
}

std::size_t position_of(const Problem& problem) {
  return static_cast<std::size_t>(std::ranges::find(problem.order, problem.rank) -
                                  problem.order.begin());
}

Schedule linear(const Problem& problem) {
  const std::size_t own = position_of(problem);
  TreePlace place;
  if (own > 0) place.parent = problem.order[own - 1];
  if (own + 1 < problem.order.size()) place.children = {problem.order[own + 1]};
  return pipelined_broadcast(problem, place);
}

/// Returns the place of each rank.
std::vector<TreePlace> places_in_binary_tree(const Problem& problem) {
  std::vector<int> hosts;
  for (const int rank : problem.order) {
    hosts.push_back(problem.host[static_cast<std::size_t>(rank)]);
  }
  const std::vector<std::vector<int>> children =
      topology::binary_broadcast_tree(*problem.switches(), hosts).children;
  std::vector<TreePlace> places(children.size());
  for (std::size_t position = 0; position < children.size(); ++position) {
    const int rank = problem.order[position];
    for (const int child : children[position]) {
      const int other = problem.order[static_cast<std::size_t>(child)];
      places[static_cast<std::size_t>(rank)].children.push_back(other);
      places[static_cast<std::size_t>(other)].parent = rank;
    }
  }
  return places;
}

Schedule binary(const Problem& problem) {
  return pipelined_broadcast(
      problem, places_in_binary_tree(problem)[static_cast<std::size_t>(problem.rank)]);
}

std::vector<Schedule> binary_of_all(const Problem& problem) {
  const std::vector<TreePlace> places = places_in_binary_tree(problem);
  std::vector<Schedule> schedules;
  Problem one = problem;
  for (one.rank = 0; one.rank < problem.ranks; ++one.rank) {
    schedules.push_back(pipelined_broadcast(one, places[static_cast<std::size_t>(one.rank)]));
  }
  return schedules;
}

std::optional<std::string> why_not_on_switches(const Problem& problem) {
  if (problem.switches() == nullptr) return "needs a switch tree: --topology FILE";
  return why_not_in_segments(problem);
}

}  // namespace

extern constinit const Algorithm bcast_topology_linear =
    tree_row({.name = "topology_linear",
              .summary = "segments from rank to rank, hosts in depth-first order of the switches",
              .source = "Faraj 2006, 3.4, Algorithm 4",
              .needs = Needs{"a switch tree", why_not_on_switches},
              .parameters = {segment_parameter},
              .contention_free = true,
              .steps = Formula{"X+1, X = ceil(m/segment); X if p = 2",
                               [](const Problem& problem) -> Amount {
                                 if (problem.ranks == 1) return 0;
                                 const std::int64_t segments = limits::segments_of_block(problem);
                                 return problem.ranks == 2 ? segments : segments + 1;
                               }},
              .how = Schedules{.of_rank = linear, .order = order_from_root}});

extern constinit const Algorithm bcast_topology_binary = tree_row(
    {.name = "topology_binary",
     .summary = "segments down a binary tree in which no two ranks send over one link",
     .source = "Faraj 2006, 3.4, Algorithm 5",
     .needs = Needs{"a switch tree; <= 512 ranks",
                    [](const Problem& problem) {
                      const auto why = why_not_on_switches(problem);
                      return why ? why
                                 : limits::unless(problem.ranks <= max_ranks_of_binary,
                                                  "512 ranks or fewer", problem);
                    }},
     .parameters = {segment_parameter},
     .contention_free = true,
     .steps = formulas::no_closed_form,
     .how = Schedules{.of_rank = binary, .of_all = binary_of_all, .order = order_from_root}});

}  // namespace gatherbench::algorithms
