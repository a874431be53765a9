// SPDX-License-Identifier: BSD-3-Clause
//
// Linear ("simple") and spread ("spreading simple"): every rank sends its block to every other rank
// and receives theirs, all in flight at once. Linear goes through the ranks from 0 on, spread from
// the next neighbour on, so that not all begin with the same receiver.
//
// Steps   1, with p-1 peers
// Cost    (p-1) (alpha + m/p beta)
// Limits  none
// Memory  none beside the receive buffer; 2 (p-1) requests
// Source  Faraj 2006, section 4.1.1.1; Pappalardo et al., algorithm 1 (there blocking)
//
//   p = 4   linear sends to     spread sends to
//   rank 0  1 2 3               1 2 3
//   rank 2  0 1 3               3 0 1
#include "algorithms/shared/exchanges.h"

namespace gatherbench::algorithms {
namespace {

template <bool spread>
constexpr Algorithm row(const Algorithm& given) {
  return exchanges::all_at_once_row<spread, exchanges::own_block>(given);
}

}  // namespace

extern constinit const Algorithm linear =
    row<false>({.name = "linear",
                .summary = "send to all from rank 0 on, all in flight",
                .source = "Faraj 2006, 4.1.1.1",
                .can_be_inner = true});

extern constinit const Algorithm spread = row<true>(
    {.name = "spread",
     .summary = "send to all from the next rank on, all in flight",
     .source = "Faraj 2006, 4.1.1.1",
     .default_of = "Open MPI main (one node, middle and large blocks), RCCL (to 16 nodes)",
     .can_be_inner = true});

}  // namespace gatherbench::algorithms
