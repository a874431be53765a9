// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gatherbench::text {

/// Returns the candidate with the fewest edits (insert, delete, replace a character) to `word`, the
/// first one of equals; empty when every candidate differs by more than half of the word's length.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// Bad input from the user. what() is one line that names the option, the value and what is legal;
/// a program that meets it prints that line and exits with 2. In a program of several ranks all
/// throw it alike, or one whose input is its own, such as its environment, throws it alone: a
/// benchmark then says which rank it was and ends the others, which would wait for it. What rank 0
/// reads for all ranks, it refuses for all of them.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns an error with the text "OPTION: 'value' REASON", for instance "--sizes: '0' is 0: the
/// smallest size is 1 byte".
InputError bad_value(std::string_view option, std::string_view value, std::string_view reason);

/// Returns such an error as bad_value does, for a name that is none of the legal ones. It names the
/// nearest one, if there is one, and lists them all, unless there is a nearest one and `listed_by`
/// says what else lists them, such as "--list".
InputError unknown_name(std::string_view option, std::string_view kind, std::string_view value,
                        std::span<const std::string_view> legal, std::string_view listed_by = {});

}  // namespace gatherbench::text
