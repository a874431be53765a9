// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// A table of block sizes downwards and algorithms across, a row as soon as a size is measured.
namespace gatherbench::bench {

/// A cell of an algorithm's column: microseconds, or a word that says why there are none.
struct SideBySideCell {
  std::optional<double> us;
  std::string otherwise;
};

/// Says which of a row's times are marked.
struct Marks {
  bool none = false;  ///< another row of the size has them
  /// A tilde marks each time that is less than so many times the lowest, which has a star: another
  /// launch may turn the two round. It is 1 in a simulation, whose times come out again, and
  /// infinite where ranks share processors, since one launch says nothing there.
  double told_apart = 1;
};

/// Returns everything above the rows: an empty line, the title (`what` names ranks and so on), what
/// the numbers are, our notes as further comment lines, and the column titles.
/// `has_cycles`: each size has two rows, one of the call and one of the cycle.
std::string side_by_side_header(const std::string& what, std::span<const std::string> notes,
                                std::span<const std::string> algorithms, bool has_cycles,
                                double told_apart);

/// Returns one size's row, with a cell for each of the header's algorithms. `of` is what the times
/// are of, "call" or "cycle"; empty where the header has no such column.
std::string side_by_side_row(std::int64_t bytes, std::string_view of,
                             std::span<const std::string> algorithms,
                             std::span<const SideBySideCell> cells, const Marks& marks);

}  // namespace gatherbench::bench
