// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/policies/policy.h"

#include <algorithm>

namespace gatherbench::policies {

std::int64_t Phase::times() const {
  switch (timing) {
    case Timing::none:
      return 0;
    case Timing::each:
      return calls;
    case Timing::sampled:
      return std::min(calls, most_samples);
    case Timing::summed:
      return 1;
  }
  return 0;
}

bool Phase::is_timed(std::int64_t call) const {
  if (timing == Timing::none) return false;
  if (timing != Timing::sampled || calls <= most_samples) return true;
  // The first call of each sixteenth.
  return call == 0 || call * most_samples / calls != (call - 1) * most_samples / calls;
}

std::int64_t Phase::next_timed(std::int64_t call) const {
  if (timing == Timing::none) return calls;
  if (is_timed(call)) return call;
  const std::int64_t sixteenth = call * most_samples / calls + 1;
  return (sixteenth * calls + most_samples - 1) / most_samples;
}

}  // namespace gatherbench::policies
