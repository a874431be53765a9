// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "algorithms/collectives/collective.h"

namespace gatherbench::bench {

/// Returns what --list prints: the algorithms with what they need and cost, those of the MPI
/// library at hand, and the distributions.
std::string make_listing(const collectives::Collective& collective);

}  // namespace gatherbench::bench
