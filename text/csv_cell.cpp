// SPDX-License-Identifier: BSD-3-Clause
#include "text/csv_cell.h"

namespace gatherbench::text {

std::string csv_cell(std::string_view text) {
  // '#' begins a comment where it stands first.
  if (text.find_first_of(",\"\n\r#") == std::string_view::npos) return std::string(text);
  std::string cell = "\"";
  for (const char c : text) {
    cell += c == '\n' || c == '\r' ? ' ' : c;
    if (c == '"') cell += c;
  }
  return cell + '"';
}

}  // namespace gatherbench::text
