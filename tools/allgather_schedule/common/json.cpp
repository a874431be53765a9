// SPDX-License-Identifier: BSD-3-Clause
#include "tools/allgather_schedule/common/json.h"

#include <fmt/format.h>

namespace gatherbench::allgather_schedule::json {
namespace {

/// The items, a line each, between brackets. Line breaks are layout: texts have none.
std::string bracketed(std::string_view brackets, const std::vector<std::string>& items) {
  if (items.empty()) return std::string(brackets);
  std::string json(1, brackets[0]);
  std::string_view separator = "\n  ";
  for (const std::string& item : items) {
    json += separator;
    separator = ",\n  ";
    for (const char c : item) {
      json += c;
      if (c == '\n') json += "  ";
    }
  }
  return json + '\n' + brackets[1];
}

}  // namespace

std::string text(std::string_view value) {
  std::string json = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string texts(std::string_view only) { return only.empty() ? array({}) : array({text(only)}); }

std::string boolean(bool value) { return value ? "true" : "false"; }

std::string number(double value) { return fmt::format("{}", value); }

std::string array(const std::vector<std::string>& values) { return bracketed("[]", values); }

std::string object(std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  std::vector<std::string> items;
  for (const auto& [key, value] : fields) items.push_back(text(key) + ": " + value);
  return bracketed("{}", items);
}

}  // namespace gatherbench::allgather_schedule::json
