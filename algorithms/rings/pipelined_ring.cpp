// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelined ring: the ring over blocks that are cut into segments. A rank passes on the segments of
// its own block, then those of its left neighbour's, and so on, one a step, while it receives what
// its left neighbour passes on. A large block among small ones is on its way along the whole ring
// at once, so that the time depends on the sum of all blocks and not on p times the largest.
//
// Steps   the number of segments of all blocks less that of the smallest: (p-1) ceil(c/segment) for
//         equal blocks of c bytes
// Cost    (p-1) ceil(c/segment) alpha + (p-1) c beta for equal blocks
// Limits  2^20 segments of all blocks. A rank without bytes keeps one empty segment, so that it has
//         received what it passes on a step before.
// Memory  none beside the receive buffer
// Source  Traeff, Ripke, Siebert, Balaji, Thakur, Gropp 2008, "A simple, pipelined algorithm for
//         large, irregular all-gather problems"
//
//   p = 3, block 0 in three segments 0a 0b 0c, the others in one
//           rank 0 sends to 1   rank 1 sends to 2   rank 2 sends to 0
//   step 0  0a                  1                   2
//   step 1  0b                  0a                  1
//   step 2  0c                  0b
//   step 3  2                   0c
#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/segments.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

/// Returns the segments that `rank` passes on, in order: of all blocks but its right neighbour's.
std::vector<int> passed_on(const Segments& segments, int rank, int ranks) {
  std::vector<int> numbers;
  for (int i = 0; i < ranks - 1; ++i) {
    const int block = (rank - i + ranks) % ranks;
    const auto first = segments.first[static_cast<std::size_t>(block)];
    for (int j = 0; j < segments.count(block); ++j) numbers.push_back(first + j);
  }
  return numbers;
}

Schedule pipelined_ring_schedule(const Problem& problem) {
  const int r = problem.rank;
  const int p = problem.ranks;
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(p));
  for (int b = 0; b < p; ++b) bytes[static_cast<std::size_t>(b)] = problem.bytes(b);
  Schedule schedule;
  schedule.segmentation = {.bytes = problem.segment_bytes(), .unit = problem.element_bytes};
  const Segments segments = cut(bytes, schedule.segmentation);
  const int right = (r + 1) % p;
  const int left = (r - 1 + p) % p;
  const std::vector<int> outgoing = passed_on(segments, r, p);
  const std::vector<int> incoming = passed_on(segments, left, p);
  const std::size_t steps = std::max(outgoing.size(), incoming.size());
  schedule.reserve(steps, steps, steps);
  for (std::size_t s = 0; s < steps; ++s) {
    schedule.begin_step();
    if (s < outgoing.size()) schedule.send(right, {outgoing[s], 1});
    if (s < incoming.size()) schedule.receive(left, {incoming[s], 1});
  }
  return schedule;
}

std::int64_t segments_of_others(const Problem& problem) {
  return (problem.ranks - 1) * limits::segments_of_block(problem);
}

}  // namespace

extern constinit const Algorithm pipelined_ring{
    .name = "pipelined_ring",
    .summary = "ring over segments, for blocks of unequal size",
    .source = "Traeff et al. 2008",
    .needs = Needs{"<= 2^20 segments",
                   [](const Problem& problem) {
                     return limits::why_not_in_segments(problem, problem.ranks);
                   }},
    .parameters = {{.name = "segment",
                    .summary = "bytes of a segment, 1 or more",
                    .default_value = Bytes{32 << 10}}},  // as MPICH's pipelined ring
    .cuts_blocks = true,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = Formula{"(p-1) ceil(c/segment)",
                     [](const Problem& problem) -> Amount { return segments_of_others(problem); }},
    .messages = Formula{"p(p-1) ceil(c/segment)",
                        [](const Problem& problem) -> Amount {
                          return problem.ranks * segments_of_others(problem);
                        }},
    .bytes = formulas::all_bytes,
    .how = Schedules{.of_rank = pipelined_ring_schedule}};

}  // namespace gatherbench::algorithms
