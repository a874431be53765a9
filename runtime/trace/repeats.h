// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>

#include "formats/trace/record.h"
#include "runtime/trace/size.h"

namespace gatherbench::trace {

/// Which calls on a communicator are recorded with AGTRACE_SAMPLE. Of the calls that are alike, in
/// their operation and in how often their size can be halved, that is the first, and of each
/// `sample` after it one. Which one is drawn by a hash: each third call would always be the same
/// one in a loop of three. All that it goes by is the same on all ranks, so their choices are.
class Repeats {
 public:
  enum class Turn : std::uint8_t { first, drawn, left_out };

  /// Of the next call. `communicator`: the id that all its ranks know.
  Turn next(std::int64_t communicator, formats::TraceOperation operation, const Size& size,
            std::uint64_t sample);

 private:
  std::map<std::uint16_t, std::uint64_t> calls_;  // of those that are alike
};

}  // namespace gatherbench::trace
