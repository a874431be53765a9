// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "formats/iteration.h"

namespace gatherbench::bench {

/// Returns a time of each iteration that has it, in their order.
inline std::vector<double> column(std::span<const formats::Iteration> iterations,
                                  formats::IterationTime time) {
  std::vector<double> values;
  values.reserve(iterations.size());
  for (const formats::Iteration& iteration : iterations) {
    if (iteration.has(time)) values.push_back(iteration[time]);
  }
  return values;
}

}  // namespace gatherbench::bench
