// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "algorithms/registry.h"

// How many steps, messages and bytes the algorithms take, for the rows of the registry. The checker
// holds the schedules against them. p ranks, c bytes a block, N nodes, g ranks on the largest.
namespace gatherbench::algorithms::formulas {

extern const Formula one, two, three;  ///< 0 for one rank
extern const Formula p_minus_1, half_p, log2_p, ceil_log2_p;
extern const Formula each_block_once;  ///< messages: p(p-1)
extern const Formula pairs_of_blocks;  ///< p^2/2
extern const Formula all_bytes;        ///< p(p-1)c: nobody gets a block twice

extern const Formula with_tokens_steps, with_tokens_messages;
extern const Formula barriers_between, n_barriers;

extern const Formula radix_steps, radix_messages, radix_messages_in_place;
extern const Formula recursive_doubling_messages;
extern const Formula mesh2d_messages, mesh3d_messages;
extern const Formula gather_bcast_steps, gather_bcast_messages, gather_bcast_bytes;
extern const Formula linear_gather_steps, linear_gather_messages, linear_gather_bytes;
extern const Formula sorted_gather_steps, sorted_gather_messages;
extern const Formula ring_steps_at_once;  ///< none unless all arrive at once
extern const Formula recursive_exchange_steps, recursive_exchange_messages,
    recursive_exchange_bytes;
extern const Formula segment_steps, segment_messages;
extern const Formula leader_steps, leader_messages, leader_bytes;
extern const Formula lane_steps, lane_messages;

}  // namespace gatherbench::algorithms::formulas
