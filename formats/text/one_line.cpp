// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/one_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gatherbench::text {

std::string in_one_line(std::string_view text) {
  constexpr std::array names{std::pair{'\n', 'n'}, std::pair{'\r', 'r'}, std::pair{'\t', 't'}};
  std::string line;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    const auto* const name = std::find_if(
        names.begin(), names.end(), [letter](const auto& row) { return row.first == letter; });
    if (name != names.end()) {
      line += {'\\', name->second};
    } else if (code < ' ' || code == 0x7f) {
      line += fmt::format("\\x{:02x}", code);
    } else {
      line += letter;
    }
  }
  return line;
}

}  // namespace gatherbench::text
