// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// CRC-32 is what gzip, PNG and Ethernet guard bytes with: it finds every burst of up to 32 wrong
// bits, and all but one in 4 * 10^9 of other damage. It is against accidents, not against forgery.
// It is computed here, not by zlib, since libagtrace needs nothing but MPI.
namespace gatherbench::formats {

/// The text before a checksum at the end of a line.
constexpr std::string_view checksum_mark = " crc32:";

/// Returns the CRC-32 (IEEE 802.3, as zlib's crc32 and the command of that name) of bytes whose
/// beginning has the CRC-32 `before`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// The CRC-32 of a file that grows. Some of its lines end in " crc32:1a2b3c4d": the CRC-32 of all
/// that stands before that text, from the first byte of the file on. So a checksum tells of what is
/// changed, and also of what is removed, moved or doubled.
class RunningChecksum {
 public:
  RunningChecksum() = default;
  explicit RunningChecksum(std::uint32_t crc) : crc_(crc) {}

  void add(std::string_view bytes) { crc_ = crc32(bytes, crc_); }
  /// Returns the text with the checksum and the end of its line behind it; it becomes part of the
  /// file.
  std::string close(std::string_view text);
  [[nodiscard]] std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

}  // namespace gatherbench::formats
