// SPDX-License-Identifier: BSD-3-Clause
//
// Bine, the nearest partner first: distances 1, -1, 3, -5, 11, ... so that what a rank holds is
// always one range of blocks in cyclic order, which it sends whole.
//
// Steps   log2 p
// Cost    log2 p alpha + (p-1) m/p beta
// Limits  p is a power of two
// Memory  none beside the receive buffer; a range that wraps around its end is two
// Source  De Sensi et al. 2025, "Bine trees: enhancing collective operations by optimizing
//         communication locality" (`2_blocks` of libbine)
//
//   p = 8, blocks held   rank 0                       rank 1
//   start                0 . . . . . . .              . 1 . . . . . .
//   step 0               0 1 . . . . . .  (with 1)    0 1 . . . . . .  (with 0)
//   step 1               0 1 . . . . 6 7  (with 7)    0 1 2 3 . . . .  (with 2)
//   step 2               0 1 2 3 4 5 6 7  (with 3)    0 1 2 3 4 5 6 7  (with 6)
#include "algorithms/logarithmic/bine_partner.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

Schedule bine_doubling_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  Schedule schedule;
  int first = r;
  for (int s = 0; 1 << s < p; ++s) {
    const int held = 1 << s;
    const int partner = bine_partner(r, p, s);
    const bool from_above = s % 2 == r % 2;
    const int arriving = from_above ? first + held : first - held;
    schedule.begin_step();
    for (const BlockRange blocks : CyclicRange(first, held, p)) schedule.send(partner, blocks);
    for (const BlockRange blocks : CyclicRange(arriving, held, p)) {
      schedule.receive(partner, blocks);
    }
    if (!from_above) first -= held;
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm bine_doubling{
    .name = "bine_doubling",
    .summary = "exchange at alternating distances, the nearest first",
    .source = "De Sensi et al. 2025",
    .needs = limits::power_of_two,
    .growth = Growth::logarithmic,
    .steps = formulas::log2_p,
    // Ranges begin at even blocks in steps s > 0, each twice, so that 2^s - 2 of them wrap.
    .messages = Formula{"p log2 p + p - 2 log2 p",
                        [](const Problem& problem) -> Amount {
                          const std::int64_t p = problem.ranks;
                          const std::int64_t q = formulas::log2_ceil(p);
                          return p == 1 ? 0 : p * q + p - 2 * q;
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = bine_doubling_schedule}};

}  // namespace gatherbench::algorithms
