// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "bench/collective.h"

namespace gatherbench::bench {

/// What --list prints: the algorithms with what they need and cost, those of the MPI library at
/// hand, and the distributions.
std::string listing(Collective collective);

}  // namespace gatherbench::bench
