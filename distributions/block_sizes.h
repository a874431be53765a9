// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The bytes that each rank contributes: the block-size distributions of Loch 2021, 6.1.3 (five of
// them after Traeff et al. 2008), and sizes from a file.
namespace gatherbench::distributions {

/// A distribution that is a formula.
struct NamedDistribution {
  std::string_view name;
  std::string_view summary;  ///< the size of block i, for --list
  std::string_view total;    ///< what the sizes add up to, for --list
  /// Returns the bytes of block `rank`, for a base size of `base` bytes and at least 2 ranks.
  std::int64_t (*size)(std::int64_t base, std::int64_t ranks, std::int64_t rank);
  std::string_view title = {};  ///< in print, "Half-full"; empty: the name's words
  bool equal = false;           ///< all blocks have the base size
};

std::span<const NamedDistribution> named_distributions();

/// One line of a distribution file: bytes, or a factor of the base size.
struct FileSize {
  double number;
  bool factor;
};

/// A distribution as the user chose it.
struct Distribution {
  std::string label;                         ///< "spike", "file:sizes.txt"
  const NamedDistribution* named = nullptr;  ///< null: from `lines`
  std::vector<FileSize> lines = {};          ///< one a rank
};

/// Reads the text of a file; called on the ranks that need it.
using ReadFile = std::function<std::string(const std::string& path)>;

/// Reads the distributions of a comma-separated list of names, "all" and "file:PATH"; each comes
/// back once. Throws InputError: an unknown name, or a file's line that is no size (file, line,
/// reason).
std::vector<Distribution> parse_distributions(std::string_view option, std::string_view list,
                                              const ReadFile& read_file);

/// Throws InputError if the distribution cannot be had with this many ranks (a file of other
/// length).
void require_ranks(const Distribution& distribution, int ranks);

/// Returns the size of every block, if the distribution gives all the same; else none. Throws as
/// block_sizes does.
std::optional<std::int64_t> equal_size(const Distribution& distribution, int ranks,
                                       std::int64_t base);

/// Returns the bytes of every block, for a base size of at least 1 byte. With one rank a formula
/// gives the base size. Throws InputError if the total passes 2^62 bytes, or if the base size times
/// the ranks passes a fourth of that.
std::vector<std::int64_t> block_sizes(const Distribution& distribution, int ranks,
                                      std::int64_t base);

}  // namespace gatherbench::distributions
