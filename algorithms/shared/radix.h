// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/parameter.h"

namespace gatherbench::algorithms {

/// The number of ranks that exchange with each other at a time.
inline constexpr Parameter radix{
    .name = "k", .summary = "radix, 2 or more", .default_value = Count{2}, .min = 2};

/// The number of ranks that exchange with each other, for each step in turn; after the last of the
/// list its first one is next.
inline constexpr Parameter radices{.name = "k",
                                   .summary = "radix, 2 or more; 3x2: of the steps in turn",
                                   .default_value = Numbers{2},
                                   .min = 2};

/// Returns the prime factors of a number of 1 or more, each as often as it divides, ascending.
Numbers prime_factors(int number);

}  // namespace gatherbench::algorithms
