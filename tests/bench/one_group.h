// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>
#include <vector>

#include "bench/plan/groups.h"

namespace gatherbench::bench {

/// All ranks, as a launch without --groups has them.
inline std::vector<Group> one_group(int ranks, const algorithms::Placement& placement) {
  Group group{.name = "all", .ranks = {}, .placement = placement};
  group.ranks.resize(static_cast<std::size_t>(ranks));
  std::iota(group.ranks.begin(), group.ranks.end(), 0);
  return {group};
}

}  // namespace gatherbench::bench
