// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace gatherbench::formats {

/// The hash FNV-1a of 64 bits (Fowler, Noll, Vo), to tell whether something is still the same; it
/// withstands no attack.
class Fnv1a {
 public:
  /// Adds a number, or the bytes of a text. Each number and each byte counts as one octet of the
  /// original hash, whatever its size.
  void operator()(std::integral auto number) {
    value_ = (value_ ^ static_cast<std::uint64_t>(number)) * 0x100000001b3U;
  }
  void operator()(std::string_view text) {
    for (const char letter : text) (*this)(static_cast<unsigned char>(letter));
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace gatherbench::formats
