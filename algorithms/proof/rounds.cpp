// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/proof/rounds.h"

#include "algorithms/proof/symbolic_run.h"

namespace gatherbench::proof {

Rounds find_rounds(std::span<const algorithms::Schedule> schedules,
                   const Assumptions& assumptions) {
  Rounds rounds;
  rounds.ranks.resize(schedules.size());
  rounds.fault = SymbolicRun(schedules, assumptions, &rounds).run().fault;
  return rounds;
}

}  // namespace gatherbench::proof
