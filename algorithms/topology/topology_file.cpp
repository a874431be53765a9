// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/topology/topology_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "algorithms/topology/host_list.h"
#include "formats/text/input_error.h"
#include "formats/text/parse.h"

namespace gatherbench::topology {
namespace {

constexpr std::string_view spaces = " \t\r";
constexpr std::array<std::string_view, 4> keys{"SwitchName", "Nodes", "Switches", "LinkSpeed"};
constexpr std::string_view legal =
    "legal: SwitchName=NAME, then Nodes=HOSTS, Switches=NAMES or both";

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

void skip_spaces(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
}

/// The leading part of `text` before any of `ends`, taken off it.
std::string_view take_until(std::string_view& text, std::string_view ends) {
  const std::string_view part = text.substr(0, text.find_first_of(ends));
  text.remove_prefix(part.size());
  return part;
}

std::string_view take_value(std::string_view where, std::string_view key, std::string_view& text) {
  skip_spaces(text);
  std::string_view value;
  if (text.starts_with('"')) {
    text.remove_prefix(1);
    value = take_until(text, "\"");
    if (text.empty()) throw text::bad_value(where, value, "has no closing quote");
    text.remove_prefix(1);
  } else {
    value = take_until(text, spaces);
  }
  if (value.empty()) throw text::InputError(fmt::format("{}: {}= has no value", where, key));
  return value;
}

std::string_view take_key(std::string_view where, std::string_view& text) {
  std::string ends(spaces);
  const std::string_view word = take_until(text, ends += '=');
  skip_spaces(text);
  if (!text.starts_with('=')) {
    throw text::bad_value(where, word, fmt::format("is not KEY=VALUE; {}", legal));
  }
  text.remove_prefix(1);
  for (const std::string_view key : keys) {
    if (equal_but_for_case(key, word)) return key;
  }
  throw text::unknown_name(where, "key", word, keys);
}

double parse_link_speed(std::string_view where, std::string_view value) {
  const std::string option = fmt::format("{}: LinkSpeed", where);
  const double speed = text::parse_number(option, value);
  if (speed > 0) return speed;
  throw text::bad_value(option, value,
                        "is no speed; legal: more than 0, as a multiple of a host's link");
}

std::string parse_switch_name(std::string_view where, std::string_view value) {
  std::vector<std::string> names = expand_host_list(where, value);
  if (names.size() != 1) {
    throw text::bad_value(where, value, "is not one name; a line is one switch");
  }
  return std::move(names.front());
}

/// Each key stands once in a line, SwitchName at its beginning.
void require_in_place(std::string_view where, std::string_view key,
                      std::span<const std::string_view> before) {
  if (before.empty() && key != "SwitchName") {
    throw text::InputError(fmt::format("{}: the line does not begin with SwitchName=", where));
  }
  if (std::ranges::find(before, key) != before.end()) {
    throw text::InputError(fmt::format("{}: {}= stands twice in the line", where, key));
  }
}

SwitchLine parse_line(std::string_view where, int line, std::string_view text) {
  SwitchLine result{line, {}, {}, {}};
  std::vector<std::string_view> seen;
  for (skip_spaces(text); !text.empty(); skip_spaces(text)) {
    const std::string_view key = take_key(where, text);
    const std::string_view value = take_value(where, key, text);
    require_in_place(where, key, seen);
    seen.push_back(key);
    if (key == "SwitchName") result.name = parse_switch_name(where, value);
    if (key == "Nodes") result.hosts = expand_host_list(where, value);
    if (key == "Switches") result.switches = expand_host_list(where, value);
    if (key == "LinkSpeed") result.link_speed = parse_link_speed(where, value);
  }
  if (result.hosts.empty() && result.switches.empty()) {
    throw text::InputError(fmt::format(
        "{}: switch '{}' has no hosts: neither Nodes= nor Switches=", where, result.name));
  }
  return result;
}

void require_printable(std::string_view where, std::string_view text) {
  for (const char c : text) {
    if ((c >= ' ' && c <= '~') || c == '\t') continue;
    throw text::InputError(fmt::format("{}: byte 0x{:02x} is no printable ASCII", where,
                                       static_cast<unsigned char>(c)));
  }
}

/// A line and those that continue it, without comments.
struct LogicalLine {
  int line;
  std::string text;
};

std::vector<LogicalLine> logical_lines(std::string_view text) {
  std::vector<LogicalLine> result;
  int line = 0;
  bool continues = false;
  for (std::string_view part : text::split(text, '\n')) {
    ++line;
    part = part.substr(0, part.find('#'));
    part = part.substr(0, part.find_last_not_of(spaces) + 1);
    if (!continues) result.push_back({line, ""});
    continues = part.ends_with('\\');
    if (continues) part.remove_suffix(1);
    result.back().text += part;
  }
  return result;
}

}  // namespace

std::vector<SwitchLine> parse_topology_file(std::string_view file_name, std::string_view text) {
  std::vector<SwitchLine> result;
  std::size_t names = 0;
  for (const auto& [line, content] : logical_lines(text)) {
    if (content.find_first_not_of(spaces) == std::string::npos) continue;
    const std::string where = fmt::format("{}:{}", file_name, line);
    require_printable(where, content);
    result.push_back(parse_line(where, line, content));
    names += result.back().hosts.size() + result.back().switches.size();
    if (names > most_host_list_names) {
      throw text::InputError(
          fmt::format("{}: more than {} hosts and switches in the lists up to here", where,
                      most_host_list_names));
    }
  }
  return result;
}

}  // namespace gatherbench::topology
