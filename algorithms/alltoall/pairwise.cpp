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
constexpr Generator* schedule = one_by_one<peers_of, between, alltoall::block_for>;

constexpr std::string_view source = "Faraj 2006, 4.1.1";

}  // namespace

extern constinit const Algorithm alltoall_shift{
    .name = "shift",
    .summary = "a block to r+1, r+2, ... one by one",
    .source = source,
    .default_of = "MPICH (large blocks, p no power of two)",
    .kind = &collectives::alltoall,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .schedule = schedule<shifted, Between::nothing>};

extern constinit const Algorithm alltoall_shift_light_barrier{
    .name = "shift_light_barrier",
    .summary = "shift, each step begun by a token from the receiver",
    .source = source,
    .kind = &collectives::alltoall,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = with_tokens_steps,
    .messages = with_tokens_messages,
    .bytes = formulas::all_bytes,
    .schedule = schedule<shifted, Between::tokens>};

extern constinit const Algorithm alltoall_shift_mpi_barrier{
    .name = "shift_mpi_barrier",
    .title = "Shift, MPI barrier",
    .summary = "shift, a barrier between steps",
    .source = source,
    .kind = &collectives::alltoall,
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .barriers = barriers_between,
    .schedule = schedule<shifted, Between::barrier>};

extern constinit const Algorithm alltoall_shift_n_barriers{
    .name = "shift_n_barriers",
    .summary = "shift, n barriers spread evenly",
    .source = source,
    .kind = &collectives::alltoall,
    .needs = three_ranks,
    .parameters = {barriers},
    .symmetry = Symmetry::shift,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .barriers = n_barriers,
    .schedule = schedule<shifted, Between::some_barriers>};

extern constinit const Algorithm alltoall_pair{
    .name = "pair",
    .summary = "exchange blocks with r XOR 1, r XOR 2, ... one by one",
    .source = source,
    .default_of = "MPICH (large blocks)",
    .kind = &collectives::alltoall,
    .needs = limits::power_of_two,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .schedule = schedule<paired, Between::nothing>};

extern constinit const Algorithm alltoall_pair_light_barrier{
    .name = "pair_light_barrier",
    .summary = "pair, each step begun by a token from the partner",
    .source = source,
    .kind = &collectives::alltoall,
    .needs = limits::power_of_two,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::linear,
    .steps = with_tokens_steps,
    .messages = with_tokens_messages,
    .bytes = formulas::all_bytes,
    .schedule = schedule<paired, Between::tokens>};

extern constinit const Algorithm alltoall_pair_mpi_barrier{
    .name = "pair_mpi_barrier",
    .title = "Pair, MPI barrier",
    .summary = "pair, a barrier between steps",
    .source = source,
    .kind = &collectives::alltoall,
    .needs = limits::power_of_two,
    .symmetry = Symmetry::bitwise_xor,
    .growth = Growth::linear,
    .steps = formulas::p_minus_1,
    .messages = formulas::each_block_once,
    .bytes = formulas::all_bytes,
    .barriers = barriers_between,
    .schedule = schedule<paired, Between::barrier>};

extern constinit const Algorithm alltoall_pair_n_barriers{
    .name = "pair_n_barriers",
    .summary = "pair, n barriers spread evenly",
    .source = source,
    .kind = &collectives::alltoall,
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
