// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/trace/reader.h"

// The calls of a traced program, as they can be made again: their ranks, their sizes, their order.
namespace gatherbench::bench {

/// A collective call as it is prepared once, however often it is made.
struct SequenceShape {
  std::size_t members;                    ///< which communicator of the sequence
  std::vector<std::int64_t> block_bytes;  ///< of each of its ranks
};

/// One call of one rank.
struct RankCall {
  std::size_t shape;
  std::int64_t gap_ns;  ///< since the rank's exit of the call before; of its first, since the start
};

struct CallSequence {
  /// The ranks of each communicator, in its order. Communicators of the same ranks in the same
  /// order are one.
  std::vector<std::vector<int>> members = {};
  std::vector<SequenceShape> shapes = {};            ///< each different one once
  std::vector<std::vector<RankCall>> of_ranks = {};  ///< [rank], in the rank's order
  std::vector<std::size_t> calls = {};  ///< shapes, in an order that each rank's own agrees with
  std::int64_t left_out = 0;            ///< calls that not all their ranks have: cut off

  /// Returns the time from the first arrival to the last exit if the calls took no time: what the
  /// ranks pass between their calls.
  [[nodiscard]] std::int64_t shortest_ns() const;
  /// Returns the longest time that one rank passes between two calls.
  [[nodiscard]] std::int64_t longest_gap_ns() const;
  /// Drops the gaps: then all calls follow each other.
  void drop_gaps();
};

/// Makes the sequence of the calls on record, which are of one operation; `traces` are of all
/// ranks, in their order. `most`: only the first so many calls are taken. Throws text::InputError
/// with `option` and the folder: ranks whose records do not fit together, or calls in orders in
/// which they would wait for ever.
CallSequence make_sequence(std::string_view option, const std::string& folder,
                           std::span<const formats::RankTrace> traces,
                           std::optional<std::int64_t> most = {});

}  // namespace gatherbench::bench
