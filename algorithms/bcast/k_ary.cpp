// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelined trees by rank, counted from the root on: a block goes down the tree in segments.
//   linear_pipeline  each passes them on to the next rank
//   binary           a complete binary tree: the children of k are 2k+1 and 2k+2
//   k_ary            a complete tree of k children each: kr+1 to kr+k
//
// Steps   X = ceil(m/segment) segments in a tree of height H: X+p-2 in all for linear_pipeline,
//         k(X+H-1) for k children, one after the other; a rank has its part of these
// Cost    k (X + H - 1) (alpha + m/X beta): m beta for large blocks in a pipeline, 2 m beta in a
//         binary tree. That beats the pipeline if X <= p - 2 log2 p + 1.
// Limits  2^20 segments
// Memory  none beside the block
// Source  Faraj 2006, section 3.4
//
//   p = 4, root 0, segments a b   linear_pipeline            binary
//   step 0                        0 sends a to 1             0 sends a to 1
//   step 1                        0 b to 1, 1 a to 2         0 a to 2, 1 a to 3
//   step 2                        1 b to 2, 2 a to 3         0 b to 1
//   step 3                        2 b to 3                   0 b to 2, 1 b to 3
#include <algorithm>

#include "algorithms/bcast/tree_place.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {
namespace {

TreePlace place(const Problem& problem, std::int64_t k) {
  TreePlace found;
  if (problem.rank > 0) found.parent = static_cast<int>((problem.rank - 1) / k);
  const std::int64_t first = problem.rank * k + 1;
  const std::int64_t behind = std::min<std::int64_t>(first + k, problem.ranks);
  for (std::int64_t child = first; child < behind; ++child) {
    found.children.push_back(static_cast<int>(child));
  }
  return found;
}

/// Returns the steps of the root or the rank after it: no other has more children.
std::int64_t most_steps(const Problem& problem, std::int64_t k) {
  const std::int64_t segments = limits::segments_of_block(problem);
  const std::int64_t others = problem.ranks - 1;
  if (others == 0) return 0;
  return std::max(pipelined_steps(segments, true, std::min(k, others)),
                  pipelined_steps(segments, false, std::clamp<std::int64_t>(others - k, 0, k)));
}

constexpr Needs few_segments{segment_limit, why_not_in_segments};

}  // namespace

extern constinit const Algorithm bcast_linear_pipeline = tree_row(
    {.name = "linear_pipeline",
     .summary = "segments from rank to rank",
     .source = "Faraj 2006, 3.4",
     .needs = few_segments,
     .parameters = {segment_parameter},
     .steps = Formula{"X+1, X = ceil(m/segment); X if p = 2",
                      [](const Problem& problem) -> Amount { return most_steps(problem, 1); }},
     .how = Schedules{.of_rank = [](const Problem& problem) {
       return pipelined_broadcast(problem, place(problem, 1));
     }}});

extern constinit const Algorithm bcast_binary = tree_row(
    {.name = "binary",
     .summary = "segments down a complete binary tree",
     .source = "Faraj 2006, 3.4",
     .needs = few_segments,
     .parameters = {segment_parameter},
     .steps = Formula{"2X+1, X = ceil(m/segment), if p > 4",
                      [](const Problem& problem) -> Amount { return most_steps(problem, 2); }},
     .how = Schedules{.of_rank = [](const Problem& problem) {
       return pipelined_broadcast(problem, place(problem, 2));
     }}});

extern constinit const Algorithm bcast_k_ary =
    tree_row({.name = "k_ary",
              .title = "k-ary",
              .summary = "segments down a complete tree of k children each",
              .source = "Faraj 2006, 3.4",
              .needs = few_segments,
              .parameters = {{.name = "k",
                              .summary = "children of a rank, 2 or more",
                              .default_value = Count{3},
                              .min = 2},
                             segment_parameter},
              .steps = Formula{"kX+1, X = ceil(m/segment), if p > 2k",
                               [](const Problem& problem) -> Amount {
                                 return most_steps(problem, problem.count());
                               }},
              .how = Schedules{.of_rank = [](const Problem& problem) {
                return pipelined_broadcast(problem, place(problem, problem.count()));
              }}});

}  // namespace gatherbench::algorithms
