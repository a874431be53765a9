// SPDX-License-Identifier: BSD-3-Clause
//
// A schedule that somebody made, read from a file that the user names: "file:PATH".
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "algorithms/algorithm.h"

namespace gatherbench::algorithms {
namespace {

Schedule schedule(const Problem& problem) {
  return (*problem.from_file)[static_cast<std::size_t>(problem.rank)];
}

std::optional<std::string> why_not(const Problem& problem) {
  if (problem.from_file == nullptr) return "needs a schedule that was read from a file: file:PATH";
  const std::size_t ranks = problem.from_file->size();
  if (std::cmp_equal(ranks, problem.ranks)) return {};
  return fmt::format("has the schedule of {} ranks in its file; ranks = {}", ranks, problem.ranks);
}

/// A formula without an amount: that depends on the file.
constexpr Formula as_in_the_file{"as in the file",
                                 [](const Problem&) -> Amount { return std::nullopt; }};

}  // namespace

extern constinit const Algorithm file{
    .name = "file",
    .title = "From a file",
    .summary = "file:PATH: the schedule in a file, as allgather_schedule show --format json writes",
    .source = "who made the file",
    .needs = Needs{"the ranks of its file", why_not},
    .uses_scratch = true,
    .moves_twice = true,
    .steps = as_in_the_file,
    .messages = as_in_the_file,
    .bytes = as_in_the_file,
    .barriers = as_in_the_file,
    .how = FromFile{{.of_rank = schedule}}};

}  // namespace gatherbench::algorithms
