// SPDX-License-Identifier: BSD-3-Clause
//
// Multi-leader: as leader, but the ranks of a node are L groups of neighbours, each with a leader
// of its own: a group's blocks are gathered to its first rank in a binomial tree, all leaders of
// all nodes all-gather among themselves by an inner algorithm, a group's blocks as one, and each
// broadcasts everything in its group. Groups differ by a rank at most; a node of fewer ranks than L
// has a group for each rank. For any mapping and any ranks per node.
//
// Steps   2 ceil(log2 G) and those of the inner algorithm for all leaders, G = ranks of the largest
//         group
// Cost    between leader (L = 1) and the inner algorithm on all ranks (L = ranks of a node)
// Limits  what the inner algorithm demands of the number of leaders
// Memory  none beside the receive buffer
// Source  Kandalla et al. 2009, "Designing multi-leader-based Allgather algorithms for multi-core
//         clusters"
//
//   p = 4 on one node, L = 2     rank 0    rank 1    rank 2    rank 3
//   start                        0 . . .   . 1 . .   . . 2 .   . . . 3
//   gather                       0 1 . .   . 1 . .   . . 2 3   . . . 3
//   leaders 0 and 2              0 1 2 3   . 1 . .   0 1 2 3   . . . 3
//   broadcast                    0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/binomial_tree.h"
#include "algorithms/node_groups.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {
namespace {

/// The groups of all nodes, node by node.
struct Groups {
  std::vector<std::vector<int>> ranks;
  int group = 0;  ///< of problem.rank
  int place = 0;  ///< of problem.rank in its group
  bool contiguous = true;
  [[nodiscard]] int count() const { return static_cast<int>(ranks.size()); }
};

Groups groups_of(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  Groups groups{.ranks = {}, .contiguous = nodes.contiguous()};
  for (const std::vector<int>& node : nodes.ranks) {
    const auto size = std::ssize(node);
    const auto leaders = std::min<std::ptrdiff_t>(problem.count(), size);
    for (std::ptrdiff_t i = 0; i < leaders; ++i) {
      const auto begin = node.begin() + size * i / leaders;
      const auto end = node.begin() + size * (i + 1) / leaders;
      const auto own = std::find(begin, end, problem.rank);
      if (own != end) {
        groups.group = groups.count();
        groups.place = static_cast<int>(own - begin);
      }
      groups.ranks.emplace_back(begin, end);
    }
  }
  return groups;
}

std::int64_t largest(const Groups& groups) {
  std::size_t most = 0;
  for (const auto& group : groups.ranks) most = std::max(most, group.size());
  return static_cast<std::int64_t>(most);
}

Schedule multi_leader_schedule(const Problem& problem) {
  const Groups groups = groups_of(problem);
  const auto& own = groups.ranks[static_cast<std::size_t>(groups.group)];
  Schedule schedule;
  add_binomial_gather(schedule, own, groups.place);
  if (groups.place == 0) {
    std::vector<int> leaders;
    for (const auto& group : groups.ranks) leaders.push_back(group.front());
    add_inner(schedule, problem, groups.group, leaders, groups.ranks);
  }
  add_binomial_broadcast(schedule, own, groups.place, {0, problem.ranks});
  return schedule;
}

std::optional<std::string> why_not_among_leaders(const Problem& problem) {
  const int leaders = groups_of(problem).count();
  const auto why = why_not(problem.inner(), inner_problem(problem, leaders));
  if (!why) return std::nullopt;
  return fmt::format("among {} leaders {} {}", leaders, problem.inner().name, *why);
}

}  // namespace

extern constinit const Algorithm multi_leader{
    .name = "multi_leader",
    .summary = "gather in groups of a node, all-gather among their leaders, broadcast",
    .source = "Kandalla et al. 2009",
    .needs = Needs{"what the inner one needs of the leaders", why_not_among_leaders},
    .parameters = {Parameter{.name = "leaders",
                             .summary = "leaders on a node, 1 or more; all its ranks if it has "
                                        "fewer",
                             .default_value = Count{2}},
                   Parameter{.name = "inner",
                             .summary = "the algorithm between leaders",
                             .default_value = &bruck_in_place,
                             .kind = &collectives::allgather}},
    .uses_nodes = true,
    .moves_twice = true,
    .symmetry = Symmetry::shift,
    .period = inner_period,
    .steps = Formula{"2 ceil(log2 G) + inner(leaders)",
                     [](const Problem& problem) -> Amount {
                       const Groups groups = groups_of(problem);
                       const Amount inner =
                           problem.inner().steps->at(inner_problem(problem, groups.count()));
                       if (!inner) return inner;
                       return 2 * formulas::log2_ceil(largest(groups)) + *inner;
                     }},
    .messages = Formula{"2(p-leaders) + inner(leaders) if nodes are contiguous",
                        [](const Problem& problem) -> Amount {
                          const Groups groups = groups_of(problem);
                          if (!groups.contiguous) return std::nullopt;
                          const Amount inner =
                              problem.inner().messages->at(inner_problem(problem, groups.count()));
                          if (!inner) return inner;
                          return 2 * (problem.ranks - groups.count()) + *inner;
                        }},
    .bytes = Formula{"(p(p-1) + sum of G(ranks of a group))c",
                     [](const Problem& problem) -> Amount {
                       std::int64_t blocks = formulas::ranks(problem) * (problem.ranks - 1);
                       for (const auto& group : groups_of(problem).ranks) {
                         blocks += binomial_gather_blocks(std::ssize(group));
                       }
                       return blocks * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = multi_leader_schedule}};

}  // namespace gatherbench::algorithms
