// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck of radix k, all-to-all: a block for the rank i behind its own goes there in as many hops as
// i has digits other than 0 to the base k. In step s a rank sends to the rank j d behind, d = k^s
// and 0 < j < k, all blocks that it has, of its own or of others, whose digit s is j.
//
// Steps   ceil(log_k p), for any p, with up to k-1 peers
// Cost    (k-1) ceil(log_k p) alpha + (p/2) log2 p c beta for k = 2 and a power of two, and the
//         copies into messages
// Limits  none
// Memory  scratch for the blocks that a rank passes on; no rotation before and after: each block
//         that arrives has its place in the receive buffer at once
// Source  Bruck et al. 1997, section 3; Faraj 2006, section 4.1.1
//
//   p = 4, rank 0   sends                              receives
//   step 0          to 1 its blocks for 1 and 3        3's blocks for 0 and 2
//   step 1          to 2 its block for 2, 3's for 2    2's block for 0, 1's for 0
#include <algorithm>

#include "algorithms/alltoall/pairs.h"
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {
namespace {

/// Calls add(block) for each block that `from` sends over j d ranks, d being `distance`, a power of
/// the radix.
template <typename Add>
void for_each_block(int from, int p, std::int64_t distance, std::int64_t radix, std::int64_t j,
                    Add add) {
  for (std::int64_t first = j * distance; first < p; first += distance * radix) {
    const std::int64_t behind = std::min<std::int64_t>(first + distance, p);
    for (std::int64_t i = first; i < behind; ++i) {
      const auto origin = static_cast<int>((from - i % distance + p) % p);
      const auto target = static_cast<int>((origin + i) % p);
      add(alltoall::block_for(origin, target, p));
    }
  }
}

Schedule bruck_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const std::int64_t radix = problem.count();
  Schedule schedule;
  for (std::int64_t distance = 1; distance < p; distance *= radix) {
    schedule.begin_step();
    for (std::int64_t j = 1; j < radix && j * distance < p; ++j) {
      const auto apart = static_cast<int>(j * distance);
      const int to = (r + apart) % p;
      const int from = (r - apart + p) % p;
      for_each_block(r, p, distance, radix, j, [&](int block) { schedule.send(to, {block, 1}); });
      for_each_block(from, p, distance, radix, j, [&](int block) {
        schedule.receive(from, {block, 1});
      });
    }
  }
  return schedule;
}

struct Counted {
  std::int64_t steps = 0;
  std::int64_t messages = 0;  // of a rank
  std::int64_t blocks = 0;    // that it sends
};
Counted count(const Problem& problem) {
  const std::int64_t p = problem.ranks;
  const std::int64_t radix = problem.count();
  Counted counted;
  for (std::int64_t distance = 1; distance < p; distance *= radix) {
    ++counted.steps;
    counted.messages += std::min(radix - 1, (p - 1) / distance);
    for (std::int64_t i = distance; i < p; ++i) counted.blocks += i / distance % radix != 0 ? 1 : 0;
  }
  return counted;
}

}  // namespace

extern constinit const Algorithm alltoall_bruck{
    .name = "bruck",
    .summary = "blocks hop to their ranks digit by digit, many in a message",
    .source = "Bruck et al. 1997; Faraj 2006, 4.1.1",
    .default_of = "MPICH (blocks to 256 B)",
    .kind = &collectives::alltoall,
    .parameters = {radix},
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps = Formula{"ceil(logk p)",
                     [](const Problem& problem) -> Amount { return count(problem).steps; }},
    .messages = Formula{"p M, M = sum over s of min(k-1, (p-1)/d), d = k^s",
                        [](const Problem& problem) -> Amount {
                          return problem.ranks * count(problem).messages;
                        }},
    .bytes = Formula{"p c times the digits other than 0, to the base k, of 1 to p-1",
                     [](const Problem& problem) -> Amount {
                       return problem.ranks * count(problem).blocks * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = bruck_schedule}};

}  // namespace gatherbench::algorithms
