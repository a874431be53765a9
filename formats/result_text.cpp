// SPDX-License-Identifier: BSD-3-Clause
#include "formats/result_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/checksum.h"

namespace gatherbench::formats {

std::string value_text(std::string_view text) {
  std::string line(text);
  const auto is_control = [](unsigned char letter) { return letter < ' ' || letter == 0x7f; };
  std::ranges::replace_if(line, is_control, ' ');
  return line;
}

std::string file_head(const Metadata& metadata, File file) {
  std::string lines;
  for (const auto& [key, value] : metadata) {
    lines += fmt::format("#@{}={}\n", key, value_text(value));
  }
  return fmt::format("{}{}\n{}", lines, header(file), head_end);
}

}  // namespace gatherbench::formats
