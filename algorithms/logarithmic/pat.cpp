// SPDX-License-Identifier: BSD-3-Clause
//
// PAT (parallel aggregated trees): every block travels down a binomial tree, the farthest child
// first, all p trees at once, but only A blocks travel in a message. First the distances halve
// until ranks hold A blocks, which are D = 2^q / A apart; then the parts of the trees between
// these follow, one after the other, A blocks at a time. With A as large as can be it is Sparbit,
// mirrored; with A = 1 every step moves one block.
//
// Steps   log2 A + D - 1, where q = ceil(log2 p) and A is no more than 2^(q-1); p-1 for A = 1
// Cost    (log2 A + D - 1) alpha + (p-1) m/p beta
// Limits  A is a power of two
// Memory  none beside the receive buffer; what NCCL stages in buffers lies at its final place
// Source  Jeaugey 2025, "PAT: a new algorithm for all-gather and reduce-scatter operations at
//         scale", arXiv 2506.20252; NCCL from 2.23 on
//
//   p = 5, A = 2, blocks held   rank 0      rank 1      rank 2      rank 3      rank 4
//   step 0, distance 4          0 . . . 4   0 1 . . .   . 1 2 . .   . . 2 3 .   . . . 3 4
//   step 1, distance 2          0 . 2 . 4   0 1 . 3 .   . 1 2 . 4   0 . 2 3 .   . 1 . 3 4
//   step 2, distance 1          0 . 2 3 4   0 1 . 3 4   0 1 2 . 4   0 1 2 3 .   . 1 2 3 4
//   step 3, distance 1          0 1 2 3 4   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4   0 1 2 3 4
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

/// The numbers A, no more than half of the tree, and D that the head of this file explains.
struct Aggregation {
  explicit Aggregation(const Problem& problem) {
    const auto tree =
        static_cast<std::int64_t>(std::bit_ceil(static_cast<unsigned>(problem.ranks)));
    blocks = std::min(problem.count(), std::max<std::int64_t>(tree / 2, 1));
    apart = tree / blocks;
  }
  std::int64_t blocks;
  std::int64_t apart;
};

/// Appends root + 1 to root + below - 1 in the order in which a binomial tree is walked, the
/// farthest child first.
void add_walk(std::vector<int>& order, int root, int below) {
  for (int child = below / 2; child > 0; child /= 2) {
    order.push_back(root + child);
    add_walk(order, root + child, child);
  }
}

/// Adds a step in which rank r sends the blocks r + first, r + first + apart, ... to the rank
/// `distance` before r. A block goes no further than to the p - 1 ranks before its own, where its
/// tree ends. Adds none if no block goes.
void add_step(Schedule& schedule, const Problem& problem, int first, int apart, int distance) {
  const int p = problem.ranks;
  if (first + distance >= p) return;
  const int to = (problem.rank - distance + p) % p;
  const int from = (problem.rank + distance) % p;
  schedule.begin_step();
  for (int offset = first; offset + distance < p; offset += apart) {
    schedule.send(to, {(problem.rank + offset) % p, 1});
    schedule.receive(from, {(from + offset) % p, 1});
  }
}

Schedule pat_schedule(const Problem& problem) {
  Schedule schedule;
  const Aggregation aggregation(problem);
  const auto apart = static_cast<int>(aggregation.apart);
  const auto blocks = static_cast<std::size_t>(problem.ranks) - 1;
  schedule.reserve(static_cast<std::size_t>(apart), blocks, blocks);
  const auto tree = static_cast<int>(std::bit_ceil(static_cast<unsigned>(problem.ranks)));
  for (int distance = tree / 2; distance >= apart; distance /= 2) {
    add_step(schedule, problem, 0, 2 * distance, distance);
  }
  std::vector<int> order;
  add_walk(order, 0, apart);
  for (const int residue : order) {
    const int lowest_bit = residue & -residue;
    add_step(schedule, problem, residue - lowest_bit, apart, lowest_bit);
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm pat{
    .name = "pat",
    .title = "PAT",
    .summary = "parallel binomial trees, the farthest child first, few blocks a message",
    .source = "Jeaugey 2025; NCCL",
    .default_of = "NCCL (small and middle blocks, one GPU a node), RCCL (middle blocks)",
    .needs = Needs{"a power of two as aggregate",
                   [](const Problem& problem) -> std::optional<std::string> {
                     const auto aggregate = static_cast<std::uint64_t>(problem.count());
                     if (std::has_single_bit(aggregate)) return std::nullopt;
                     return fmt::format("needs a power of two as aggregate; aggregate = {}",
                                        aggregate);
                   }},
    .parameters = {{.name = "aggregate",
                    .summary = "most blocks of a message, a power of two",
                    .default_value = Count{8}}},
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .steps = Formula{"log2 A + 2^q/A - 1, p-1 if A = 1, q = ceil(log2 p), A <= 2^(q-1)",
                     [](const Problem& problem) -> Amount {
                       const Aggregation aggregation(problem);
                       return aggregation.blocks == 1
                                  ? problem.ranks - 1
                                  : formulas::log2_ceil(aggregation.blocks) + aggregation.apart - 1;
                     }},
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = pat_schedule}};

}  // namespace gatherbench::algorithms
