// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

#include "formats/trace/record.h"

namespace gatherbench::trace {

/// The bytes that a call moves, see docs/how-to/trace.md for each operation.
struct Size {
  std::int64_t bytes = 0;
  std::int64_t total_bytes = 0;
};

/// Draws the calls on a communicator that are recorded with AGTRACE_SAMPLE. Calls are alike if they
/// have the same operation, and sizes that can be halved as often. Of such calls the first one is
/// recorded, and one of each `sample` after it. A hash draws which one: each third call would
/// always be the same one in a loop of three. All that decides is the same on all ranks, so their
/// choices are.
class Repeats {
 public:
  enum class Turn : std::uint8_t { first, drawn, left_out };

  /// Returns the turn of the next call. `communicator` is the id that all its ranks know.
  Turn next(std::int64_t communicator, formats::TraceOperation operation, const Size& size,
            std::uint64_t sample);

 private:
  std::map<std::uint16_t, std::uint64_t> calls_;  // of those that are alike
};

}  // namespace gatherbench::trace
