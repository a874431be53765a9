// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "algorithms/schedule.h"
#include "algorithms/topology/network.h"

namespace gatherbench::proof {

/// Looks for messages of one step that share a link. Returns an empty text if in every step (of the
/// same number on all ranks) each direction of each link carries at most one message (a send to one
/// peer; a token counts). Else it returns one line that names the first such step, the link and the
/// ranks of two messages. `host_of_rank` are hosts of the network, `schedules` those of all ranks,
/// in rank order, with peers that exist. Messages between ranks of one host use no link. Time:
/// links on the paths of all messages.
std::string contention(const topology::Network& network, std::span<const int> host_of_rank,
                       std::span<const algorithms::Schedule> schedules);

}  // namespace gatherbench::proof
