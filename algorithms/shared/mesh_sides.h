// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "algorithms/shared/formulas.h"
#include "algorithms/shared/limits.h"

// Ranks in a mesh of two or three dimensions, and what goes by its sides.
namespace gatherbench::algorithms {

/// Returns the sides of a mesh of p ranks, the shortest first, all of 2 or more and as near to each
/// other as can be (their sum is smallest); zeros if p has no such factors.
std::array<int, 2> mesh_sides_2d(int ranks);
std::array<int, 3> mesh_sides_3d(int ranks);

inline constexpr Needs in_two_factors{
    "p = x y, both > 1", [](const Problem& problem) {
      return limits::unless(mesh_sides_2d(problem.ranks)[0] > 0,
                            "a number of ranks that is a product of two numbers of 2 or more",
                            problem);
    }};
inline constexpr Needs in_three_factors{
    "p = x y z, all > 1", [](const Problem& problem) {
      return limits::unless(mesh_sides_3d(problem.ranks)[0] > 0,
                            "a number of ranks that is a product of three numbers of 2 or more",
                            problem);
    }};

inline constexpr Formula two_steps{"2", [](const Problem&) -> Amount { return 2; }};
inline constexpr Formula three_steps{"3", [](const Problem&) -> Amount { return 3; }};

// The messages of all ranks: each rank sends one to each other rank of each line that it is in.
inline constexpr Formula to_each_of_two_lines{"p(x+y-2)", [](const Problem& problem) -> Amount {
                                                const auto [x, y] = mesh_sides_2d(problem.ranks);
                                                return formulas::ranks(problem) * (x + y - 2);
                                              }};
inline constexpr Formula to_each_of_three_lines{"p(x+y+z-3)", [](const Problem& problem) -> Amount {
                                                  const auto [x, y, z] =
                                                      mesh_sides_3d(problem.ranks);
                                                  return formulas::ranks(problem) * (x + y + z - 3);
                                                }};

}  // namespace gatherbench::algorithms
