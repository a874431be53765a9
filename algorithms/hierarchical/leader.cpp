// SPDX-License-Identifier: BSD-3-Clause
//
// Leader (two-level): on every node the blocks are gathered to its lowest rank in a binomial tree;
// these leaders all-gather among themselves by an inner algorithm, a node's blocks as one; each
// broadcasts everything on its node in a binomial tree. For any mapping and any ranks per node.
//
// Steps   2 ceil(log2 g) and those of the inner algorithm for N nodes, g = ranks of the largest
//         node
// Cost    one network message in place of g, but g-1 ranks of a node wait for its leader
// Limits  what the inner algorithm demands of the number of nodes
// Memory  none beside the receive buffer
// Source  Traeff 2006; Kandalla et al. 2009; HAN of Open MPI, two-level all-gather of MVAPICH2
//
//   p = 4 on nodes {0 1} {2 3}   rank 0    rank 1    rank 2    rank 3
//   start                        0 . . .   . 1 . .   . . 2 .   . . . 3
//   gather                       0 1 . .   . 1 . .   . . 2 3   . . . 3
//   leaders 0 and 2              0 1 2 3   . 1 . .   0 1 2 3   . . . 3
//   broadcast                    0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {
namespace {

Schedule leader_schedule(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  const auto& own = nodes.ranks[static_cast<std::size_t>(nodes.node)];
  Schedule schedule;
  add_binomial_gather(schedule, own, nodes.place);
  if (nodes.place == 0) {
    std::vector<int> leaders;
    for (const auto& group : nodes.ranks) leaders.push_back(group.front());
    add_inner(schedule, problem, nodes.node, leaders, nodes.ranks);
  }
  add_binomial_broadcast(schedule, own, nodes.place, {0, problem.ranks});
  return schedule;
}

}  // namespace

extern constinit const Algorithm leader{
    .name = "leader",
    .summary = "gather on the node, all-gather among leaders, broadcast",
    .source = "Kandalla et al. 2009; HAN of Open MPI",
    .default_of = "Open MPI 5 (HAN, several nodes), MVAPICH (some machines)",
    .needs = inner_needs,
    .parameters = {inner_parameter},
    .uses_nodes = true,
    .moves_twice = true,
    .symmetry = Symmetry::shift,
    .period = inner_period,
    .steps = Formula{"2 ceil(log2 g) + inner(N)",
                     [](const Problem& problem) -> Amount {
                       const NodeGroups nodes = node_groups(problem);
                       return 2 * formulas::log2_ceil(nodes.max_ranks()) +
                              *problem.inner().steps->at(inner_problem(problem, nodes.count()));
                     }},
    .messages =
        Formula{"2(p-N) + inner(N) if nodes are contiguous",
                [](const Problem& problem) -> Amount {
                  const NodeGroups nodes = node_groups(problem);
                  if (!nodes.contiguous()) return std::nullopt;
                  return 2 * (problem.ranks - nodes.count()) +
                         *problem.inner().messages->at(inner_problem(problem, nodes.count()));
                }},
    .bytes = Formula{"(p(p-1) + sum of G(ranks of a node))c",
                     [](const Problem& problem) -> Amount {
                       std::int64_t blocks = formulas::ranks(problem) * (problem.ranks - 1);
                       for (const auto& group : node_groups(problem).ranks) {
                         blocks += binomial_gather_blocks(std::ssize(group));
                       }
                       return blocks * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = leader_schedule}};

}  // namespace gatherbench::algorithms
