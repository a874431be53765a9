// SPDX-License-Identifier: BSD-3-Clause
//
// Locality-aware direct all-gather: the ranks of a node send each other their blocks; then the node
// g sends all its blocks to each other node once, the ranks sharing that work: the rank at place j
// serves the nodes g - d with (d - 1) mod g's ranks = j, all at once; then the ranks of a node send
// each other what came. For any mapping.
//
// Steps   3: on the node, between nodes, on the node
// Cost    3 alpha and at most ceil((N-1)/P) start-ups between nodes, for N nodes of P ranks
// Limits  as many ranks on every node
// Memory  none beside the receive buffer
// Source  loc_p2p of MPI Advance; Bienz, Gautam, Kharel 2022
//
//   p = 4 on nodes {0 1} {2 3}   rank 0    rank 1    rank 2    rank 3
//   start                        0 . . .   . 1 . .   . . 2 .   . . . 3
//   on the node                  0 1 . .   0 1 . .   . . 2 3   . . 2 3
//   between nodes (0 with 2)     0 1 2 3   0 1 . .   0 1 2 3   . . 2 3
//   on the node                  0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include "algorithms/hierarchical/equal_nodes.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

/// Returns the distances of the nodes that the rank at this place serves.
std::vector<int> distances_of(int place, int places, int nodes) {
  std::vector<int> distances;
  for (int d = place + 1; d < nodes; d += places) distances.push_back(d);
  return distances;
}

Schedule locality_p2p_schedule(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  const int n = nodes.count();
  const int places = nodes.max_ranks();
  const auto at = [&nodes](int node, int place) {
    return nodes.ranks[static_cast<std::size_t>(node)][static_cast<std::size_t>(place)];
  };
  Schedule schedule;
  add_own_exchange(schedule, nodes);

  const std::vector<int> distances = distances_of(nodes.place, places, n);
  if (!distances.empty()) schedule.begin_step();
  for (const int d : distances) {
    const int to = at((nodes.node - d + n) % n, nodes.place);
    for (const BlockRange part : blocks_of_nodes(nodes, {{nodes.node}})) schedule.send(to, part);
  }
  for (const int d : distances) {
    const int sender = (nodes.node + d) % n;
    for (const BlockRange part : blocks_of_nodes(nodes, {{sender}})) {
      schedule.receive(at(sender, nodes.place), part);
    }
  }

  std::vector<std::vector<BlockRange>> brought;
  for (int place = 0; place < places; ++place) {
    std::vector<int> senders;
    for (const int d : distances_of(place, places, n)) senders.push_back((nodes.node + d) % n);
    brought.push_back(blocks_of_nodes(nodes, senders));
  }
  add_node_exchange(schedule, nodes, brought);
  return schedule;
}

/// Returns after how many ranks the others do as the first ones. Nodes in a row do alike, and so do
/// the ranks of a single node.
int locality_period(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  return nodes.count() == 1 ? 1 : nodes.period();
}

}  // namespace

extern constinit const Algorithm locality_p2p{
    .name = "locality_p2p",
    .title = "Locality-aware direct",
    .summary = "exchange on the node, each node to each other once, exchange on the node",
    .source = "MPI Advance (loc_p2p)",
    .needs = equal_nodes,
    .uses_nodes = true,
    .symmetry = Symmetry::shift,
    .period = locality_period,
    .steps = Formula{"3, or 1 with one node or nodes of one",
                     [](const Problem& problem) -> Amount {
                       const NodeGroups nodes = node_groups(problem);
                       const bool inside = nodes.max_ranks() > 1;
                       const bool between = nodes.count() > 1;
                       return (inside ? 1 : 0) + (between ? 1 : 0) + (inside && between ? 1 : 0);
                     }},
    .messages = Formula{"p(g+N-2) if nodes are contiguous",
                        [](const Problem& problem) -> Amount {
                          const NodeGroups nodes = node_groups(problem);
                          if (!nodes.contiguous()) return std::nullopt;
                          return formulas::ranks(problem) * (nodes.max_ranks() + nodes.count() - 2);
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = locality_p2p_schedule}};

}  // namespace gatherbench::algorithms
