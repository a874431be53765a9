// SPDX-License-Identifier: BSD-3-Clause
//
// Far first, of radix k: every block travels down a tree in which a node has k-1 children at each
// distance d, 2d, ..., the farthest ones first. With k = 2 it is Sparbit, mirrored.
//
// Steps   ceil(log_k p), for any p, with up to k-1 peers; one message a block
// Cost    (k-1) ceil(log_k p) alpha + (p-1) m/p beta at most
// Limits  none
// Memory  none beside the receive buffer
// Source  Loch 2021, chapter 4, with radix k
//
//   p = 7, k = 3, blocks held   rank 0                          rank 4
//   start                       0 . . . . . .                   . . . . 4 . .
//   step 0, distance 3          0 . . 3 . . 6  (from 3 and 6)   0 . . 3 4 . .  (from 0 and 3)
//   step 1, distance 1          0 1 2 3 4 5 6  (from 1 and 2)   0 1 2 3 4 5 6  (from 5 and 6)
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {
namespace {

std::int64_t log_k_ceil(const Problem& problem) {
  std::int64_t count = 0;
  for (std::int64_t reached = 1; reached < problem.ranks; reached *= problem.count()) ++count;
  return count;
}

Schedule far_first_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const std::int64_t k = problem.count();
  Schedule schedule;
  const auto blocks = static_cast<std::size_t>(p) - 1;
  schedule.reserve(static_cast<std::size_t>(log_k_ceil(problem)), blocks, blocks);
  std::int64_t farthest = 1;
  while (farthest * k < p) farthest *= k;
  for (std::int64_t d = p == 1 ? 0 : farthest; d > 0; d /= k) {
    schedule.begin_step();
    for (std::int64_t apart = d; apart < k * d && apart < p; apart += d) {
      const auto distance = static_cast<int>(apart);
      const int to = (r - distance + p) % p;
      const int from = (r + distance) % p;
      for (std::int64_t next = 0; next + apart < p; next += k * d) {
        const auto offset = static_cast<int>(next);
        schedule.send(to, {(r + offset) % p, 1});
        schedule.receive(from, {(from + offset) % p, 1});
      }
    }
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm far_first{
    .name = "far_first",
    .summary = "parallel trees of radix k, the farthest children first, one message a block",
    .source = "Loch 2021, chapter 4, with radix k",
    .parameters = {radix},
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps = Formula{"ceil(logk p)",
                     [](const Problem& problem) -> Amount { return log_k_ceil(problem); }},
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = far_first_schedule}};

}  // namespace gatherbench::algorithms
