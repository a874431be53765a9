// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>

#include "algorithms/algorithm.h"

// Formulas of steps, messages and bytes that several algorithms share. The proof compares them with
// the schedules.
namespace gatherbench::algorithms::formulas {

inline std::int64_t ranks(const Problem& problem) { return problem.ranks; }

inline std::int64_t log2_ceil(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(number) - 1));
}

// The number of steps.
inline constexpr Formula p_minus_1{
    "p-1", [](const Problem& problem) -> Amount { return ranks(problem) - 1; }};
inline constexpr Formula log2_p{
    "log2 p", [](const Problem& problem) -> Amount { return log2_ceil(ranks(problem)); }};

// The messages of all ranks together: each rank receives every other rank's block in a message of
// its own.
inline constexpr Formula each_block_once{"p(p-1)", [](const Problem& problem) -> Amount {
                                           return ranks(problem) * (ranks(problem) - 1);
                                         }};

inline constexpr Formula no_closed_form{"no closed form",
                                        [](const Problem&) -> Amount { return std::nullopt; }};

// The bytes that all ranks send together: each rank receives the c bytes of every other rank once.
inline constexpr Formula all_bytes{"p(p-1)c", [](const Problem& problem) -> Amount {
                                     return ranks(problem) * (ranks(problem) - 1) *
                                            problem.bytes(0);
                                   }};

}  // namespace gatherbench::algorithms::formulas
