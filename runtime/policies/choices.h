// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/collectives/collective.h"
#include "algorithms/problem.h"
#include "runtime/policies/policy.h"

// The algorithms that a policy chooses from. The problem says where the ranks run and how large the
// blocks are; its rank and parameter do not matter.
namespace gatherbench::policies {

/// Returns the algorithms that STAR-MPI has with parameters other than their defaults.
std::vector<algorithms::Choice> star_variants(const collectives::Collective& collective);

/// Returns `native`, then all algorithms of the collective that can run here, with their default
/// parameters and with those that STAR-MPI has. Left out are those that predict arrivals, which
/// need a launch that measures them, and those that call the library's gather or broadcast: their
/// time is the library's, and `native` is there. With `windows`, and where a node has several
/// ranks, each of ours by `via=window`, too.
std::vector<algorithms::Choice> all_choices(
    const algorithms::Problem& problem, bool windows = false,
    const collectives::Collective& collective = collectives::allgather);

/// Returns `native`, and at most so many of the others that are seldom bad: where nothing is known
/// of the machine, the first call of each costs what it costs. With `windows`, where all ranks are
/// on one node, the first one goes by `via=window`. Of all-gathers, `topology_ring` follows with a
/// switch tree, and `leader` and `lane` are there if there are several nodes and one has several
/// ranks.
std::vector<algorithms::Choice> first_choices(
    const algorithms::Problem& problem, std::size_t most = 4, bool windows = false,
    const collectives::Collective& collective = collectives::allgather);

/// Throws InputError that names `option` if the text is no policy for any ranks: the names of all
/// algorithms are legal, and STAR-MPI's with their parameters. Which of them a communicator's ranks
/// can run is known later.
void require_policy(std::string_view option, std::string_view policy,
                    const collectives::Collective& collective = collectives::allgather);

/// Returns candidates with their names, groups and places in STAR-MPI's repository, and no expected
/// times, for messages of so many bytes. Groups are those of star_repository(); what is not in it,
/// as all that goes by a window, is a group of its own.
std::vector<Candidate> candidates_of(
    std::span<const algorithms::Choice> choices, std::int64_t bytes = 1,
    const collectives::Collective& collective = collectives::allgather);

}  // namespace gatherbench::policies
