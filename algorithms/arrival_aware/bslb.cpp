// SPDX-License-Identifier: BSD-3-Clause
//
// Background sorted linear synchronised gather with broadcast (BSLB): rank 0 asks the others for
// their blocks in the order in which they are expected, one after the other, and the MPI library,
// or the algorithm of bcast=NAME, broadcasts what it has gathered. A block goes in a short and a
// long part: the short one tells rank 0 that the other is there, which then asks the next one while
// the long part comes in. Rank 0's helper thread does all that, whether rank 0 itself is there or
// not.
//
// Steps   p on rank 0, 3 on the others (p-1 and 2 for blocks of the short part alone); MPI_Bcast
// Cost    rank 0 takes in (p-1) c bytes as they come; then the broadcast
// Limits  none; without arrivals in rank order
// Memory  none beside the receive buffer
// Source  Proficz 2021, listing 3; Proficz 2020 (BSLS), after the synchronised linear gather of
//         Open MPI
//
//   p = 4, expected in the order 2, 3, 1; 2a and 2b are the parts of block 2
//             rank 0                         rank 1    rank 2    rank 3
//   step 0    asks 2, gets 2a                is asked  is asked  is asked
//   step 1    gets 2b, asks 3, gets 3a       1a        2a        3a
//   step 2    gets 3b, asks 1, gets 1a       1b        2b        3b
//   step 3    gets 1b
#include <algorithm>
#include <vector>

#include "algorithms/arrival_aware/expected.h"
#include "algorithms/segments.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner_broadcast.h"

namespace gatherbench::algorithms {
namespace {

/// The parts of one block.
struct Parts {
  Parts(const Segments& segments, int block)
      : head{segments.first[static_cast<std::size_t>(block)], 1},
        rest{head.first + 1, segments.count(block) - 1} {}
  BlockRange head;
  BlockRange rest;  // none of them if the block is no longer than its head
};

Schedule bslb_schedule(const Problem& problem) {
  Schedule schedule;
  if (problem.ranks == 1) return schedule;
  schedule.segmentation = {
      .bytes = problem.segment_bytes(), .max_segments = 2, .unit = problem.element_bytes};
  std::vector<std::int64_t> bytes;
  for (int block = 0; block < problem.ranks; ++block) bytes.push_back(problem.bytes(block));
  const Segments segments = cut(bytes, schedule.segmentation);
  if (problem.rank != 0) {
    const Parts own(segments, problem.rank);
    schedule.begin_step();
    schedule.receive_token(0);
    schedule.begin_step();
    schedule.send(0, own.head);
    if (own.rest.count > 0) {
      schedule.begin_step();
      schedule.send(0, own.rest);
    }
    add_broadcast(schedule, problem);
    return schedule;
  }
  BlockRange rest{0, 0};  // of the one before
  int before = 0;
  for (const int rank : by_arrival(problem)) {
    if (rank == 0) continue;
    const Parts parts(segments, rank);
    schedule.begin_step();
    schedule.send_token(rank);
    schedule.receive(rank, parts.head);
    if (rest.count > 0) schedule.receive(before, rest);
    rest = parts.rest;
    before = rank;
  }
  if (rest.count > 0) {
    schedule.begin_step();
    schedule.receive(before, rest);
  }
  add_broadcast(schedule, problem);
  return schedule;
}

}  // namespace

extern constinit const Algorithm bslb{
    .name = "bslb",
    .title = "BSLB",
    .summary = "rank 0 gathers in order of arrival in the background, then MPI_Bcast",
    .source = "Proficz 2021, listing 3 (BSLB)",
    .needs = broadcast_needs,
    .parameters = {{.name = "head",
                    .summary = "bytes of a block's short part, 1 or more",
                    .default_value = Bytes{1 << 10}},
                   broadcast_parameter(native)},
    .moves_twice = true,  // not by the library's broadcast
    .cuts_blocks = true,
    .steps = Formula{"max(p, 3), or max(p-1, 2) if c <= head; MPI_Bcast",
                     [](const Problem& problem) -> Amount {
                       if (problem.ranks == 1) return 0;
                       if (&problem.inner() != &native) return std::nullopt;
                       return problem.bytes(0) > problem.segment_bytes()
                                  ? std::max(problem.ranks, 3)
                                  : std::max(problem.ranks - 1, 2);
                     }},
    .messages = Formula{"3(p-1), or 2(p-1) if c <= head; MPI_Bcast",
                        [](const Problem& problem) -> Amount {
                          const int parts = problem.bytes(0) > problem.segment_bytes() ? 3 : 2;
                          const Amount broadcast = messages_of_broadcast(problem);
                          if (!broadcast) return broadcast;
                          return parts * (formulas::ranks(problem) - 1) + *broadcast;
                        }},
    .bytes = gathered_bytes,
    .how = ByArrivals{{.of_rank = bslb_schedule}}};

}  // namespace gatherbench::algorithms
