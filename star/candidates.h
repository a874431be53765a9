// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/choice.h"
#include "algorithms/placement.h"
#include "star/settings.h"

namespace gatherbench::star {

/// What a policy may choose from, `native` first: the algorithms that can run with these blocks,
/// without those that need a buffer as large as the result where that is large. Of agstar, which
/// has to bound what its first calls cost, AGSTAR_FIRST of those that are seldom bad. The same on
/// all ranks.
std::vector<algorithms::Choice> find_candidates(const Settings& settings,
                                                const algorithms::Placement& placement,
                                                std::span<const std::int64_t> block_bytes);

/// Whether the algorithm can run with these blocks.
[[nodiscard]] bool can_run(const algorithms::Choice& choice, const algorithms::Placement& placement,
                           std::span<const std::int64_t> block_bytes);

}  // namespace gatherbench::star
