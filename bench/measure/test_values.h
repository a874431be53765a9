// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>

#include "bench/options/operators.h"

// The elements that are combined to check a reduction. Each tells of its rank and its place, and
// the result has the same bits in whatever order operands are combined, floating-point numbers
// too: these are small whole ones. No sum and no product overflows.
namespace gatherbench::bench {

/// Fills in what one of so many ranks contributes to a vector of whole elements. The first element
/// has what otherwise is in place `first`, so that calls can differ.
void fill_contribution(const Operator& with, std::span<std::byte> vector, int rank, int ranks,
                       std::size_t first = 0);

/// Fills in what the operator makes of the contributions of so many ranks, in their order.
void fill_result(const Operator& with, std::span<std::byte> vector, int ranks,
                 std::size_t first = 0);

}  // namespace gatherbench::bench
