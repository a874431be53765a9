// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "algorithms/collectives/collective.h"
#include "bench/plan/setup.h"

namespace gatherbench::bench {

/// Returns what --list prints: the algorithms with what they need and cost, those of the MPI
/// library at hand, and the distributions.
std::string make_listing(const collectives::Collective& collective);

/// Returns what --dry-run prints.
std::string describe_dry_run(const Setup& setup);

}  // namespace gatherbench::bench
