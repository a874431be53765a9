// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

// An algorithm that runs inside of another one, among as many ranks as there are nodes.
namespace gatherbench::algorithms {

extern const Algorithm bruck_in_place;

inline constexpr Parameter inner_parameter{.name = "inner",
                                           .summary = "the algorithm between nodes",
                                           .default_value = &bruck_in_place,
                                           .kind = &collectives::allgather};

/// Returns true if a parameter can have this value.
bool is_legal_inner(const Parameter& parameter, const Algorithm& inner);

/// Returns why the inner algorithm cannot run with as many ranks as there are nodes; none if it
/// can.
std::optional<std::string> why_not_inner(const Problem& problem);

inline constexpr Needs inner_needs{"what the inner one needs of the nodes", why_not_inner};

/// Returns the problem that the inner algorithm has among so many nodes; its own parameters have
/// their defaults.
Problem inner_problem(const Problem& problem, int nodes);

/// Returns after how many ranks the others do as the first ones, where the nodes run the inner
/// algorithm.
int inner_period(const Problem& problem);

/// Adds what problem.inner() does among `members`, of which problem.rank is number `own`. Its block
/// i is `blocks[i]`.
void add_inner(Schedule& schedule, const Problem& problem, int own, const std::vector<int>& members,
               std::span<const std::vector<int>> blocks);

}  // namespace gatherbench::algorithms
