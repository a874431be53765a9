// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "formats/row.h"

namespace gatherbench::bench {

/// One number of each iteration, in their order.
inline std::vector<double> column(std::span<const formats::Iteration> iterations,
                                  double formats::Iteration::*member) {
  std::vector<double> values;
  values.reserve(iterations.size());
  for (const formats::Iteration& iteration : iterations) values.push_back(iteration.*member);
  return values;
}

/// Returns one number of each iteration that has it, in their order.
inline std::vector<double> column(std::span<const formats::Iteration> iterations,
                                  std::optional<double> formats::Iteration::*member) {
  std::vector<double> values;
  for (const formats::Iteration& iteration : iterations) {
    if (iteration.*member) values.push_back(*(iteration.*member));
  }
  return values;
}

}  // namespace gatherbench::bench
