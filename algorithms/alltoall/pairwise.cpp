// SPDX-License-Identifier: BSD-3-Clause
//
// Shift ("ring" of the STAGE-MPI repository) and pair, all-to-all: p-1 steps, in each of which a
// rank sends one rank its block and receives one; in step i (from 1) of shift to r+i and from r-i,
// of pair both with r XOR i. The variants keep the steps apart as those of the all-gathers of these
// names do (algorithms/direct/pairwise.cpp).
//
// Steps   p-1, one block each; with light barriers p-2 steps of tokens between them
// Cost    (p-1) (alpha + c beta) for blocks of c bytes, and the barriers
// Limits  pair: p a power of two; n_barriers: 1 <= n <= p-2
// Memory  none beside the buffers
// Source  Faraj 2006, section 4.1.1
#include "algorithms/alltoall/pairs.h"

namespace gatherbench::algorithms {
namespace {

using namespace exchanges;

template <PeersOf peers_of, Between between>
constexpr Algorithm row(const Algorithm& given) {
  return one_by_one_row<peers_of, between, alltoall::block_for>(given);
}

}  // namespace

extern constinit const Algorithm alltoall_shift =
    row<shifted, Between::nothing>({.name = "shift",
                                    .summary = "a block to r+1, r+2, ... one by one",
                                    .source = "Faraj 2006, 4.1.1",
                                    .default_of = "MPICH (large blocks, p no power of two)",
                                    .kind = &collectives::alltoall,
                                    .can_be_phase = true});

extern constinit const Algorithm alltoall_shift_light_barrier =
    row<shifted, Between::tokens>({.name = "shift_light_barrier",
                                   .summary = "shift, each step begun by a token from the receiver",
                                   .source = "Faraj 2006, 4.1.1",
                                   .kind = &collectives::alltoall,
                                   .can_be_phase = true});

extern constinit const Algorithm alltoall_shift_mpi_barrier =
    row<shifted, Between::barrier>({.name = "shift_mpi_barrier",
                                    .title = "Shift, MPI barrier",
                                    .summary = "shift, a barrier between steps",
                                    .source = "Faraj 2006, 4.1.1",
                                    .kind = &collectives::alltoall,
                                    .can_be_phase = true});

extern constinit const Algorithm alltoall_shift_n_barriers =
    row<shifted, Between::some_barriers>({.name = "shift_n_barriers",
                                          .summary = "shift, n barriers spread evenly",
                                          .source = "Faraj 2006, 4.1.1",
                                          .kind = &collectives::alltoall});

extern constinit const Algorithm alltoall_pair = row<paired, Between::nothing>(
    {.name = "pair",
     .summary = "exchange blocks with r XOR 1, r XOR 2, ... one by one",
     .source = "Faraj 2006, 4.1.1",
     .default_of = "MPICH (large blocks)",
     .kind = &collectives::alltoall,
     .can_be_phase = true});

extern constinit const Algorithm alltoall_pair_light_barrier =
    row<paired, Between::tokens>({.name = "pair_light_barrier",
                                  .summary = "pair, each step begun by a token from the partner",
                                  .source = "Faraj 2006, 4.1.1",
                                  .kind = &collectives::alltoall,
                                  .can_be_phase = true});

extern constinit const Algorithm alltoall_pair_mpi_barrier =
    row<paired, Between::barrier>({.name = "pair_mpi_barrier",
                                   .title = "Pair, MPI barrier",
                                   .summary = "pair, a barrier between steps",
                                   .source = "Faraj 2006, 4.1.1",
                                   .kind = &collectives::alltoall,
                                   .can_be_phase = true});

extern constinit const Algorithm alltoall_pair_n_barriers =
    row<paired, Between::some_barriers>({.name = "pair_n_barriers",
                                         .summary = "pair, n barriers spread evenly",
                                         .source = "Faraj 2006, 4.1.1",
                                         .kind = &collectives::alltoall});

}  // namespace gatherbench::algorithms
