// SPDX-License-Identifier: BSD-3-Clause
//
// Lane (node-aware): there are as many lanes as ranks on the smallest node, and on every node rank
// j of a lane's number takes part in lane j. Each lane all-gathers its blocks across the nodes by
// an inner algorithm, all lanes at once; then the ranks of a node send each other their lanes'
// blocks, all in flight. On a larger node a rank beyond the lanes first gives its block to a lane,
// number modulo lanes. Every block moves to every rank once. For any mapping and any ranks per
// node.
//
// Steps   those of the inner algorithm for N nodes, 1 for the exchange on the node, and 1 before
//         them if nodes differ in ranks
// Cost    every rank's network link works, with (N-1) m/p beta where nodes are equal
// Limits  what the inner algorithm demands of the number of nodes
// Memory  none beside the receive buffer
// Source  Traeff 2020, "Decomposing MPI collectives for exploiting multi-lane communication";
//         node-aware all-gather of MPI Advance
//
//   p = 4 on nodes {0 1} {2 3}   rank 0    rank 1    rank 2    rank 3
//   start                        0 . . .   . 1 . .   . . 2 .   . . . 3
//   lanes {0 2} {1 3}            0 . 2 .   . 1 . 3   0 . 2 .   . 1 . 3
//   on the node                  0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include <algorithm>

#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {
namespace {

/// Returns the ranks of a node whose blocks travel in this lane.
std::vector<int> bundle(const std::vector<int>& node, int lane, int lanes) {
  std::vector<int> ranks;
  for (auto i = static_cast<std::size_t>(lane); i < node.size();
       i += static_cast<std::size_t>(lanes)) {
    ranks.push_back(node[i]);
  }
  return ranks;
}

/// Returns all blocks of a lane, ascending, except that of rank `without`.
std::vector<BlockRange> lane_blocks(const NodeGroups& nodes, int lane, int lanes, int without) {
  std::vector<int> blocks;
  for (const auto& node : nodes.ranks) {
    for (auto i = static_cast<std::size_t>(lane); i < node.size();
         i += static_cast<std::size_t>(lanes)) {
      if (node[i] != without) blocks.push_back(node[i]);
    }
  }
  std::ranges::sort(blocks);
  return as_ranges(blocks);
}

/// Adds the step in which ranks beyond the lanes give their blocks to a lane.
void add_fold(Schedule& schedule, const std::vector<int>& own, int place, int lanes) {
  const int size = static_cast<int>(own.size());
  const int rank = own[static_cast<std::size_t>(place)];
  if (place >= lanes) {
    schedule.begin_step();
    schedule.send(own[static_cast<std::size_t>(place % lanes)], {rank, 1});
  } else if (place + lanes < size) {
    schedule.begin_step();
    for (const int folded : bundle(own, place, lanes)) {
      if (folded != rank) schedule.receive(folded, {folded, 1});
    }
  }
}

void add_exchange(Schedule& schedule, const NodeGroups& nodes, int lanes) {
  const auto& own = nodes.ranks[static_cast<std::size_t>(nodes.node)];
  const int size = static_cast<int>(own.size());
  if (size == 1) return;
  const int place = nodes.place;
  const int rank = own[static_cast<std::size_t>(place)];
  schedule.begin_step();
  for (int i = 1; i < size && place < lanes; ++i) {
    const int to = own[static_cast<std::size_t>((place + i) % size)];
    for (const BlockRange part : lane_blocks(nodes, place, lanes, to)) schedule.send(to, part);
  }
  for (int i = 1; i < size; ++i) {
    const int lane = (place - i + size) % size;
    if (lane >= lanes) continue;
    const int from = own[static_cast<std::size_t>(lane)];
    for (const BlockRange part : lane_blocks(nodes, lane, lanes, rank)) {
      schedule.receive(from, part);
    }
  }
}

Schedule lane_schedule(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  const auto& own = nodes.ranks[static_cast<std::size_t>(nodes.node)];
  const int lanes = nodes.min_ranks();
  Schedule schedule;
  add_fold(schedule, own, nodes.place, lanes);
  if (nodes.place < lanes) {
    std::vector<int> members;
    std::vector<std::vector<int>> bundles;
    for (const auto& node : nodes.ranks) {
      members.push_back(node[static_cast<std::size_t>(nodes.place)]);
      bundles.push_back(bundle(node, nodes.place, lanes));
    }
    add_inner(schedule, problem, nodes.node, members, bundles);
  }
  add_exchange(schedule, nodes, lanes);
  return schedule;
}

/// Returns after how many ranks the others do as the first ones. The ranks of a single node do
/// alike.
int lane_period(const Problem& problem) {
  return node_groups(problem).count() == 1 ? 1 : inner_period(problem);
}

}  // namespace

extern constinit const Algorithm lane{
    .name = "lane",
    .summary = "every local rank all-gathers its lane, then the node exchanges",
    .source = "Traeff 2020; MPI Advance",
    .needs = inner_needs,
    .parameters = {inner_parameter},
    .uses_nodes = true,
    .symmetry = Symmetry::shift,
    .period = lane_period,
    .steps = Formula{"inner(N) + 1 (+1)",
                     [](const Problem& problem) -> Amount {
                       const NodeGroups nodes = node_groups(problem);
                       return *problem.inner().steps->at(inner_problem(problem, nodes.count())) +
                              (nodes.max_ranks() > 1 ? 1 : 0) +
                              (nodes.max_ranks() > nodes.min_ranks() ? 1 : 0);
                     }},
    .messages = Formula{"p(p-1) if nodes are contiguous, equal, of 2 or more",
                        [](const Problem& problem) -> Amount {
                          const NodeGroups nodes = node_groups(problem);
                          if (!nodes.contiguous() || nodes.max_ranks() > nodes.min_ranks() ||
                              nodes.max_ranks() == 1) {
                            return std::nullopt;
                          }
                          return formulas::ranks(problem) * (problem.ranks - 1);
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = lane_schedule}};

}  // namespace gatherbench::algorithms
