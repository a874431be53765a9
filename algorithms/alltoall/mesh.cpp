// SPDX-License-Identifier: BSD-3-Clause
//
// Mesh (2D and 3D mesh) and recursive doubling, all-to-all: ranks lie in a mesh, row by row; in
// each dimension in turn, every rank sends each other rank of its line all blocks that it has, of
// its own or of others, for ranks at that one's place in the dimension. Recursive doubling is the
// mesh with sides of 2. The sides of 2D and 3D are those of the all-gather of this name.
//
// Steps   2, 3, or log2 p, with x-1 peers in a dimension of x ranks, p/x blocks to each
// Cost    (x+y-2) alpha + (2p-x-y) c beta for p = x y; log2 p alpha + (p/2) log2 p c beta
// Limits  p a product of two (three) numbers of 2 or more; recursive doubling: a power of two
// Memory  scratch for the blocks that a rank passes on
// Source  Faraj 2006, section 4.1.1. Our reading: a rank sends on what is meant for others, and
//         nothing else.
//
//   p = 6 = 2 x 3, rank 0   sends
//   step 0, rows            to 1 its blocks for 1 and 4, to 2 those for 2 and 5
//   step 1, columns         to 3 the blocks for 3 of 0, 1 and 2
#include "algorithms/alltoall/pairs.h"
#include "algorithms/shared/mesh_sides.h"

namespace gatherbench::algorithms {
namespace {

/// Calls add(block) for each block from one rank of a line to another. The line is in a dimension
/// of `side` ranks that are `apart` ranks from each other; the dimensions before have blocks of
/// `apart` ranks together.
template <typename Add>
void for_each_block(int from, int to, int p, int apart, int side, Add add) {
  const int first = to % (apart * side);
  for (int origin = from / apart * apart; origin < from / apart * apart + apart; ++origin) {
    for (int target = first; target < p; target += apart * side) {
      add(alltoall::block_for(origin, target, p));
    }
  }
}

void exchange_in_line(Schedule& schedule, int r, int p, int apart, int side) {
  const int place = r / apart % side;
  const int line = r - place * apart;  // the rank at place 0
  schedule.begin_step();
  for (int i = 1; i < side; ++i) {
    const int to = line + (place + i) % side * apart;
    const int from = line + (place - i + side) % side * apart;
    for_each_block(r, to, p, apart, side, [&](int block) { schedule.send(to, {block, 1}); });
    for_each_block(from, r, p, apart, side, [&](int block) { schedule.receive(from, {block, 1}); });
  }
}

Schedule in_two_dimensions(const Problem& problem) {
  Schedule schedule;
  const auto [x, y] = mesh_sides_2d(problem.ranks);
  exchange_in_line(schedule, problem.rank, problem.ranks, 1, y);
  exchange_in_line(schedule, problem.rank, problem.ranks, y, x);
  return schedule;
}

Schedule in_three_dimensions(const Problem& problem) {
  Schedule schedule;
  const auto [x, y, z] = mesh_sides_3d(problem.ranks);
  exchange_in_line(schedule, problem.rank, problem.ranks, 1, x);
  exchange_in_line(schedule, problem.rank, problem.ranks, x, y);
  exchange_in_line(schedule, problem.rank, problem.ranks, x * y, z);
  return schedule;
}

Schedule doubling(const Problem& problem) {
  Schedule schedule;
  for (int apart = 1; apart < problem.ranks; apart *= 2) {
    exchange_in_line(schedule, problem.rank, problem.ranks, apart, 2);
  }
  return schedule;
}

}  // namespace

extern constinit const Algorithm alltoall_mesh2d{
    .name = "mesh2d",
    .title = "2D mesh",
    .summary = "all-to-all in rows, then in columns of a mesh, many blocks in a message",
    .source = "Faraj 2006, 4.1.1",
    .kind = &collectives::alltoall,
    .needs = in_two_factors,
    .steps = two_steps,
    .messages = to_each_of_two_lines,
    .bytes = Formula{"p(2p-x-y)c",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t p = problem.ranks;
                       const auto [x, y] = mesh_sides_2d(problem.ranks);
                       return p * (2 * p - x - y) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = in_two_dimensions}};

extern constinit const Algorithm alltoall_mesh3d{
    .name = "mesh3d",
    .title = "3D mesh",
    .summary = "the same in three dimensions",
    .source = "Faraj 2006, 4.1.1",
    .kind = &collectives::alltoall,
    .needs = in_three_factors,
    .steps = three_steps,
    .messages = to_each_of_three_lines,
    .bytes = Formula{"p(3p-xy-xz-yz)c",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t p = problem.ranks;
                       const auto [x, y, z] = mesh_sides_3d(problem.ranks);
                       return p * (3 * p - x * y - x * z - y * z) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = in_three_dimensions}};

extern constinit const Algorithm alltoall_recursive_doubling{
    .name = "recursive_doubling",
    .summary = "with r XOR 1, r XOR 2, r XOR 4, ... all blocks for the other half",
    .source = "Faraj 2006, 4.1.1",
    .kind = &collectives::alltoall,
    .needs = limits::power_of_two,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::logarithmic,
    .steps = formulas::log2_p,
    .messages = Formula{"p log2 p",
                        [](const Problem& problem) -> Amount {
                          const std::int64_t p = problem.ranks;
                          return p * formulas::log2_ceil(p);
                        }},
    .bytes = Formula{"p(p/2)log2(p)c",
                     [](const Problem& problem) -> Amount {
                       const std::int64_t p = problem.ranks;
                       return p * (p / 2) * formulas::log2_ceil(p) * problem.bytes(0);
                     }},
    .how = Schedules{.of_rank = doubling}};

}  // namespace gatherbench::algorithms
