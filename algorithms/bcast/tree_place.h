// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/shared/limits.h"

// Broadcast of one block in segments down a tree of ranks, whose root is rank 0 (Faraj 2006, 3.4).
namespace gatherbench::algorithms {

/// The place of a rank in the tree.
struct TreePlace {
  int parent = 0;             ///< of another rank than 0
  std::vector<int> children;  ///< in the order in which they get a segment
};

inline constexpr Parameter segment_parameter{
    .name = "segment",
    .summary = "bytes of a segment, 1 or more",
    .default_value = Bytes{8 << 10}};  // as MPICH's pipelined tree

inline constexpr std::string_view segment_limit = "<= 2^20 segments";
std::optional<std::string> why_not_in_segments(const Problem& problem);

/// Returns the schedule of problem.rank at that place: it sends segment after segment to child
/// after child, one message a step, and receives the next segment while it sends one to its last
/// child. So X segments take (X + H - 1) D steps, one after the other, in a tree of height H in
/// which D children are the most.
Schedule pipelined_broadcast(const Problem& problem, const TreePlace& place);

/// Returns how many steps the root, or another rank, with so many children takes for the segments.
std::int64_t pipelined_steps(std::int64_t segments, bool is_root, std::int64_t children);

/// Messages of all ranks: each gets each segment once.
inline constexpr Formula segments_to_all{
    "(p-1) ceil(m/segment)", [](const Problem& problem) -> Amount {
      return (problem.ranks - 1) * limits::segments_of_block(problem);
    }};

/// Bytes of all ranks: each gets each byte once.
inline constexpr Formula bytes_to_all{"(p-1)m", [](const Problem& problem) -> Amount {
                                        return (problem.ranks - 1) * problem.bytes(0);
                                      }};

/// Returns the row of a broadcast down a tree, completed by what holds for all of them.
constexpr Algorithm tree_row(Algorithm row) {
  row.kind = &collectives::bcast;
  row.cuts_blocks = true;
  row.can_be_inner = true;
  row.messages = segments_to_all;
  row.bytes = bytes_to_all;
  return row;
}

}  // namespace gatherbench::algorithms
