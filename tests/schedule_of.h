// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <utility>

#include "algorithms/choice/choice.h"
#include "algorithms/choice/parse_algorithms.h"

namespace gatherbench {

/// "bruck:k=3" as the user writes it.
inline algorithms::Choice choice(std::string_view text) {
  return algorithms::parse_algorithms("--algorithms", text).front();
}

/// One rank's schedule of an algorithm as the user writes it, where nothing but p matters.
inline algorithms::Schedule schedule_of(std::string_view text, int rank, int ranks) {
  const algorithms::Choice chosen = choice(text);
  algorithms::Problem problem = algorithms::problem_for(chosen, ranks);
  problem.rank = rank;
  return algorithms::make_schedule(*chosen.algorithm, problem);
}

}  // namespace gatherbench
