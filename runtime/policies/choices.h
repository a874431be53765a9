// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/problem.h"
#include "runtime/policies/policy.h"

// The algorithms that a policy chooses from. The problem says where the ranks run and how large the
// blocks are; its rank and parameter do not matter.
namespace gatherbench::policies {

/// Returns `native`, then all algorithms of the registry that can run here, with their default
/// parameter. Left out are those that predict arrivals, which need a launch that measures them, and
/// those that call the library's gather or broadcast: their time is the library's, and `native` is
/// there. With `windows`, and where a node has several ranks, each of ours by `via=window`, too.
std::vector<algorithms::Choice> all_choices(const algorithms::Problem& problem,
                                            bool windows = false);

/// Returns `native`, and at most so many of the others that are seldom bad: where nothing is known
/// of the machine, the first call of each costs what it costs. `linear:via=window` with `windows`
/// where all ranks are on one node, `topology_ring` with a switch tree, then ring, bruck_in_place
/// and recursive_doubling, then leader and lane if there are several nodes and one has several
/// ranks, with `windows` by `via=window`, then sparbit, as far as they can run.
std::vector<algorithms::Choice> first_choices(const algorithms::Problem& problem,
                                              std::size_t most = 4, bool windows = false);

/// Throws InputError that names `option` if the text is no policy for any ranks: the names of all
/// algorithms are legal. Which of them a communicator's ranks can run is known later.
void require_policy(std::string_view option, std::string_view policy);

/// Returns candidates with their names and groups, and no expected times. Groups are those of
/// star_repository(); what is not in it, as all that goes by a window, is a group of its own.
std::vector<Candidate> candidates_of(std::span<const algorithms::Choice> choices);

}  // namespace gatherbench::policies
