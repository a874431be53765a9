// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

// An algorithm that runs inside of another one: among as many ranks as there are nodes, or as a
// phase.
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

/// A phase of another algorithm, in which `members` run this one, by its defaults, and no other
/// rank moves anything.
class Phase {
 public:
  Phase(const Algorithm& algorithm, const Problem& whole, std::vector<int> members);
  // The problem points into the vector.
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  /// Returns why the members cannot run it, with its name; none if they can.
  [[nodiscard]] std::optional<std::string> why_not() const;
  /// Returns what a formula of its row says; 0 if the row has none.
  [[nodiscard]] Amount amount(std::optional<Formula> Algorithm::*formula) const;
  /// Returns the schedule of the member at `place`, with places for ranks.
  [[nodiscard]] Schedule at(int place) const;
  /// Returns those of all members.
  [[nodiscard]] std::vector<Schedule> all() const;
  [[nodiscard]] int rank_of(int place) const { return members_[static_cast<std::size_t>(place)]; }

 private:
  const Algorithm& algorithm_;
  std::vector<int> members_;
  std::vector<int> host_;
  Problem problem_;
};

/// Adds what the schedule of a member does, where its block i is segment i.
void add_gather(Schedule& schedule, const Phase& phase, const Schedule& gather);

/// Adds the barriers of a member's schedule, for a rank that is none.
void add_barriers(Schedule& schedule, const Schedule& of_member);

}  // namespace gatherbench::algorithms
