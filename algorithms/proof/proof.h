// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

#include "algorithms/choice/choice.h"
#include "algorithms/proof/findings.h"
#include "algorithms/schedule.h"
#include "algorithms/topology/network.h"

// The proof: all ranks' schedules run symbolically, with no MPI and no bytes.
namespace gatherbench::proof {

/// Looks for messages of one step that share a link. Returns an empty text if in every step (of the
/// same number on all ranks) each direction of each link carries at most one message (a send to one
/// peer; a token does not count). Otherwise it returns one line that names the first step with more
/// messages, the link and the ranks of two messages. `host_of_rank` are hosts of the network,
/// `schedules` those of all ranks, in rank order, with peers that exist. Messages between ranks of
/// one host use no link. The time grows with the links on the paths of all messages.
std::string contention(const topology::Network& network, std::span<const int> host_of_rank,
                       std::span<const algorithms::Schedule> schedules);

/// Returns what the row of the algorithm, which is no library call, says of its schedules.
Assumptions assumptions_of(const algorithms::Algorithm& algorithm,
                           std::span<const std::int64_t> block_bytes, int root = 0);

/// Proves that these schedules, one a rank, are the collective:
///  - every rank begins with what the collective gives it and ends with all that it has to hold;
///  - it receives no block that is on its way to it, none that it sends in the same step, and,
///    unless that is assumed, none that it has;
///  - every rank sends only what it held when the step began;
///  - every send meets a receive of the same blocks in the same order, and none is left over;
///  - it never deadlocks, even if every send waits for its receive (no buffering), but for tokens
///    that a step leaves, and whatever the order in which the ranks proceed; every barrier is met
///    by all, every token received;
///  - where ranks begin with contributions (Collective::combines): what a rank sends it has no
///    more, or, if ranks keep it, others may be stored in its place; what comes in is combined with
///    the contributions of other ranks, in the order of ranks if that is assumed, or stored where
///    nothing is; what has to be there at the end has those of all, each once;
///  - peers and blocks exist, no rank is its own peer, a peer stands once a step and direction;
///  - a broadcast at the end finds every block at the rank that broadcasts;
///  - what is combined after the last step are the contributions of all ranks.
ProofResult prove(std::span<const algorithms::Schedule> schedules,
                  const Assumptions& assumptions = {});

/// Proves the schedules of an algorithm with the assumptions of its row in the registry. If blocks
/// are equal, steps, messages, bytes and barriers must also be what the row states: 0 where it has
/// no formula, any number where there is no closed form. If the row says so, no link of
/// problem.network may carry two messages in a step. Messages and links are not compared if the
/// user asks for an order. The algorithm must have a schedule and be able to run.
ProofResult prove(const algorithms::Algorithm& algorithm, const algorithms::Problem& problem);

}  // namespace gatherbench::proof
