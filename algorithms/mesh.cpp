// SPDX-License-Identifier: BSD-3-Clause
//
// Mesh (2D and 3D mesh of the STAGE-MPI repository): ranks lie in a mesh, row by row; in each
// dimension in turn, every rank sends all it holds to the others of its line, all in flight.
//
// Steps   2 or 3, with x-1 peers in a dimension of x ranks
// Cost    (x+y-2) alpha + (p-1) m/p beta for p = x y; (x+y+z-3) alpha + the same for p = x y z
// Limits  p a product of two (three) numbers of 2 or more; the sides are as near as can be
// Memory  none beside the receive buffer: what a rank holds is one range in every phase
// Source  Faraj 2006, section 4.1.1.1
//
//   p = 6 = 2 x 3, blocks held   rank 0         rank 1         ...   rank 5
//   start                        0 . . . . .    . 1 . . . .          . . . . . 5
//   step 0, rows                 0 1 2 . . .    0 1 2 . . .          . . . 3 4 5
//   step 1, columns              0 1 2 3 4 5    0 1 2 3 4 5          0 1 2 3 4 5
#include "algorithms/mesh.h"

#include "algorithms/registry.h"

namespace gatherbench::algorithms {

std::array<int, 2> mesh_sides_2d(int ranks) {
  std::array<int, 2> sides{};
  for (int x = 2; x * x <= ranks; ++x) {
    if (ranks % x == 0) sides = {x, ranks / x};
  }
  return sides;
}

std::array<int, 3> mesh_sides_3d(int ranks) {
  std::array<int, 3> sides{};
  int smallest_sum = ranks + 2;
  for (int x = 2; x * x * x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    const auto [y, z] = mesh_sides_2d(ranks / x);
    if (y < x || x + y + z >= smallest_sum) continue;
    smallest_sum = x + y + z;
    sides = {x, y, z};
  }
  return sides;
}

namespace {

/// Every rank exchanges the `held` blocks of its aligned range with the others of its line: `side`
/// ranks that are `held` apart.
void exchange_in_line(Schedule& schedule, int rank, int held, int side) {
  const int place = rank / held % side;
  const int line = rank - place * held;  // the rank at place 0
  schedule.begin_step();
  for (int i = 1; i < side; ++i) {
    const int to = line + (place + i) % side * held;
    const int from = line + (place - i + side) % side * held;
    schedule.send(to, {rank / held * held, held});
    schedule.receive(from, {from / held * held, held});
  }
}

}  // namespace

Schedule mesh2d(const Problem& problem) {
  Schedule schedule;
  const auto [x, y] = mesh_sides_2d(problem.ranks);
  exchange_in_line(schedule, problem.rank, 1, y);
  exchange_in_line(schedule, problem.rank, y, x);
  return schedule;
}

Schedule mesh3d(const Problem& problem) {
  Schedule schedule;
  const auto [x, y, z] = mesh_sides_3d(problem.ranks);
  exchange_in_line(schedule, problem.rank, 1, z);
  exchange_in_line(schedule, problem.rank, z, y);
  exchange_in_line(schedule, problem.rank, y * z, x);
  return schedule;
}

}  // namespace gatherbench::algorithms
