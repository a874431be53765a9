// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text/input_error.h"

namespace gatherbench::text {

/// A value and the name that the user writes for it.
template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

/// "busy|sleep", for --help.
template <typename Value, std::size_t size>
std::string alternatives(const std::array<Named<Value>, size>& table) {
  std::string text;
  for (const Named<Value>& row : table) {
    if (!text.empty()) text += '|';
    text += row.name;
  }
  return text;
}

/// The value of this name. Throws InputError with all names.
template <typename Value, std::size_t size>
Value parse_named(std::string_view option, const std::array<Named<Value>, size>& table,
                  std::string_view text) {
  std::vector<std::string_view> legal;
  for (const Named<Value>& row : table) {
    if (row.name == text) return row.value;
    legal.push_back(row.name);
  }
  throw unknown_name(option, "value of it", text, legal);
}

/// The name of this value, which is in the table.
template <typename Value, std::size_t size>
std::string_view name_in(const std::array<Named<Value>, size>& table, Value value) {
  for (const Named<Value>& row : table) {
    if (row.value == value) return row.name;
  }
  return {};
}

}  // namespace gatherbench::text
