// SPDX-License-Identifier: BSD-3-Clause
//
// Bruck of radix k: in step s a rank sends what the first k^s places of a buffer hold, which begins
// with its own block, to each of the ranks j k^s before it, 0 < j < k, and puts what comes from the
// rank j k^s behind it at places j k^s and on. At the end of the last step less is missing. Steps
// may have different radices, d for k^s being the product of those before.
//
// Steps   ceil(log_k p), for any p, with up to k-1 peers; min(k^s, p - j k^s) blocks to each
// Cost    (k-1) ceil(log_k p) alpha + (p-1) m/p beta at most, and the copies of bruck
// Limits  none
// Memory  bruck: a scratch buffer of the whole result, and a copy of all of it at the end (none on
//         rank 0, whose order is the final one). bruck_in_place: none; a range that wraps around
//         the end of the receive buffer is two ranges.
// Source  Bruck et al. 1997; Loch 2021, section 2.4.4 (k = 2); Jocksch et al. 2020, "Optimised
//         allgatherv, reduce_scatter and allreduce communication in message-passing systems"
//         (several radices)
//
//   p = 5, rank 3, scratch   final places of bruck_in_place
//   start    3 . . . .       . . . 3 .
//   step 0   3 4 . . .       . . . 3 4
//   step 1   3 4 0 1 .       0 1 . 3 4
//   step 2   3 4 0 1 2       0 1 2 3 4
#include <algorithm>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/radix.h"

namespace gatherbench::algorithms {
namespace {

std::int64_t radix_of(const Problem& problem, std::size_t step) {
  const std::span<const std::int32_t> radices = problem.numbers();
  return radices[step % radices.size()];
}

/// Messages that one rank sends, and its steps.
struct BruckCount {
  std::int64_t messages = 0;
  std::int64_t steps = 0;
};
BruckCount bruck_count(const Problem& problem) {
  BruckCount counted;
  std::int64_t distance = 1;
  for (std::size_t step = 0; distance < problem.ranks; ++step) {
    const std::int64_t radix = radix_of(problem, step);
    ++counted.steps;
    counted.messages += std::min(radix - 1, (problem.ranks - 1) / distance);
    distance *= radix;
  }
  return counted;
}

constexpr Formula bruck_steps{
    "ceil(logk p)", [](const Problem& problem) -> Amount { return bruck_count(problem).steps; }};

Schedule in_place(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  std::int64_t distance = 1;
  for (std::size_t step = 0; distance < p; ++step) {
    const std::int64_t radix = radix_of(problem, step);
    schedule.begin_step();
    for (std::int64_t apart = distance; apart < p && apart < radix * distance; apart += distance) {
      const auto d = static_cast<int>(apart);
      const int count = std::min(static_cast<int>(distance), p - d);
      const int to = (r - d + p) % p;
      for (const BlockRange blocks : CyclicRange(r, count, p)) schedule.send(to, blocks);
      const int from = (r + d) % p;
      for (const BlockRange blocks : CyclicRange(from, count, p)) schedule.receive(from, blocks);
    }
    distance *= radix;
  }
  return schedule;
}

Schedule rotated(const Problem& problem) {
  Schedule schedule = in_place(problem);
  schedule.scratch_first_block = problem.rank;
  return schedule;
}

}  // namespace

extern constinit const Algorithm bruck{
    .name = "bruck",
    .summary = "growing distances, any p, in a rotated scratch buffer that is copied back",
    .source = "Bruck et al. 1997; Loch 2021, 2.4.4; Jocksch et al. 2020",
    .default_of =
        "MPICH (small blocks, p no power of two), Open MPI (some small blocks from 256 ranks on; "
        "middle ones of allgatherv), MVAPICH (small blocks, some machines)",
    .parameters = {radices},
    .uses_scratch = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps = bruck_steps,
    .messages = Formula{"p M, M = sum over s of min(k-1, (p-1)/d), d = k^s",
                        [](const Problem& problem) -> Amount {
                          return problem.ranks * bruck_count(problem).messages;
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = rotated}};

extern constinit const Algorithm bruck_in_place{
    .name = "bruck_in_place",
    .summary = "bruck's messages from and to final places, no scratch, no copies",
    .source = "Bruck et al. 1997",
    .parameters = {radices},
    .can_be_inner = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::logarithmic,
    .steps = bruck_steps,
    // A range of n blocks, which a message has, wraps at n-1 ranks.
    .messages = Formula{"(p-1)(M+1), M of bruck",
                        [](const Problem& problem) -> Amount {
                          return (problem.ranks - 1) * (bruck_count(problem).messages + 1);
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = in_place}};

}  // namespace gatherbench::algorithms
