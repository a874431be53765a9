// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/parameter.h"

namespace gatherbench::algorithms {

/// With how many ranks at a time an algorithm exchanges, itself included.
inline constexpr Parameter radix{
    .name = "k", .summary = "radix, 2 or more", .default_value = Count{2}, .min = 2};

}  // namespace gatherbench::algorithms
