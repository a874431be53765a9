// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gatherbench::bench {

/// The places of the blocks in a receive buffer (--displacements).
struct Displacements {
  bool permuted = false;  ///< in another order than their ranks'
  std::int64_t gap = 0;   ///< bytes before each block that belong to nobody

  /// Returns the text that the option takes, with the bytes as a plain number.
  [[nodiscard]] std::string text() const;
  bool operator==(const Displacements&) const = default;
};

/// The forms of the option, for --help and messages.
inline constexpr std::array<std::string_view, 4> displacement_forms{
    "dense", "gaps:BYTES", "permuted", "permuted:gaps=BYTES"};

/// Reads one of these forms, BYTES as --sizes takes them. Throws InputError.
Displacements parse_displacements(std::string_view option, std::string_view text);

}  // namespace gatherbench::bench
