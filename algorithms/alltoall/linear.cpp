// SPDX-License-Identifier: BSD-3-Clause
//
// Linear ("simple") and spread ("spreading simple"), all-to-all: every rank sends its block for
// each other rank to that one and receives theirs, all in flight at once. Linear goes through the
// ranks from 0 on, spread from the next neighbour on, so that not all begin with the same receiver.
//
// Steps   1, with p-1 peers
// Cost    (p-1) (alpha + c beta) for blocks of c bytes
// Limits  none
// Memory  none beside the buffers; 2 (p-1) requests
// Source  Faraj 2006, section 4.1.1
#include "algorithms/alltoall/pairs.h"

namespace gatherbench::algorithms {
namespace {

template <bool spread>
constexpr Algorithm row(const Algorithm& given) {
  return exchanges::all_at_once_row<spread, alltoall::block_for>(given);
}

}  // namespace

extern constinit const Algorithm alltoall_linear =
    row<false>({.name = "linear",
                .summary = "send to all from rank 0 on, all in flight",
                .source = "Faraj 2006, 4.1.1",
                .kind = &collectives::alltoall,
                .can_be_phase = true});

extern constinit const Algorithm alltoall_spread =
    row<true>({.name = "spread",
               .summary = "send to all from the next rank on, all in flight",
               .source = "Faraj 2006, 4.1.1",
               .default_of = "MPICH (middle blocks)",
               .kind = &collectives::alltoall,
               .can_be_phase = true});

}  // namespace gatherbench::algorithms
