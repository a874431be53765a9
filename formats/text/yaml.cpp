// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "formats/text/input_error.h"
#include "formats/text/parse.h"
#include "formats/text/words.h"

namespace gatherbench::text {
namespace {

constexpr int deepest_yaml = 20;
constexpr std::string_view before_quote = " \t\n[{,:";

/// Returns where `found(i)` first holds outside of quotes; the end if it never does. A quote begins
/// a scalar: within one, as in "rack 3's", it is a character.
template <class Found>
std::size_t find_outside_quotes(std::string_view text, Found found) {
  char quote = 0;
  char before = ' ';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (found(i)) {
      return i;
    } else if ((c == '"' || c == '\'') && before_quote.find(before) != std::string_view::npos) {
      quote = c;
    }
    before = c;
  }
  return text.size();
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Returns `text`, which is one line, without its comment.
std::string_view without_comment(std::string_view text) {
  return text.substr(0, find_outside_quotes(text, [&](std::size_t i) {
                       return text[i] == '#' &&
                              (i == 0 || spaces.find(text[i - 1]) != std::string_view::npos);
                     }));
}

/// Returns where the colon behind a key is; the end if the text does not begin with a key. JSON
/// writes "key":value.
std::size_t find_colon(std::string_view text) {
  return find_outside_quotes(text, [&](std::size_t i) {
    return text[i] == ':' && (i + 1 == text.size() || text[i + 1] == '\n' ||
                              spaces.find(text[i + 1]) != std::string_view::npos ||
                              (text.front() == '"' && text[i - 1] == '"'));
  });
}

/// Returns how many more brackets open in a text than close, outside of quotes.
int open_brackets(std::string_view text) {
  int open = 0;
  find_outside_quotes(text, [&](std::size_t i) {
    open += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
    return false;
  });
  return open;
}

bool is_in_brackets(std::string_view text) {
  return text.starts_with('[') || text.starts_with('{');
}

/// Throws InputError, "FILE:LINE: reason".
[[noreturn]] void fail_in_yaml(std::string_view file_name, int line, std::string_view reason) {
  throw InputError(fmt::format("{}:{}: {}", file_name, line, reason));
}

/// Throws InputError if the map has the key.
void add_entry(std::string_view file_name, Yaml& map, Yaml entry) {
  if (std::ranges::find(map.children, entry.key, &Yaml::key) != map.children.end()) {
    fail_in_yaml(file_name, entry.line, fmt::format("key '{}' stands twice", entry.key));
  }
  map.children.push_back(std::move(entry));
}

// A value of YAML behind its key is a text, or in brackets a list or a map (YAML's flow style).
// JSON has that style, too.
class FlowParser {
 public:
  explicit FlowParser(std::string_view file_name) : file_name_(file_name) {}

  Yaml parse(int line, std::string_view text) const {
    std::string_view rest = text;
    Yaml value = parse_value(line, rest, false, 0);
    skip_spaces(line, rest);
    if (!rest.empty()) fail(line, fmt::format("'{}' follows a value", first_line(rest)));
    return value;
  }

 private:
  [[noreturn]] void fail(int line, std::string_view reason) const {
    fail_in_yaml(file_name_, line, reason);
  }

  static void skip_spaces(int& line, std::string_view& rest) {
    for (rest = trimmed(rest); rest.starts_with('\n'); rest = trimmed(rest.substr(1))) ++line;
  }

  /// Takes a value off the beginning of `rest` and returns it. `line` is the number of the line in
  /// which `rest` begins, before and after the call.
  Yaml parse_value(int& line, std::string_view& rest, bool in_brackets, int depth) const {
    if (depth > deepest_yaml) fail(line, "is nested too deep");
    skip_spaces(line, rest);
    Yaml value{.line = line, .kind = Yaml::Kind::scalar, .key = {}, .value = {}, .children = {}};
    const char first = rest.empty() ? ' ' : rest.front();
    if (first == '[' || first == '{') {
      value.kind = first == '[' ? Yaml::Kind::list : Yaml::Kind::map;
      parse_brackets(line, value, rest, depth);
    } else if (first == '"' || first == '\'') {
      value.value = take_quoted(line, rest);
    } else if (std::string_view("&*!|>%@`").find(first) != std::string_view::npos) {
      fail(line, fmt::format("'{}' is YAML that is not read here; legal: plain or quoted text in "
                             "the same line",
                             first_line(rest)));
    } else {
      value.value = take_plain(rest, in_brackets);
    }
    return value;
  }

  void parse_brackets(int& line, Yaml& value, std::string_view& rest, int depth) const {
    const char end = value.kind == Yaml::Kind::list ? ']' : '}';
    rest.remove_prefix(1);
    for (skip_spaces(line, rest); !rest.starts_with(end); skip_spaces(line, rest)) {
      std::string key;
      const int key_line = line;
      if (value.kind == Yaml::Kind::map) {
        const std::size_t colon = find_colon(rest);
        if (colon == rest.size()) fail(line, "has a '{' without 'key: value' and '}'");
        key = parse(line, rest.substr(0, colon)).value;
        rest.remove_prefix(colon + 1);
      }
      Yaml child = parse_value(line, rest, true, depth + 1);
      if (value.kind == Yaml::Kind::map) {
        child.line = key_line;
        child.key = std::move(key);
        add_entry(file_name_, value, std::move(child));
      } else {
        value.children.push_back(std::move(child));
      }
      skip_spaces(line, rest);
      if (rest.starts_with(',')) {
        rest.remove_prefix(1);
      } else if (!rest.starts_with(end)) {
        fail(value.line, fmt::format("has a bracket without '{}'", end));
      }
    }
    rest.remove_prefix(1);
  }

  std::string take_quoted(int line, std::string_view& rest) const {
    const std::size_t end = rest.find(rest.front(), 1);
    if (end >= rest.find('\n')) {
      fail(line, fmt::format("{} has no closing quote", first_line(rest)));
    }
    std::string value(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    if (value.find('\\') != std::string::npos || rest.starts_with('\'')) {
      fail(line, fmt::format("'{}' has an escape, which is not read here", value));
    }
    return value;
  }

  /// Takes a text without quotes off `rest` and returns it. In brackets, it ends before a comma or
  /// a bracket that is not its own: host lists such as "n[1-2,7]" have both.
  static std::string take_plain(std::string_view& rest, bool in_brackets) {
    std::size_t end = 0;
    int open = 0;
    for (; end < rest.size() && rest[end] != '\n'; ++end) {
      const char c = rest[end];
      if (in_brackets && open == 0 && (c == ',' || c == ']' || c == '}')) break;
      open += (c == '[') - (c == ']');
    }
    std::string value(trimmed(rest.substr(0, end)));
    rest.remove_prefix(end);
    return value;
  }

  std::string_view file_name_;
};

/// Returns the value that begins in this line of the file, and is all of `text`: its lines, without
/// comments. Throws InputError, "FILE:LINE: reason".
Yaml parse_flow(std::string_view file_name, int line, std::string_view text) {
  return FlowParser(file_name).parse(line, text);
}

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

  /// Parses "- " and what follows it, which may be the first line of a block.
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

  /// Parses "key: value", or "key:" and a block below it.
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

  /// Parses a value whose first line is the one before next_, and takes the lines below that its
  /// brackets span.
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
