// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

// A table of block sizes downwards and algorithms across, a row as soon as a size is measured.
namespace gatherbench::bench {

/// What an algorithm's column says of a size: microseconds, or why there are none, in a word.
struct SideBySideCell {
  std::optional<double> us;
  std::string otherwise;
};

/// Everything above the rows: an empty line, the title (`what` names ranks and so on), what the
/// numbers are, our notes as further comment lines, and the column titles.
std::string side_by_side_header(const std::string& what, std::span<const std::string> notes,
                                std::span<const std::string> algorithms);

/// One size's row, a cell for each of the header's algorithms. The lowest times have a star.
std::string side_by_side_row(std::int64_t bytes, std::span<const std::string> algorithms,
                             std::span<const SideBySideCell> cells);

}  // namespace gatherbench::bench
