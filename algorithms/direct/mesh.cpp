// SPDX-License-Identifier: BSD-3-Clause
//
// Mesh (2D and 3D mesh of the STAGE-MPI repository): ranks lie in a mesh, row by row; in each
// dimension in turn, every rank sends all it holds to the others of its line, all in flight. As in
// STAGE-MPI, the rows of a 2D mesh are the longer side, those of a 3D mesh the shortest.
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
#include <array>

#include "algorithms/formulas.h"
#include "algorithms/limits.h"

namespace gatherbench::algorithms {
namespace {

/// The sides of a mesh of p ranks, the shortest first, all of 2 or more and as near to each other
/// as can be (their sum is smallest); zeros if p has no such factors.
std::array<int, 2> mesh_sides_2d(int ranks) {
  std::array<int, 2> sides{};
  for (int x = 2; x * x <= ranks; ++x) {
    if (ranks % x == 0) sides = {x, ranks / x};
  }
  return sides;
}

std::array<int, 3> mesh_sides_3d(int ranks) {
  std::array<int, 3> sides{};
  int min_sum = ranks + 2;
  for (int x = 2; x * x * x <= ranks; ++x) {
    if (ranks % x != 0) continue;
    const auto [y, z] = mesh_sides_2d(ranks / x);
    if (y < x || x + y + z >= min_sum) continue;
    min_sum = x + y + z;
    sides = {x, y, z};
  }
  return sides;
}

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

Schedule in_two_dimensions(const Problem& problem) {
  Schedule schedule;
  const auto [x, y] = mesh_sides_2d(problem.ranks);
  exchange_in_line(schedule, problem.rank, 1, y);
  exchange_in_line(schedule, problem.rank, y, x);
  return schedule;
}

Schedule in_three_dimensions(const Problem& problem) {
  Schedule schedule;
  const auto [x, y, z] = mesh_sides_3d(problem.ranks);
  exchange_in_line(schedule, problem.rank, 1, x);
  exchange_in_line(schedule, problem.rank, x, y);
  exchange_in_line(schedule, problem.rank, x * y, z);
  return schedule;
}

}  // namespace

extern constinit const Algorithm mesh2d{
    .name = "mesh2d",
    .title = "2D mesh",
    .summary = "all-gather in rows, then in columns of a mesh",
    .source = "Faraj 2006, 4.1.1.1",
    .needs = Needs{"p = x y, both > 1",
                   [](const Problem& problem) {
                     return limits::unless(
                         mesh_sides_2d(problem.ranks)[0] > 0,
                         "a number of ranks that is a product of two numbers of 2 or more",
                         problem);
                   }},
    .can_be_inner = true,
    .steps = Formula{"2", [](const Problem&) -> Amount { return 2; }},
    .messages = Formula{"p(x+y-2)",
                        [](const Problem& problem) -> Amount {
                          const auto [x, y] = mesh_sides_2d(problem.ranks);
                          return formulas::ranks(problem) * (x + y - 2);
                        }},
    .bytes = formulas::all_bytes,
    .schedule = in_two_dimensions};

extern constinit const Algorithm mesh3d{
    .name = "mesh3d",
    .title = "3D mesh",
    .summary = "the same in three dimensions",
    .source = "Faraj 2006, 4.1.1.1",
    .needs = Needs{"p = x y z, all > 1",
                   [](const Problem& problem) {
                     return limits::unless(
                         mesh_sides_3d(problem.ranks)[0] > 0,
                         "a number of ranks that is a product of three numbers of 2 or more",
                         problem);
                   }},
    .can_be_inner = true,
    .steps = Formula{"3", [](const Problem&) -> Amount { return 3; }},
    .messages = Formula{"p(x+y+z-3)",
                        [](const Problem& problem) -> Amount {
                          const auto [x, y, z] = mesh_sides_3d(problem.ranks);
                          return formulas::ranks(problem) * (x + y + z - 3);
                        }},
    .bytes = formulas::all_bytes,
    .schedule = in_three_dimensions};

}  // namespace gatherbench::algorithms
