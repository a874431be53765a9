// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <utility>

#include "algorithms/choice.h"

namespace gatherbench {

/// "bruck:k=3" as the user writes it.
inline Choice choice(std::string_view text) {
  return parse_algorithms("--algorithms", text).front();
}

/// One rank's schedule of an algorithm as the user writes it, where nothing but p matters.
inline Schedule schedule_of(std::string_view text, int rank, int ranks) {
  const Choice chosen = choice(text);
  Problem problem = problem_for(chosen, ranks);
  problem.rank = rank;
  return make_schedule(*chosen.algorithm, problem);
}

}  // namespace gatherbench
