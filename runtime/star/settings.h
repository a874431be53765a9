// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/policies/policy.h"
#include "runtime/selection/candidates.h"

namespace gatherbench::star {

enum class Mode {
  off,      ///< every call is passed on, and nothing is timed
  on,       ///< calls run what the policy says
  observe,  ///< every call is passed on, and some are timed
};

/// The settings that the environment's AGSTAR_* say.
struct Settings {
  Mode mode = Mode::on;
  std::string policy{policies::default_policy};
  std::int64_t budget_permille = policies::default_budget_permille;
  std::int64_t first =
      selection::first_ones;  ///< most algorithms that are tried without any expectation
  /// Shorter all-gathers stay with the MPI library; none: as policies::worth_of_trying says.
  std::optional<std::int64_t> least_ns = {};
  std::string topology;  ///< path of a switch tree; empty: not known
  std::string profile;   ///< path of what runs leave to the next one; empty: none
  std::string report;    ///< path of the report; empty: one line on standard error
  std::string log;       ///< path without the rank; empty: none

  [[nodiscard]] const policies::PolicyKind& kind() const { return policies::kind_of(policy); }
  /// The policy of a communicator's session of this number. Each session of `random` has its own
  /// seed, or all would draw alike.
  [[nodiscard]] std::string policy_of(std::size_t session) const;
};

/// Parses lines NAME=VALUE, each ended by a zero byte. Throws text::InputError.
Settings parse_settings(std::string_view lines);

/// Returns rank 0's settings, on every rank: what ranks do alike must not hang on what an
/// environment of one of them lacks. The mode is off, with one line on rank 0, if a value is bad.
/// Collective.
Settings shared_settings(MPI_Comm world);

}  // namespace gatherbench::star
