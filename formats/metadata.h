// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The facts that a result file states about its launch: lines `#@key=value` before the rows. This
// is the one table of keys and of what each is for.
namespace gatherbench::formats {

/// The key whose value is the process that writes the file.
inline constexpr std::string_view writer_key = "writer";

/// A variable of the environment with one of these in its name may hold a secret, as SLURM_JWT, a
/// login; no file says its value.
inline constexpr std::array<std::string_view, 6> secret_words{"JWT",    "TOKEN",    "KEY",
                                                              "SECRET", "PASSWORD", "COOKIE"};

/// Key and value, in the order of the file.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// The purposes for which launches are put together; each asks that some keys have the same value.
enum class Purpose {
  resume,   ///< `--resume`: the file goes on with the same run
  duet,     ///< two jobs take turns: the same cases under the same conditions
  pool,     ///< iterations of several launches count as one sample
  compare,  ///< the sides of `agreport compare`: all but what the comparison is about
};

/// A set of purposes.
struct Role {
  bool resume = false;
  bool duet = false;
  bool pool = false;
  bool compare = false;

  [[nodiscard]] bool holds(Purpose purpose) const;
};

/// Returns the names of the purposes that the role holds, of "resume", "duet", "pool" and
/// "compare".
std::vector<std::string_view> names_of(const Role& role);

struct MetadataKey {
  std::string_view key;
  std::string_view text;
  Role must_agree_to = {};  ///< empty: it is only shown
  /// The value of files that lack the key, since all were measured so when there was no such key;
  /// empty: nothing is known.
  std::string_view when_absent = {};
  bool is_prefix = false;          ///< there are many keys that begin so
  std::string_view formerly = {};  ///< what 0.1.0 called it; empty: the same
};

std::span<const MetadataKey> metadata_keys();

/// Returns the row of a key; null if no row has it.
const MetadataKey* find_key(std::string_view key);

/// Returns the entries that must agree for a purpose.
Metadata select(const Metadata& metadata, Purpose purpose);

/// Returns the value of a key; null if it has none.
const std::string* find_value(const Metadata& metadata, std::string_view key);

}  // namespace gatherbench::formats
