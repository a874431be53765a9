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
#include "algorithms/shared/mesh_sides.h"

namespace gatherbench::algorithms {
namespace {

/// Adds a step in which every rank exchanges the `held` blocks of its aligned range with the others
/// of its line: `side` ranks that are `held` apart.
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

extern constinit const Algorithm mesh2d{.name = "mesh2d",
                                        .title = "2D mesh",
                                        .summary = "all-gather in rows, then in columns of a mesh",
                                        .source = "Faraj 2006, 4.1.1.1",
                                        .needs = in_two_factors,
                                        .can_be_inner = true,
                                        .steps = two_steps,
                                        .messages = to_each_of_two_lines,
                                        .bytes = formulas::all_bytes,
                                        .how = Schedules{.of_rank = in_two_dimensions}};

extern constinit const Algorithm mesh3d{.name = "mesh3d",
                                        .title = "3D mesh",
                                        .summary = "the same in three dimensions",
                                        .source = "Faraj 2006, 4.1.1.1",
                                        .needs = in_three_factors,
                                        .can_be_inner = true,
                                        .steps = three_steps,
                                        .messages = to_each_of_three_lines,
                                        .bytes = formulas::all_bytes,
                                        .how = Schedules{.of_rank = in_three_dimensions}};

}  // namespace gatherbench::algorithms
