// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/read_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"

namespace gatherbench::text {

void require_regular_file(std::string_view option, const std::string& path) {
  std::error_code why_not;  // such as a name that is too long
  const std::filesystem::file_status status = std::filesystem::status(path, why_not);
  if (!std::filesystem::exists(status)) return;
  const bool is_regular = std::filesystem::is_regular_file(status);
  if (!is_regular && !std::filesystem::is_directory(status)) {
    throw bad_value(option, path, "is a device or a pipe; legal: a regular file");
  }
  if (is_regular && std::filesystem::file_size(path, why_not) > most_file_bytes && !why_not) {
    throw bad_value(option, path,
                    fmt::format("is too large; legal: up to {} bytes", most_file_bytes));
  }
}

std::string read_file(std::string_view option, const std::string& path) {
  require_regular_file(option, path);
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  std::error_code why_not;  // such as a name that is too long
  if (std::filesystem::is_directory(path, why_not) || !stream || !(text << stream.rdbuf())) {
    throw bad_value(option, path, "cannot be read, or is empty");
  }
  return text.str();
}

namespace {

// Stands before each part of a text that has included files; the number of the part's first line
// and the name of its file follow.
constexpr std::string_view part_mark = "#= included lines: ";
constexpr int deepest_include = 8;
constexpr std::size_t most_included = std::size_t{1} << 26;
constexpr double most_lines = 1e9;

/// Returns the file that a line includes; empty if it includes none.
std::string_view included(std::string_view line) {
  line = trimmed(line.substr(0, line.find('#')));
  const std::string_view word = line.substr(0, line.find_first_of(spaces));
  std::string_view name = trimmed(line.substr(word.size()));
  if (!equal_but_for_case(word, "Include") || name.starts_with('=')) return {};
  if (name.size() > 2 && name.front() == '"' && name.back() == '"') {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

void append_file(std::string& text, std::string_view option, const std::string& path, int depth) {
  int line = 0;
  const std::string own = read_file(option, path);
  for (const std::string_view part : split(own, '\n')) {
    ++line;
    const std::string_view name = included(part);
    if (name.empty()) {
      text.append(part).append("\n");
      continue;
    }
    const std::string where = fmt::format("{}:{}: Include", path, line);
    if (depth == deepest_include || text.size() > most_included) {
      throw bad_value(where, name,
                      "includes too much; legal: files that do not include themselves");
    }
    const std::string inner = (std::filesystem::path(path).parent_path() / name).string();
    std::error_code not_there;
    if (!std::filesystem::is_regular_file(inner, not_there)) {
      throw bad_value(where, inner, "is no file here; legal: that file, or its lines in this one");
    }
    text += fmt::format("{}1 {}\n", part_mark, inner);
    append_file(text, where, inner, depth + 1);
    text += fmt::format("{}{} {}\n", part_mark, line + 1, path);
  }
}

}  // namespace

std::string read_config_file(std::string_view option, const std::string& path) {
  std::string text;
  append_file(text, option, path, 0);
  return text;
}

std::vector<ConfigLine> config_lines(std::string_view file_name, std::string_view text) {
  std::vector<ConfigLine> result;
  std::string file(file_name);
  int line = 0;
  bool continues = false;
  for (std::string_view part : split(text, '\n')) {
    ++line;
    if (part.starts_with(part_mark)) {
      const auto [next, name] = leading_number(file, part.substr(part_mark.size()));
      line = static_cast<int>(std::min(next, most_lines)) - 1;
      file = trimmed(name);
      continue;
    }
    if (line == 1) part = without_byte_order_mark(part);
    part = part.substr(0, part.find('#'));
    part = part.substr(0, part.find_last_not_of(spaces) + 1);
    if (!continues) result.push_back({file, line, ""});
    continues = part.ends_with('\\');
    if (continues) part.remove_suffix(1);
    result.back().text += part;
  }
  std::erase_if(result, [](const ConfigLine& each) { return trimmed(each.text).empty(); });
  return result;
}

}  // namespace gatherbench::text
