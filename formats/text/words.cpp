// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace gatherbench::text {

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  return text.substr(0, text.find_last_not_of(spaces) + 1);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

bool equal_but_for_case(std::string_view one, std::string_view other) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return std::ranges::equal(one, other, {}, small, small);
}

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

std::string format_runs(std::span<const int> numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += fmt::to_string(numbers[i]);
    if (end - i > 1) text += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return text;
}

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
