// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace gatherbench::text {

/// Returns the text with \n, \t, \x1b and so on for control characters, which would end the line or
/// steer the terminal: for messages that quote what a user gave.
std::string in_one_line(std::string_view text);

}  // namespace gatherbench::text
