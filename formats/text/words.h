// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace gatherbench::text {

/// The characters that separate words of a line, whose end may be CR LF.
inline constexpr std::string_view spaces = " \t\r";

/// Returns the text without spaces before and behind it.
std::string_view trimmed(std::string_view text);

/// Some editors begin a file in UTF-8 with one.
std::string_view without_byte_order_mark(std::string_view text);

/// Compares texts; large and small ASCII letters are the same.
bool equal_but_for_case(std::string_view one, std::string_view other);

}  // namespace gatherbench::text
