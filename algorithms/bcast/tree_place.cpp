// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/bcast/tree_place.h"

#include <array>
#include <optional>

#include "algorithms/shared/limits.h"

namespace gatherbench::algorithms {

std::optional<std::string> why_not_in_segments(const Problem& problem) {
  return limits::why_not_in_segments(problem, 1);
}

Schedule pipelined_broadcast(const Problem& problem, const TreePlace& place) {
  Schedule schedule;
  schedule.segmentation.bytes = problem.segment_bytes();
  const auto segments = cut(std::array{problem.bytes(0)}, schedule.segmentation).count(0);
  const bool is_root = problem.rank == 0;
  const auto receive = [&](int segment) {
    if (!is_root && segment < segments) schedule.receive(place.parent, {segment, 1});
  };
  const auto steps =
      static_cast<std::size_t>(pipelined_steps(segments, is_root, std::ssize(place.children)));
  schedule.reserve(steps, steps, steps);
  if (!is_root) schedule.begin_step();
  receive(0);
  for (int segment = 0; segment < segments; ++segment) {
    for (const int child : place.children) {
      schedule.begin_step();
      schedule.send(child, {segment, 1});
      if (child == place.children.back()) receive(segment + 1);
    }
    if (place.children.empty() && segment + 1 < segments && !is_root) {
      schedule.begin_step();
      receive(segment + 1);
    }
  }
  return schedule;
}

std::int64_t pipelined_steps(std::int64_t segments, bool is_root, std::int64_t children) {
  if (is_root) return children * segments;
  return children == 0 ? segments : children * segments + 1;
}

}  // namespace gatherbench::algorithms
