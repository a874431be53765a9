// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

// The checksums of result files. CRC-32 is what gzip, PNG and Ethernet guard bytes with: it finds
// every burst of up to 32 wrong bits, and all but one in 4 * 10^9 of other damage. It is against
// accidents, not against forgery. It is computed here since a build may be without zlib.
namespace gatherbench::formats {

/// The CRC-32 (IEEE 802.3, as zlib's crc32 and the command of that name) of bytes whose beginning
/// has the CRC-32 `before`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

/// The CRC-32 of a file that grows. Some of its lines end in " crc32:1a2b3c4d": the CRC-32 of all
/// that stands before that text, from the first byte of the file on. So a checksum tells of what is
/// changed, and also of what is removed, moved or doubled.
class RunningChecksum {
 public:
  RunningChecksum() = default;
  explicit RunningChecksum(std::uint32_t crc) : crc_(crc) {}

  void add(std::string_view bytes) { crc_ = crc32(bytes, crc_); }
  /// The text with the checksum and the end of its line behind it; it becomes part of the file.
  std::string close(std::string_view text);
  [[nodiscard]] std::uint32_t value() const { return crc_; }

 private:
  std::uint32_t crc_ = 0;
};

/// The line behind the metadata and the names of the columns, whose checksum is theirs.
constexpr std::string_view head_end = "#@head_end=columns";

/// Follows the checksums of a file, line by line. A file without any is taken as it is.
class ChecksumCheck {
 public:
  /// option: the one that names the file, for messages.
  ChecksumCheck(std::string option, std::string path)
      : option_(std::move(option)), path_(std::move(path)) {}

  /// The next line without its end -> the same without its checksum, if it has one. Throws
  /// text::InputError if that is not the checksum of all lines before it, or if a line `#@...`
  /// behind the first checksum has none.
  std::string_view take(std::string_view line);
  /// Of the lines that were taken.
  [[nodiscard]] const RunningChecksum& running() const { return running_; }

 private:
  std::string option_;
  std::string path_;
  RunningChecksum running_;
  std::size_t lines_ = 0;
  bool has_checksums_ = false;
};

}  // namespace gatherbench::formats
