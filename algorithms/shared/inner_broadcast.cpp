// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared/inner_broadcast.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "algorithms/schedule.h"

namespace gatherbench::algorithms {
namespace {

/// Returns all blocks in pieces that travel together: each has whole blocks of at least
/// `least_bytes` bytes, the last one perhaps fewer.
std::vector<BlockRange> pieces_of(const Problem& problem, std::int64_t least_bytes) {
  std::vector<BlockRange> pieces{{0, 0}};
  std::int64_t bytes = 0;
  for (int block = 0; block < problem.ranks; ++block) {
    if (pieces.back().count > 0 && bytes >= least_bytes) {
      pieces.push_back({block, 0});
      bytes = 0;
    }
    ++pieces.back().count;
    bytes += problem.bytes(block);
  }
  return pieces;
}

/// Returns the blocks in pieces, one for each segment of the broadcast. A piece is as large as the
/// default segment or larger; it is one block if the broadcast has no segments.
std::vector<BlockRange> pieces_of(const Problem& problem) {
  const ParameterValues values = default_values(problem.inner());
  const auto* const segment = value_of_kind<Bytes>(values);
  return pieces_of(problem, segment == nullptr ? 0 : segment->value);
}

/// Returns the problem of a broadcast of so many bytes, in segments of one byte each.
Problem inner_broadcast(const Problem& problem, std::span<const std::int64_t> bytes) {
  Problem inner = problem;
  inner.parameters = default_values(problem.inner());
  for (ParameterValue& value : inner.parameters) {
    if (std::holds_alternative<Bytes>(value)) value = Bytes{1};
  }
  inner.block_bytes = bytes;
  inner.order = {};
  return inner;
}

bool is_ours(const Problem& problem) { return problem.inner().schedules() != nullptr; }

}  // namespace

std::optional<std::string> why_not_broadcast(const Problem& problem) {
  if (!is_ours(problem)) return {};
  if (problem.reorder != nullptr && problem.inner().contention_free) {
    return fmt::format(
        "cannot run in another order of the ranks with bcast={}, which finds its own",
        problem.inner().name);
  }
  const std::array bytes{std::int64_t{1}};
  const auto why = why_not(problem.inner(), inner_broadcast(problem, bytes));
  if (!why) return std::nullopt;
  return fmt::format("{} {}", problem.inner().name, *why);
}

void add_broadcast(Schedule& schedule, const Problem& problem) {
  if (!is_ours(problem)) {
    schedule.broadcast_at_end = true;
    return;
  }
  std::vector<BlockRange> pieces = pieces_of(problem);
  const std::array bytes{static_cast<std::int64_t>(pieces.size())};
  const Schedule steps = make_schedule(problem.inner(), inner_broadcast(problem, bytes));
  if (steps.segmentation == Segmentation{}) pieces = {{0, problem.ranks}};
  std::vector<std::int64_t> block_bytes;
  for (int block = 0; block < problem.ranks; ++block) block_bytes.push_back(problem.bytes(block));
  const Segments cut_blocks = cut(block_bytes, schedule.segmentation);
  append_steps(
      schedule, steps, [](int rank) { return rank; },
      [&](std::span<const BlockRange> ranges) {
        std::vector<BlockRange> moved;
        for (const BlockRange& range : ranges) {
          const BlockRange& last = pieces[static_cast<std::size_t>(range.first + range.count - 1)];
          const int first = pieces[static_cast<std::size_t>(range.first)].first;
          const int begin = cut_blocks.first[static_cast<std::size_t>(first)];
          const std::int32_t after_last = last.first + last.count;
          const int end = cut_blocks.first[static_cast<std::size_t>(after_last)];
          moved.push_back({begin, end - begin});
        }
        return moved;
      });
}

Amount messages_of_broadcast(const Problem& problem) {
  if (!is_ours(problem)) return 0;
  const std::array bytes{static_cast<std::int64_t>(pieces_of(problem).size())};
  return problem.inner().messages->at(inner_broadcast(problem, bytes));
}

Amount bytes_of_broadcast(const Problem& problem) {
  if (!is_ours(problem)) return 0;
  const std::array bytes{problem.ranks * problem.bytes(0)};
  return problem.inner().bytes->at(inner_broadcast(problem, bytes));
}

}  // namespace gatherbench::algorithms
