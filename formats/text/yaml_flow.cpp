// SPDX-License-Identifier: BSD-3-Clause
#include "formats/text/yaml_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "formats/text/input_error.h"
#include "formats/text/words.h"

namespace gatherbench::text {
namespace {

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

  /// `line` is that of the beginning of `rest`, before and after.
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

  /// Host lists have brackets and commas of their own: "n[1-2,7]".
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

}  // namespace

std::string_view without_comment(std::string_view text) {
  return text.substr(0, find_outside_quotes(text, [&](std::size_t i) {
                       return text[i] == '#' &&
                              (i == 0 || spaces.find(text[i - 1]) != std::string_view::npos);
                     }));
}

std::size_t find_colon(std::string_view text) {
  return find_outside_quotes(text, [&](std::size_t i) {
    return text[i] == ':' && (i + 1 == text.size() || text[i + 1] == '\n' ||
                              spaces.find(text[i + 1]) != std::string_view::npos ||
                              (text.front() == '"' && text[i - 1] == '"'));
  });
}

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

void fail_in_yaml(std::string_view file_name, int line, std::string_view reason) {
  throw InputError(fmt::format("{}:{}: {}", file_name, line, reason));
}

void add_entry(std::string_view file_name, Yaml& map, Yaml entry) {
  if (std::ranges::find(map.children, entry.key, &Yaml::key) != map.children.end()) {
    fail_in_yaml(file_name, entry.line, fmt::format("key '{}' stands twice", entry.key));
  }
  map.children.push_back(std::move(entry));
}

Yaml parse_flow(std::string_view file_name, int line, std::string_view text) {
  return FlowParser(file_name).parse(line, text);
}

}  // namespace gatherbench::text
