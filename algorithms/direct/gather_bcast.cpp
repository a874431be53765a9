// SPDX-License-Identifier: BSD-3-Clause
//
// Gather to rank 0, then broadcast of everything from there.
//   gather_bcast         both in binomial trees; every rank gets its own block back
//   linear_gather_bcast  (LNBC) all ranks send to rank 0 at once; the MPI library broadcasts
// Either takes another broadcast, bcast=NAME.
//
// Steps   gather_bcast: 2 ceil(log2 p). linear_gather_bcast: 1, and those of MPI_Bcast
// Cost    2 ceil(log2 p) alpha + (p-1) c beta + ceil(log2 p) p c beta for gather_bcast with blocks
//         of c bytes (Faraj prints log2 p c beta for the gather; its last message alone is p/2 c)
// Limits  none
// Memory  none beside the receive buffer
// Source  Faraj 2006, section 4.1.1.1; Pappalardo et al., algorithm 2; Proficz 2021 (LNBC)
//
//   p = 4, blocks held   rank 0    rank 1    rank 2    rank 3
//   start                0 . . .   . 1 . .   . . 2 .   . . . 3
//   gather, distance 1   0 1 . .   . 1 . .   . . 2 3   . . . 3
//   gather, distance 2   0 1 2 3   . 1 . .   . . 2 3   . . . 3
//   bcast,  distance 2   0 1 2 3   . 1 . .   0 1 2 3   . . . 3
//   bcast,  distance 1   0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include <numeric>
#include <vector>

#include "algorithms/binomial_tree.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner_broadcast.h"

namespace gatherbench::algorithms {
namespace {

Schedule in_binomial_tree(const Problem& problem) {
  Schedule schedule;
  if (problem.ranks == 1) return schedule;
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  add_binomial_gather(schedule, ranks, problem.rank);
  add_broadcast(schedule, problem);
  return schedule;
}

Schedule linear(const Problem& problem) {
  Schedule schedule;
  if (problem.ranks == 1) return schedule;
  schedule.begin_step();
  if (problem.rank != 0) schedule.send(0, {problem.rank, 1});
  for (int r = 1; problem.rank == 0 && r < problem.ranks; ++r) schedule.receive(r, {r, 1});
  add_broadcast(schedule, problem);
  return schedule;
}

}  // namespace

extern constinit const Algorithm gather_bcast{
    .name = "gather_bcast",
    .title = "Gather and broadcast",
    .summary = "binomial gather to rank 0, binomial broadcast",
    .source = "Faraj 2006, 4.1.1.1",
    .needs = broadcast_needs,
    .parameters = {broadcast_parameter(bcast_binomial)},
    .moves_twice = true,
    .growth = Growth::logarithmic,
    .steps = Formula{"2 ceil(log2 p) with bcast=binomial",
                     [](const Problem& problem) -> Amount {
                       if (&problem.inner() != &bcast_binomial) return std::nullopt;
                       return 2 * formulas::log2_ceil(problem.ranks);
                     }},
    .messages = Formula{"p-1 + those of the broadcast: 2(p-1)",
                        [](const Problem& problem) -> Amount {
                          const Amount broadcast = messages_of_broadcast(problem);
                          if (!broadcast) return broadcast;
                          return problem.ranks - 1 + *broadcast;
                        }},
    .bytes = Formula{"(p(p-1)+G(p))c, G = sum of min(lowest bit of r, p-r), 0 < r < p",
                     [](const Problem& problem) -> Amount {
                       return binomial_gather_blocks(problem.ranks) * problem.bytes(0) +
                              *bytes_of_broadcast(problem);
                     }},
    .how = Schedules{.of_rank = in_binomial_tree}};

extern constinit const Algorithm linear_gather_bcast{
    .name = "linear_gather_bcast",
    .title = "Linear gather and broadcast",
    .summary = "all send to rank 0, then the library's MPI_Bcast",
    .source = "Proficz 2021 (LNBC)",
    .needs = broadcast_needs,
    .parameters = {broadcast_parameter(native)},
    .moves_twice = true,       // not by the library's broadcast
    .growth = Growth::linear,  // in messages, of its one step
    .steps = Formula{"1, MPI_Bcast",
                     [](const Problem& problem) -> Amount {
                       if (problem.ranks > 1 && &problem.inner() != &native) return std::nullopt;
                       return problem.ranks > 1 ? 1 : 0;
                     }},
    .messages = Formula{"p-1, MPI_Bcast",
                        [](const Problem& problem) -> Amount {
                          const Amount broadcast = messages_of_broadcast(problem);
                          if (!broadcast) return broadcast;
                          return problem.ranks - 1 + *broadcast;
                        }},
    .bytes = gathered_bytes,
    .how = Schedules{.of_rank = linear}};

}  // namespace gatherbench::algorithms
