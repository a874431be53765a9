// SPDX-License-Identifier: BSD-3-Clause
//
// Scatter and all-gather: the block is cut into a part for each rank, near equal; the parts are
// scattered in a binomial tree, and all-gathered by an inner algorithm. The root, and ranks that
// passed parts on, receive these once more.
//
// Steps   at most ceil(log2 p) and those of the inner algorithm
// Cost    about 2 m beta for large blocks
// Limits  what the inner algorithm demands of the number of ranks
// Memory  none beside the block
// Source  van de Geijn 1991; Barnett et al. 1994; Thakur, Rabenseifner, Gropp 2005
//
//   p = 4, root 0   parts held       rank 0    rank 1    rank 2    rank 3
//   start                            0 1 2 3   . . . .   . . . .   . . . .
//   scatter, distance 2              0 1 2 3   . . . .   . . 2 3   . . . .
//   scatter, distance 1              0 1 2 3   . 1 . .   . . 2 3   . . . 3
//   ring                             0 1 2 3   0 1 2 3   0 1 2 3   0 1 2 3
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "algorithms/binomial_tree.h"
#include "algorithms/shared/formulas.h"
#include "algorithms/shared/inner.h"

namespace gatherbench::algorithms {

extern const Algorithm ring;

namespace {

Schedule scatter_allgather_schedule(const Problem& problem) {
  std::vector<int> ranks(static_cast<std::size_t>(problem.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::vector<std::vector<int>> parts;
  for (const int rank : ranks) parts.push_back({rank});
  Schedule schedule;
  schedule.segmentation.near_equal = problem.ranks;
  add_binomial_scatter(schedule, ranks, problem.rank);
  add_inner(schedule, problem, problem.rank, ranks, parts);
  return schedule;
}

/// Returns the bytes that the scatter sends: the part of a rank once for each bit of its number.
std::int64_t scattered_bytes(const Problem& problem) {
  const Segments parts =
      cut(std::array{problem.bytes(0)}, Segmentation{.near_equal = problem.ranks});
  std::int64_t bytes = 0;
  for (std::size_t rank = 0; rank < parts.bytes.size(); ++rank) {
    bytes += std::popcount(rank) * parts.bytes[rank];
  }
  return bytes;
}

std::optional<std::string> why_not_here(const Problem& problem) {
  const auto why = why_not(problem.inner(), inner_problem(problem, problem.ranks));
  if (!why) return std::nullopt;
  return std::string(problem.inner().name).append(" ").append(*why);
}

}  // namespace

extern constinit const Algorithm bcast_scatter_allgather{
    .name = "scatter_allgather",
    .title = "Scatter and all-gather",
    .summary = "binomial scatter of a part for each rank, then an all-gather of these",
    .source = "van de Geijn 1991; Thakur et al. 2005",
    .default_of = "MPICH (middle and large blocks)",
    .kind = &collectives::bcast,
    .needs = Needs{"what the inner one needs", why_not_here},
    .parameters = {{.name = "inner",
                    .summary = "the all-gather of the parts",
                    .default_value = &ring,
                    .kind = &collectives::allgather}},
    .moves_twice = true,
    .cuts_blocks = true,
    .can_be_inner = true,
    .steps = formulas::no_closed_form,  // the root is the last to scatter, others wait
    .messages = Formula{"p-1 + inner(p)",
                        [](const Problem& problem) -> Amount {
                          const Amount inner =
                              problem.inner().messages->at(inner_problem(problem, problem.ranks));
                          if (!inner) return inner;
                          return problem.ranks - 1 + *inner;
                        }},
    .bytes = Formula{"(p-1)m + G(p)m/p, G = sum of min(lowest bit of r, p-r), 0 < r < p",
                     [](const Problem& problem) -> Amount {
                       return (problem.ranks - 1) * problem.bytes(0) + scattered_bytes(problem);
                     }},
    .how = Schedules{.of_rank = scatter_allgather_schedule}};

}  // namespace gatherbench::algorithms
