// SPDX-License-Identifier: BSD-3-Clause
#include "bench/measure/case_result.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace gatherbench::bench {

std::vector<formats::Iteration> Timings::counted() const {
  std::vector<formats::Iteration> found;
  std::ranges::copy_if(iterations, std::back_inserter(found), std::logical_not<>(),
                       &formats::Iteration::late);
  return found;
}

Timings slowest_of(std::span<const Timings> groups) {
  Timings slowest;
  for (std::size_t i = 0; i < groups[0].iterations.size(); ++i) {
    const Timings& worst = *std::ranges::max_element(
        groups, {}, [i](const Timings& group) { return group.iterations[i]["avg_us"]; });
    slowest.iterations.push_back(worst.iterations[i]);
    slowest.iterations.back().late =
        std::ranges::any_of(groups, [i](const Timings& group) { return group.iterations[i].late; });
    if (!worst.chosen.empty()) slowest.chosen.push_back(worst.chosen[i]);
  }
  return slowest;
}

}  // namespace gatherbench::bench
