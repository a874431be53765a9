// SPDX-License-Identifier: BSD-3-Clause
#include "tuning/policy.h"

#include <algorithm>

namespace gatherbench::tuning {

std::int64_t Stretch::times() const {
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

}  // namespace gatherbench::tuning
