// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/placement.h"
#include "runtime/policies/policy.h"

// A profile is what a run leaves for the next one: how long the algorithms took. There are only
// text and structures here; the owner of the file locks, reads and writes it.
namespace gatherbench::policies {

/// The kind of calls that a time belongs to. Two hashes say where the ranks were: which of them
/// share a node, and how their hosts hang in the switch tree.
struct ProfileKey {
  std::string collective;
  int ranks = 1;
  int nodes = 1;
  std::uint64_t placement = 0;
  std::uint64_t switches = 0;  ///< 0: no tree was known
  std::int64_t bytes = 1;      ///< of a rank's result, in a reduction the root's

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 means the 0 that results are compared with
  auto operator<=>(const ProfileKey&) const = default;
};

/// Returns the key of calls of so many ranks with this placement; `bytes` is as in ProfileKey.
ProfileKey profile_key(std::string_view collective, const algorithms::Placement& placement,
                       int ranks, std::int64_t bytes);

struct ProfileRow {
  ProfileKey key;
  std::string algorithm;
  std::int64_t values = 1;  ///< number of calls
  std::int64_t median_ns = 1;
  std::chrono::sys_days date;  ///< of the last call

  bool operator==(const ProfileRow&) const = default;
};

/// Returns true if the time is the MPI library's own.
bool is_of_native(const ProfileRow& row);

struct Profile {
  std::string suite;  ///< version of what wrote it
  std::string mpi;    ///< the MPI library's version
  std::string hosts;  ///< what kind of hosts these are, as the writer tells; may be empty
  std::vector<ProfileRow> rows;  ///< in the order of their keys and algorithms, each once

  bool operator==(const Profile&) const = default;
};

/// A longer text is no profile.
constexpr std::size_t most_profile_bytes = std::size_t{1} << 20;
/// An older row is not believed.
constexpr std::chrono::days most_profile_days{90};

/// Returns the profile of this text. Throws InputError, "FILE:LINE: reason", if the text is no
/// profile, whole and of this format.
Profile read_profile(std::string_view file, std::string_view text);
std::string text_of(const Profile& profile);

/// Returns why a profile says nothing about a run with this MPI library on hosts of this kind, in
/// one line; none if it says something.
std::optional<std::string> why_not(const Profile& profile, std::string_view mpi,
                                   std::string_view hosts);

/// Returns the rows of both; of two rows with the same key and algorithm, the one with the later
/// date, and of equal dates the one of `now`. The heading is that of `now`.
Profile merged(const Profile& before, const Profile& now);
/// Returns the profile without the rows that are too old to be believed.
Profile without_old(Profile profile, std::chrono::sys_days today);

/// The rows of a profile that tell of certain calls: those of the nearest size within a factor of
/// 2^(1/4), all else being equal, that are not too old. A size with a row of native alone counts as
/// none: nobody tried anything there. If there are no rows, the reason in one line.
struct Known {
  std::vector<ProfileRow> rows;
  std::string reason;
};
Known find_known(const Profile& profile, const ProfileKey& key, std::chrono::sys_days today);

/// Returns `native`, which is the first, and those of the candidates that took, by these rows, at
/// most 1.5 times the least of all candidates, with their times as what is expected. The others are
/// left out.
std::vector<Candidate> expected_of(std::span<const Candidate> candidates,
                                   std::span<const ProfileRow> rows);

}  // namespace gatherbench::policies
