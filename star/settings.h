// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace gatherbench::star {

enum class Mode {
  off,      ///< every call is passed on, and nothing is timed
  on,       ///< calls run what the policy says
  observe,  ///< every call is passed on, and some are timed
};

/// What AGSTAR_* of the environment say.
struct Settings {
  Mode mode = Mode::on;
  std::string policy = "agstar";
  std::int64_t budget_permille = 50;
  std::int64_t first = 4;          ///< most algorithms that are tried without any expectation
  std::int64_t least_ns = 20'000;  ///< shorter all-gathers stay with the MPI library
  std::string topology;            ///< path of a switch tree; empty: not known
  std::string report;              ///< path of the report; empty: one line on standard error
  std::string log;                 ///< path without the rank; empty: none

  /// Whether the policy decides by times, so that some calls are too short for it.
  [[nodiscard]] bool decides_by_times() const;
  /// The policy of a communicator's session of this number. Of `random` each has its own seed,
  /// or all would draw alike.
  [[nodiscard]] std::string policy_of(std::size_t session) const;
  /// Whether the policy is to have few candidates.
  [[nodiscard]] bool tries_first_ones() const { return policy == "agstar"; }
};

/// Of lines NAME=VALUE, each ended by a zero byte. Throws text::InputError.
Settings parse_settings(std::string_view lines);

/// Rank 0's, on every rank: what ranks do alike must not hang on what an environment of one of them
/// lacks. Off, with one line on rank 0, if a value is bad. Collective.
Settings shared_settings(MPI_Comm world);

}  // namespace gatherbench::star
