// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

namespace gatherbench::algorithms {

/// The sides of a mesh of p ranks, the shortest first, all of 2 or more and as near to each other
/// as can be (their sum is smallest); zeros if p has no such factors.
std::array<int, 2> mesh_sides_2d(int ranks);
std::array<int, 3> mesh_sides_3d(int ranks);

}  // namespace gatherbench::algorithms
