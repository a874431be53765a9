// SPDX-License-Identifier: BSD-3-Clause
#include "formats/checksum.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstddef>
#include <optional>

#include "text/input_error.h"

namespace gatherbench::formats {
namespace {

constexpr std::string_view mark = " crc32:";
constexpr std::size_t digits = 8;

constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t polynomial = 0xedb88320U;  // of IEEE 802.3, lowest bit first
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest & 1U) != 0 ? (rest >> 1U) ^ polynomial : rest >> 1U;
    }
    table[byte] = rest;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> table = make_table();

/// A line `#@...` that ends in a checksum.
struct ChecksummedLine {
  std::string_view text;  // before the checksum
  std::uint32_t crc;      // what it says
};

std::optional<ChecksummedLine> split_checksum(std::string_view line) {
  const std::size_t length = mark.size() + digits;
  if (!line.starts_with("#@") || line.size() < length) return std::nullopt;
  const std::string_view end = line.substr(line.size() - length);
  if (!end.starts_with(mark)) return std::nullopt;
  const std::string_view number = end.substr(mark.size());
  if (number.find_first_not_of("0123456789abcdef") != number.npos) return std::nullopt;
  std::uint32_t crc = 0;
  std::from_chars(number.data(), number.data() + number.size(), crc, 16);
  return ChecksummedLine{line.substr(0, line.size() - length), crc};
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (const char byte : bytes) {
    rest = table[(rest ^ static_cast<unsigned char>(byte)) & 0xffU] ^ (rest >> 8U);
  }
  return ~rest;
}

std::string RunningChecksum::close(std::string_view text) {
  add(text);
  const std::string end = fmt::format("{}{:08x}\n", mark, crc_);
  add(end);
  return fmt::format("{}{}", text, end);
}

std::string_view ChecksumCheck::take(std::string_view line) {
  ++lines_;
  const auto found = split_checksum(line);
  const std::string_view text = found ? found->text : line;
  running_.add(text);
  const std::uint32_t crc = running_.value();
  const bool is_right = found ? found->crc == crc : !has_checksums_ || !line.starts_with("#@");
  if (!is_right) {
    const std::string said = found ? fmt::format("{:08x}", found->crc) : "none";
    throw text::bad_value(option_, path_,
                          fmt::format("was altered: line {} ({}) says that the checksum of all "
                                      "before it is {}, it is {:08x}; legal: as it was written",
                                      lines_, text, said, crc));
  }
  has_checksums_ = has_checksums_ || found;
  running_.add(line.substr(text.size()));
  running_.add("\n");
  return text;
}

}  // namespace gatherbench::formats
