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
#include "algorithms/exchanges.h"

namespace gatherbench::algorithms {
namespace {

using namespace exchanges;

int own_block(int from, int /*to*/, int /*ranks*/) { return from; }

template <PeersOf peers_of, Between between>
constexpr Generator* schedule = one_by_one<peers_of, between, own_block>;

constexpr std::string_view source = "Faraj 2006, 4.1.1.1";

}  // namespace

extern constinit const Algorithm shift{.name = "shift",
                                       .summary = "own block to r+1, r+2, ... one by one",
                                       .source = source,
                                       .can_be_inner = true,
                                       .symmetry = Symmetry::shift,
                                       .growth = Growth::linear,
                                       .steps = formulas::p_minus_1,
                                       .messages = formulas::each_block_once,
                                       .bytes = formulas::all_bytes,
                                       .schedule = schedule<shifted, Between::nothing>};

extern constinit const Algorithm shift_light_barrier{
    .name = "shift_light_barrier",
    .summary = "shift, each step begun by a token from the receiver",
    .source = source,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = with_tokens_steps,
    .messages = with_tokens_messages,
    .bytes = formulas::all_bytes,
    .schedule = schedule<shifted, Between::tokens>};

extern constinit const Algorithm shift_mpi_barrier{.name = "shift_mpi_barrier",
                                                   .title = "Shift, MPI barrier",
                                                   .summary = "shift, a barrier between steps",
                                                   .source = source,
                                                   .symmetry = Symmetry::shift,
                                                   .growth = Growth::linear,
                                                   .steps = formulas::p_minus_1,
                                                   .messages = formulas::each_block_once,
                                                   .bytes = formulas::all_bytes,
                                                   .barriers = barriers_between,
                                                   .schedule = schedule<shifted, Between::barrier>};

extern constinit const Algorithm shift_n_barriers{
    .name = "shift_n_barriers",
    .summary = "shift, n barriers spread evenly",
    .source = source,
    .needs = three_ranks,
    .parameters = {barriers},
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .barriers = n_barriers,
    .schedule = schedule<shifted, Between::some_barriers>};

extern constinit const Algorithm pair{
    .name = "pair",
    .summary = "exchange own block with r XOR 1, r XOR 2, ... one by one",
    .source = source,
    .needs = limits::power_of_two,
    .can_be_inner = true,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .schedule = schedule<paired, Between::nothing>};

extern constinit const Algorithm pair_light_barrier{
    .name = "pair_light_barrier",
    .summary = "pair, each step begun by a token from the partner",
    .source = source,
    .needs = limits::power_of_two,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::linear,
    .steps = with_tokens_steps,
    .messages = with_tokens_messages,
    .bytes = formulas::all_bytes,
    .schedule = schedule<paired, Between::tokens>};

extern constinit const Algorithm pair_mpi_barrier{.name = "pair_mpi_barrier",
                                                  .title = "Pair, MPI barrier",
                                                  .summary = "pair, a barrier between steps",
                                                  .source = source,
                                                  .needs = limits::power_of_two,
                                                  .symmetry = Symmetry::bitwise_xor,
                                                  .growth = Growth::linear,
                                                  .steps = formulas::p_minus_1,
                                                  .messages = formulas::each_block_once,
                                                  .bytes = formulas::all_bytes,
                                                  .barriers = barriers_between,
                                                  .schedule = schedule<paired, Between::barrier>};

extern constinit const Algorithm pair_n_barriers{
    .name = "pair_n_barriers",
    .summary = "pair, n barriers spread evenly",
    .source = source,
    .needs = power_of_two_from_4,
    .parameters = {barriers},
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .barriers = n_barriers,
    .schedule = schedule<paired, Between::some_barriers>};

}  // namespace gatherbench::algorithms
