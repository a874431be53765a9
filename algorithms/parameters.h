// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/registry.h"

// The parameters that algorithms take, for the rows of the registry.
namespace gatherbench::algorithms::parameters {

inline constexpr Parameter radix{
    .name = "k", .summary = "radix, 2 or more", .otherwise = "2", .smallest = 2};
inline constexpr Parameter barriers{.name = "n",
                                    .summary = "barriers, 1 to p-2",
                                    .otherwise = "1",
                                    .largest_text = "p-2",
                                    .largest = [](std::int64_t ranks) { return ranks - 2; }};
// The default is MPICH's for its pipelined ring.
inline constexpr Parameter segment{.name = "segment",
                                   .summary = "bytes of a segment, 1 or more",
                                   .otherwise = "32K",
                                   .kind = ParameterKind::bytes};
inline constexpr Parameter head{.name = "head",
                                .summary = "bytes of a block's short part, 1 or more",
                                .otherwise = "1K",
                                .kind = ParameterKind::bytes};
inline constexpr Parameter message_time{.name = "tau",
                                        .summary = "time of a block's message, 13ms, or measured",
                                        .otherwise = "measured",
                                        .kind = ParameterKind::time};
inline constexpr Parameter inner{.name = "inner",
                                 .summary = "the algorithm between nodes",
                                 .otherwise = "bruck_in_place",
                                 .kind = ParameterKind::inner_algorithm};

}  // namespace gatherbench::algorithms::parameters
