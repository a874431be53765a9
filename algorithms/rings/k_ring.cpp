// SPDX-License-Identifier: BSD-3-Clause
//
// K-ring: ranks lie in groups of k neighbours. In each phase the blocks of one group go around the
// ring of every group, while each rank hands the block that it began with to the rank of its place
// in the next group. So p/k - 1 of a rank's p-1 blocks come from another group, over all its k
// ranks. With k = 1, and with k = p, it is the ring.
//
// Steps   (p/k) (k-1), with 2 peers in the first of a phase; p-1 for k = 1
// Cost    (p-1) (alpha + m/p beta), of which p/k - 1 between groups
// Limits  k divides p
// Memory  none beside the receive buffer
// Source  Wilkins et al. 2023, "Generalized collective algorithms for the exascale era"; phases
//         overlap as in the locality-aware ring of MPI Advance
//
//   p = 4, k = 2, blocks held   rank 0    rank 1    rank 2    rank 3
//   start                       0 . . .   . 1 . .   . . 2 .   . . . 3
//   step 0                      0 1 2 .   0 1 . 3   0 . 2 3   . 1 2 3
//   step 1                      0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include <fmt/format.h>

#include <algorithm>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

Schedule k_ring_schedule(const Problem& problem) {
  const int p = problem.ranks;
  const auto k = static_cast<int>(problem.count());
  const int group = problem.rank / k * k;  // its first rank
  const int place = problem.rank - group;
  const auto of_place = [k](int first, int number) { return first + (number % k + k) % k; };
  const int right = of_place(group, place + 1);
  const int left = of_place(group, place - 1);
  const auto messages = static_cast<std::size_t>(p) - 1;
  Schedule schedule;
  schedule.reserve(messages, messages, messages);
  for (int phase = 0; phase < p / k; ++phase) {
    const int source = (group - phase * k % p + p) % p;  // group whose blocks go around
    const int next_source = (source - k + p) % p;
    const bool is_last = phase + 1 == p / k;
    for (int s = 0; s < std::max(k - 1, is_last ? 0 : 1); ++s) {
      schedule.begin_step();
      if (s < k - 1) {
        schedule.send(right, {of_place(source, place - s), 1});
        schedule.receive(left, {of_place(source, place - 1 - s), 1});
      }
      if (s == 0 && !is_last) {
        schedule.send((group + k) % p + place, {source + place, 1});
        schedule.receive((group - k + p) % p + place, {next_source + place, 1});
      }
    }
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm k_ring{
    .name = "k_ring",
    .title = "K-ring",
    .summary = "rings in groups of k neighbours, which pass blocks on to the next group",
    .source = "Wilkins et al. 2023; MPI Advance",
    .needs =
        Needs{"k divides p",
              [](const Problem& problem) {
                return limits::unless(
                    problem.ranks % problem.count() == 0,
                    fmt::format("groups of equal size, k = {} a divisor of p", problem.count()),
                    problem);
              }},
    .parameters = {{.name = "k",
                    .summary = "ranks of a group, a divisor of p",
                    .default_value = Count{2}}},
    .symmetry = Symmetry::shift,
    .period = [](const Problem& problem) { return static_cast<int>(problem.count()); },
    .growth = Growth::linear,
    .steps = Formula{"(p/k)(k-1), p-1 if k = 1",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t k = problem.count();
                       return k == 1 ? problem.ranks - 1 : problem.ranks / k * (k - 1);
                     }},
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = k_ring_schedule}};

}  // namespace gatherbench::algorithms
