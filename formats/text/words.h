// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::text {

/// The characters that separate words of a line, whose end may be CR LF.
inline constexpr std::string_view spaces = " \t\r";

/// Returns the text without spaces before and behind it.
std::string_view trimmed(std::string_view text);

/// Returns the text without the byte order mark with which some editors begin a file in UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

/// Compares texts; large and small ASCII letters are the same.
bool equal_but_for_case(std::string_view one, std::string_view other);

/// Returns the text with \n, \t, \x1b and so on for control characters, which would end the line or
/// steer the terminal: for messages that quote what a user gave.
std::string in_one_line(std::string_view text);

/// Returns numbers in ascending order with runs joined: "0-1,4".
std::string format_runs(std::span<const int> numbers);

/// Returns the text as a cell of CSV: in quotes if it has to be. A line's end becomes a blank.
std::string csv_cell(std::string_view text);

/// Returns the cells of a line of CSV, without the quotes that csv_cell adds.
std::vector<std::string> csv_cells(std::string_view line);

}  // namespace gatherbench::text
