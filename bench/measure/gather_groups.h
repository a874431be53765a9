// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "bench/measure/case_result.h"
#include "bench/plan/groups.h"

namespace gatherbench::bench {

/// Returns, on rank 0 of all, the times that the lowest rank of each group has, in the order of
/// groups; on other ranks nothing. Collective over the lowest ranks; on others it does nothing.
std::vector<Timings> gather_groups(Timings own, const GroupComms& comms);

/// Puts later iterations of the same algorithm, group and load behind earlier ones.
void append(Timings& earlier, Timings later);

}  // namespace gatherbench::bench
