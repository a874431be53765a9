// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/csv_cell.h"

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

std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_doubled = is_quoted && line.substr(i, 2) == "\"\"";
    if (is_doubled) {
      cells.back() += line[i++];
    } else if (line[i] == '"') {
      is_quoted = !is_quoted;
    } else if (line[i] == ',' && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

}  // namespace gatherbench::text
