// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <string_view>

// Rules for the words of a command line that CLI11 leaves open.
namespace gatherbench::text {

/// Throws InputError if a word is "--option=": CLI11 would take the next word as its value.
void require_values(std::span<const std::string> words);

/// Returns true if a word is a number below 0 such as -1 or -inf, although CLI11 may see an option
/// in it.
bool is_negative_number(std::string_view word);

/// A message of CLI11's, or our own instead of those that leave open what is meant: "--sizes: 1
/// required LIST missing", "The following argument was not expected: ".
std::string parser_message(std::string_view message);

}  // namespace gatherbench::text
