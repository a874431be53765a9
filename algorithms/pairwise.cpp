// SPDX-License-Identifier: BSD-3-Clause
//
// Shift ("ring" of the STAGE-MPI repository, which is no ring of neighbours) and pair: p-1 steps,
// in each of which a rank sends its own block to one rank and receives one; in step i (from 1) of
// shift to r+i and from r-i, of pair both with r XOR i. The variants keep the steps apart, so that
// no rank receives from two at once:
//   _light_barrier  before its next step a rank tells the one that will send to it that it is
//                   ready, with a message without bytes, and waits for the same
//   _mpi_barrier    a barrier over all ranks between steps
//   _n_barriers     n of these, spread evenly
//
// Steps   p-1, one block each; with light barriers p-2 steps of tokens between them
// Cost    (p-1) (alpha + m/p beta), and the barriers
// Limits  pair: p a power of two; n_barriers: 1 <= n <= p-2
// Memory  none beside the receive buffer
// Source  Faraj 2006, section 4.1.1.1. It has n barriers "every (p-1)/(n+1) steps"; rounded up that
//         would make fewer than n, so barrier j comes before step floor(j (p-1)/(n+1)).
//
//   p = 4, rank 1   shift                 pair
//   step 1          to 2, from 0          with 0
//   step 2          to 3, from 3          with 3
//   step 3          to 0, from 2          with 2
#include "algorithms/registry.h"

namespace gatherbench::algorithms {
namespace {

enum class Between { nothing, tokens, barrier, some_barriers };

struct Peers {
  int to;
  int from;
};
using PeersOf = Peers(int rank, int ranks, int i);

Peers shifted(int r, int p, int i) { return {(r + i) % p, (r - i + p) % p}; }
Peers paired(int r, int, int i) { return {r ^ i, r ^ i}; }

Schedule one_by_one(const Problem& problem, PeersOf peers_of, Between between) {
  const int r = problem.rank;
  const int p = problem.ranks;
  const std::int64_t barriers = problem.parameter;
  Schedule schedule;
  const auto steps = static_cast<std::size_t>(p) - 1;
  const std::size_t tokens = between == Between::tokens ? steps : 0;
  schedule.reserve(steps + tokens, steps + tokens, steps);
  std::int64_t barriers_done = 0;
  for (int i = 1; i < p; ++i) {
    const auto [to, from] = peers_of(r, p, i);
    bool barrier = between == Between::barrier && i > 1;
    if (between == Between::some_barriers && barriers_done < barriers &&
        i - 1 == (barriers_done + 1) * (p - 1) / (barriers + 1)) {
      barrier = true;
      ++barriers_done;
    }
    if (between == Between::tokens && i > 1) {
      schedule.begin_step();
      schedule.send_token(from);
      schedule.receive_token(to);
    }
    schedule.begin_step(barrier);
    schedule.send(to, {r, 1});
    schedule.receive(from, {from, 1});
  }
  return schedule;
}

}  // namespace

Schedule shift(const Problem& problem) { return one_by_one(problem, shifted, Between::nothing); }
Schedule shift_light_barrier(const Problem& problem) {
  return one_by_one(problem, shifted, Between::tokens);
}
Schedule shift_mpi_barrier(const Problem& problem) {
  return one_by_one(problem, shifted, Between::barrier);
}
Schedule shift_n_barriers(const Problem& problem) {
  return one_by_one(problem, shifted, Between::some_barriers);
}

Schedule pair(const Problem& problem) { return one_by_one(problem, paired, Between::nothing); }
Schedule pair_light_barrier(const Problem& problem) {
  return one_by_one(problem, paired, Between::tokens);
}
Schedule pair_mpi_barrier(const Problem& problem) {
  return one_by_one(problem, paired, Between::barrier);
}
Schedule pair_n_barriers(const Problem& problem) {
  return one_by_one(problem, paired, Between::some_barriers);
}

}  // namespace gatherbench::algorithms
