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
#include "algorithms/shared/exchanges.h"

namespace gatherbench::algorithms {
namespace {

using namespace exchanges;

template <PeersOf peers_of, Between between>
constexpr Algorithm row(const Algorithm& given) {
  return one_by_one_row<peers_of, between, own_block>(given);
}

constexpr std::string_view source = "Faraj 2006, 4.1.1.1";

}  // namespace

extern constinit const Algorithm shift =
    row<shifted, Between::nothing>({.name = "shift",
                                    .summary = "own block to r+1, r+2, ... one by one",
                                    .source = source,
                                    .can_be_inner = true});

extern constinit const Algorithm shift_light_barrier =
    row<shifted, Between::tokens>({.name = "shift_light_barrier",
                                   .summary = "shift, each step begun by a token from the receiver",
                                   .source = source,
                                   .can_be_phase = true});

extern constinit const Algorithm shift_mpi_barrier =
    row<shifted, Between::barrier>({.name = "shift_mpi_barrier",
                                    .title = "Shift, MPI barrier",
                                    .summary = "shift, a barrier between steps",
                                    .source = source,
                                    .can_be_phase = true});

extern constinit const Algorithm shift_n_barriers = row<shifted, Between::some_barriers>(
    {.name = "shift_n_barriers", .summary = "shift, n barriers spread evenly", .source = source});

extern constinit const Algorithm pair = row<paired, Between::nothing>(
    {.name = "pair",
     .summary = "exchange own block with r XOR 1, r XOR 2, ... one by one",
     .source = source,
     .can_be_inner = true});

extern constinit const Algorithm pair_light_barrier =
    row<paired, Between::tokens>({.name = "pair_light_barrier",
                                  .summary = "pair, each step begun by a token from the partner",
                                  .source = source,
                                  .can_be_phase = true});

extern constinit const Algorithm pair_mpi_barrier =
    row<paired, Between::barrier>({.name = "pair_mpi_barrier",
                                   .title = "Pair, MPI barrier",
                                   .summary = "pair, a barrier between steps",
                                   .source = source,
                                   .can_be_phase = true});

extern constinit const Algorithm pair_n_barriers = row<paired, Between::some_barriers>(
    {.name = "pair_n_barriers", .summary = "pair, n barriers spread evenly", .source = source});

}  // namespace gatherbench::algorithms
