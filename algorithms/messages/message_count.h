// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "algorithms/schedule.h"

namespace gatherbench::messages {

/// Messages that a transfer takes where it is not packed, one for each run of blocks that lie
/// together in the buffer that the schedule works in (Loch 2021, 4.3). A token, which has no block,
/// is a message of its own.
/// `blocks`: how many there are, or of segments where the schedule cuts them.
std::int64_t count_messages(const algorithms::Transfer& transfer, int scratch_first_block,
                            int blocks);

/// The same on a circle, where block 0 follows the last one and the first range the last one of the
/// list: ranks whose schedules are one another's, shifted, count alike. It is one too few for the
/// rank whose run the last block cuts.
std::int64_t count_cyclic_messages(const algorithms::Transfer& transfer, int blocks);

}  // namespace gatherbench::messages
