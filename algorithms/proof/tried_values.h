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

/// What an algorithm is proven with of its parameter with this number, its default first where that
/// is one of them; the fewer the more ranks there are. Empty: the parameter changes nothing that a
/// proof sees, or is tried elsewhere.
std::vector<TriedValue> tried_values(const algorithms::Algorithm& algorithm, std::size_t parameter,
                                     int ranks);

}  // namespace gatherbench::proof
