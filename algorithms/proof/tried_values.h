// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/algorithm.h"

namespace gatherbench::proof {

/// A value of a parameter, and the size of blocks to try it with, if that matters.
struct TriedValue {
  algorithms::ParameterValue value;
  std::int64_t block_bytes = 0;
};

/// Returns the values of this parameter that the proof tries: the default first, if it is one of
/// them, and fewer for more ranks. None are returned where the parameter changes nothing that a
/// proof sees, or is tried elsewhere.
std::vector<TriedValue> tried_values(const algorithms::Algorithm& algorithm, std::size_t parameter,
                                     int ranks);

}  // namespace gatherbench::proof
