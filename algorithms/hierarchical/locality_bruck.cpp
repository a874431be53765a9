// SPDX-License-Identifier: BSD-3-Clause
//
// Locality-aware Bruck: the ranks of a node send each other their blocks. Then nodes hold H nodes'
// blocks each, H = 1 at first, from their own node g on: the rank at place j >= 1 sends those to
// its place on node g - j H, and gets those of the nodes from g + j H on, and the ranks of a node
// send each other what came. So H grows by the number of ranks P on a node, as in Bruck's algorithm
// of radix P, but each rank has one peer on other nodes in a round. For any mapping.
//
// Steps   1 + 2 ceil(log_P N); Bruck's ceil(log2 N) on nodes of one rank
// Cost    ceil(log_P N) start-ups between nodes
// Limits  as many ranks on every node. As published N is a power of P; the last round, in which
//         less is missing, is ours.
// Memory  none beside the receive buffer
// Source  Bienz, Gautam, Kharel 2022, "A locality-aware Bruck allgather"
//
//   p = 6 on nodes {0 1} {2 3} {4 5}, rank 1
//   on the node     {1} to 0
//   H = 1           {0 1} to 5, {2 3} from 3; {2 3} to 0
//   H = 2           {0 1} to 3, {4 5} from 5; {4 5} to 0
#include <algorithm>

#include "algorithms/hierarchical/equal_nodes.h"
#include "algorithms/shared/formulas.h"

namespace gatherbench::algorithms {
namespace {

/// A round in which nodes come to hold the blocks of more nodes.
struct Round {
  int held;  ///< nodes whose blocks each node holds before
  int ways;  ///< it grows by this factor
  int nodes;
  [[nodiscard]] int moved(int way) const { return std::clamp(nodes - way * held, 0, held); }
};

/// Returns the factor by which a round multiplies the nodes whose blocks each node holds. A rank
/// that is alone on its node does what the second of two would do.
int ways_of(const NodeGroups& nodes) { return std::max(nodes.max_ranks(), 2); }

template <typename Visit>
void for_each_round(const NodeGroups& nodes, Visit visit) {
  const std::int64_t ways = ways_of(nodes);
  for (std::int64_t held = 1; held < nodes.count(); held *= ways) {
    visit(Round{static_cast<int>(held), static_cast<int>(ways), nodes.count()});
  }
}

std::vector<BlockRange> blocks_from(const NodeGroups& nodes, int first, int count) {
  std::vector<int> numbers;
  for (int i = 0; i < count; ++i) numbers.push_back((first + i) % nodes.count());
  return blocks_of_nodes(nodes, numbers);
}

Schedule locality_bruck_schedule(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  const int places = nodes.max_ranks();
  const int own_way = places == 1 ? 1 : nodes.place;
  const auto peer_on = [&nodes](int node) {
    return nodes.ranks[static_cast<std::size_t>(node)][static_cast<std::size_t>(nodes.place)];
  };
  Schedule schedule;
  add_own_exchange(schedule, nodes);
  for_each_round(nodes, [&](const Round& round) {
    const int moved = own_way == 0 ? 0 : round.moved(own_way);
    if (moved > 0) {
      const auto distance = static_cast<int>(own_way * static_cast<std::int64_t>(round.held));
      const int n = nodes.count();
      const int to = peer_on((nodes.node - distance + n) % n);
      const int source = (nodes.node + distance) % n;
      schedule.begin_step();
      for (const BlockRange part : blocks_from(nodes, nodes.node, moved)) schedule.send(to, part);
      for (const BlockRange part : blocks_from(nodes, source, moved)) {
        schedule.receive(peer_on(source), part);
      }
    }
    std::vector<std::vector<BlockRange>> brought(1);
    for (int place = 1; place < places; ++place) {
      const int first = nodes.node + place * round.held;
      brought.push_back(round.moved(place) == 0 ? std::vector<BlockRange>()
                                                : blocks_from(nodes, first, round.moved(place)));
    }
    add_node_exchange(schedule, nodes, brought);
  });
  return schedule;
}

Amount steps(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  const int on_node = nodes.max_ranks() > 1 ? 1 : 0;
  std::int64_t count = on_node;
  for_each_round(nodes, [&](const Round&) { count += 1 + on_node; });
  return count;
}

/// Returns the messages of all ranks; none if nodes are not contiguous. A range of nodes that
/// passes the last one is two messages.
Amount messages(const Problem& problem) {
  const NodeGroups nodes = node_groups(problem);
  if (!nodes.contiguous()) return std::nullopt;
  const std::int64_t places = nodes.max_ranks();
  std::int64_t count = formulas::ranks(problem) * (places - 1);
  for_each_round(nodes, [&](const Round& round) {
    for (int way = 1; way < round.ways && round.moved(way) > 0; ++way) {
      count += places * (round.nodes + round.moved(way) - 1);
    }
  });
  return count;
}

}  // namespace

extern constinit const Algorithm locality_bruck{
    .name = "locality_bruck",
    .title = "Locality-aware Bruck",
    .summary = "Bruck between nodes with one peer a rank, exchange on the node after each round",
    .source = "Bienz, Gautam, Kharel 2022",
    .needs = equal_nodes,
    .uses_nodes = true,
    .steps = Formula{"1 + 2 ceil(log_g N), or log2 N if g = 1", steps},
    .messages =
        Formula{"p(g-1) + g sum of (N + nodes moved - 1) if nodes are contiguous", messages},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = locality_bruck_schedule}};

}  // namespace gatherbench::algorithms
