// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "formats/text/input_error.h"
#include "formats/text/named.h"
#include "formats/text/option_table.h"
#include "formats/text/parse.h"

// Functions from an option's long name and its text to a value, and what puts that where it
// belongs. They throw InputError.
namespace gatherbench::bench {

inline constexpr std::int64_t max_ranks = 1 << 24;

inline auto integer(std::int64_t smallest, std::int64_t largest) {
  return [=](std::string_view option, const std::string& text) {
    return text::parse_integer(option, text, smallest, largest);
  };
}

template <typename Value, std::size_t size>
auto word(const std::array<text::Named<Value>, size>& table) {
  return [&table](std::string_view option, const std::string& text) {
    return text::parse_named(option, table, text);
  };
}

inline std::string parse_file_name(std::string_view option, const std::string& text) {
  if (text.empty()) throw text::bad_value(option, text, "is no file name");
  return text;
}

/// Returns the text as it is, for values that are read later.
inline std::string parse_later(std::string_view /*option*/, const std::string& text) {
  return text;
}

/// Puts what the parser makes of the text into `value`, which must outlive the result.
template <typename Value, typename Parser>
text::OptionTable::Take into(Value& value, Parser parse) {
  return [&value, parse](std::string_view option, const std::string& text) {
    value = parse(option, text);
  };
}

}  // namespace gatherbench::bench
