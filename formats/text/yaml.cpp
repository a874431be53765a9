// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/yaml.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"
#include "formats/text/yaml_flow.h"

namespace gatherbench::text {
namespace {

struct Line {
  int number;
  std::size_t indent;
  std::string_view text;
};

bool is_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

class Parser {
 public:
  Parser(std::string_view file_name, std::string_view text) : file_name_(file_name) {
    int number = 0;
    for (std::string_view line : split(text, '\n')) {
      ++number;
      line = without_comment(line);
      line = line.substr(0, line.find_last_not_of(spaces) + 1);
      if (line == "..." || (line == "---" && !lines_.empty())) break;
      if (line.empty() || line == "---" || line.starts_with('%')) continue;
      const std::size_t indent = line.find_first_not_of(' ');
      lines_.push_back({number, indent, line.substr(indent)});
    }
  }

  Yaml parse() {
    if (lines_.empty()) throw InputError(fmt::format("{}: the file has no value", file_name_));
    const std::size_t indent = lines_.front().indent;
    Yaml root = parse_block(0);
    if (next_ == lines_.size()) return root;
    fail(lines_[next_].number, lines_[next_].indent < indent
                                   ? "is indented less than the line above"
                                   : "does not go on with the value above");
  }

 private:
  [[nodiscard]] bool has_line_at(std::size_t indent) const {
    if (next_ == lines_.size()) return false;
    if (lines_[next_].text.starts_with('\t')) {
      fail(lines_[next_].number, "is indented by a tab; legal: spaces");
    }
    if (lines_[next_].indent < indent) return false;
    if (lines_[next_].indent == indent) return true;
    fail(lines_[next_].number, "is indented more than the line above it allows");
  }

  [[noreturn]] void fail(int line, std::string_view reason) const {
    fail_in_yaml(file_name_, line, reason);
  }

  Yaml parse_block(int depth) {
    if (depth > deepest_yaml) fail(lines_[next_].number, "is nested too deep");
    const auto [number, indent, text] = lines_[next_];
    if (is_in_brackets(text) || (!is_item(text) && find_colon(text) == text.size())) {
      ++next_;
      return parse_inline(number, text);
    }
    Yaml block{.line = number, .kind = Yaml::Kind::map, .key = {}, .value = {}, .children = {}};
    if (is_item(text)) {
      block.kind = Yaml::Kind::list;
      while (has_line_at(indent) && is_item(lines_[next_].text)) {
        block.children.push_back(parse_item(depth));
      }
    } else {
      while (has_line_at(indent) && !is_item(lines_[next_].text)) {
        add_entry(file_name_, block, parse_entry(depth));
      }
    }
    return block;
  }

  /// "- " and what follows it, which may be the first line of a block.
  Yaml parse_item(int depth) {
    Line& line = lines_[next_];
    const std::string_view rest = trimmed(line.text.substr(1));
    if (rest.empty()) return parse_below(line, line.indent + 1, depth);
    if (!is_item(rest) && (is_in_brackets(rest) || find_colon(rest) == rest.size())) {
      ++next_;
      return parse_inline(line.number, rest);
    }
    line.indent += static_cast<std::size_t>(rest.data() - line.text.data());
    line.text = rest;
    return parse_block(depth + 1);
  }

  /// "key: value", or "key:" and a block below it.
  Yaml parse_entry(int depth) {
    const Line line = lines_[next_];
    const std::size_t colon = find_colon(line.text);
    if (colon == line.text.size()) {
      throw bad_value(fmt::format("{}:{}", file_name_, line.number), line.text,
                      "is not 'key: value'");
    }
    const std::string_view rest = trimmed(line.text.substr(colon + 1));
    Yaml value;
    if (rest.empty()) {
      // A list may be as far left as its key.
      const bool is_list = next_ + 1 < lines_.size() && is_item(lines_[next_ + 1].text);
      value = parse_below(line, line.indent + (is_list ? 0 : 1), depth);
    } else {
      ++next_;
      value = parse_inline(line.number, rest);
    }
    value.key = parse_flow(file_name_, line.number, line.text.substr(0, colon)).value;
    value.line = line.number;  // the key's
    return value;
  }

  Yaml parse_below(const Line& line, std::size_t least_indent, int depth) {
    ++next_;
    if (next_ < lines_.size() && lines_[next_].indent >= least_indent) {
      return parse_block(depth + 1);
    }
    return {
        .line = line.number, .kind = Yaml::Kind::scalar, .key = {}, .value = {}, .children = {}};
  }

  /// A value whose first line is the one before next_; the lines below it that its brackets span
  /// are joined to it.
  Yaml parse_inline(int line, std::string_view text) {
    if (!is_in_brackets(text)) return parse_flow(file_name_, line, text);
    std::string all(text);
    int number = line;
    for (int open = open_brackets(text); open > 0 && next_ < lines_.size(); ++next_) {
      const Line& next = lines_[next_];
      all.append(static_cast<std::size_t>(next.number - number), '\n').append(trimmed(next.text));
      number = next.number;
      open += open_brackets(next.text);
    }
    return parse_flow(file_name_, line, all);
  }

  std::string_view file_name_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
};

}  // namespace

Yaml parse_yaml(std::string_view file_name, std::string_view text) {
  return Parser(file_name, text).parse();
}

}  // namespace gatherbench::text
