// SPDX-License-Identifier: BSD-3-Clause
#include "formats/checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>

#include "formats/text/input_error.h"

namespace gatherbench::formats {
namespace {

constexpr std::size_t digits = 8;

/// A line `#@...` that ends in a checksum.
struct ChecksummedLine {
  std::string_view text;  // before the checksum
  std::uint32_t crc;      // what it says
};

std::optional<ChecksummedLine> split_checksum(std::string_view line) {
  const std::size_t length = checksum_mark.size() + digits;
  if (!line.starts_with("#@") || line.size() < length) return std::nullopt;
  const std::string_view end = line.substr(line.size() - length);
  if (!end.starts_with(checksum_mark)) return std::nullopt;
  const std::string_view number = end.substr(checksum_mark.size());
  if (number.find_first_not_of("0123456789abcdef") != number.npos) return std::nullopt;
  std::uint32_t crc = 0;
  std::from_chars(number.data(), number.data() + number.size(), crc, 16);
  return ChecksummedLine{line.substr(0, line.size() - length), crc};
}

}  // namespace

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

std::string value_text(std::string_view text) {
  std::string line(text);
  const auto is_control = [](unsigned char letter) { return letter < ' ' || letter == 0x7f; };
  std::ranges::replace_if(line, is_control, ' ');
  // A blank in it keeps an end that looks like a checksum from being taken for one.
  if (!split_checksum(fmt::format("#@{}", line))) return line;
  const std::size_t begin = line.size() - digits;
  return fmt::format("{} {}", line.substr(0, begin), line.substr(begin));
}

std::string file_head(const Metadata& metadata, File file) {
  std::string lines;
  for (const auto& [key, value] : metadata) {
    lines += fmt::format("#@{}={}\n", key, value_text(value));
  }
  return fmt::format("{}{}\n{}", lines, header(file), head_end);
}

}  // namespace gatherbench::formats
