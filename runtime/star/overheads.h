// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/policies/policy.h"

namespace gatherbench::star {

/// The time that this rank took between calls, to agree and to make algorithms ready.
struct Overhead {
  std::int64_t calls = 0;  ///< calls that the time was spent for
  std::int64_t ns = 0;

  /// Negative without calls.
  [[nodiscard]] std::int64_t ns_a_call() const { return calls == 0 ? -1 : ns / calls; }
};

/// Apart by what the calls were for (Faraj 2006, 4.3.2.3): in a call plan that has each of some
/// calls timed, algorithms are tried; in any other, the one in use is watched.
struct Overheads {
  Overhead selecting;   ///< his O_MS^a
  Overhead monitoring;  ///< his O_MA

  /// Adds the time that it took to go on from the calls of this plan.
  void add(const policies::CallPlan& done, std::int64_t ns) {
    const bool tries =
        std::ranges::find(done, policies::Timing::each, &policies::Phase::timing) != done.end();
    Overhead& overhead = tries ? selecting : monitoring;
    overhead.ns += ns;
    for (const policies::Phase& phase : done) overhead.calls += phase.calls;
  }
};

}  // namespace gatherbench::star
