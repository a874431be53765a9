// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "arrivals/arrival_pattern.h"

namespace gatherbench::arrivals {

/// Lines of arrival times in microseconds, separated by blanks or commas; `#` begins a comment.
/// Throws InputError: file, line, reason; also if there is no time at all.
std::vector<TraceLine> parse_trace(std::string_view path, std::string_view text);

}  // namespace gatherbench::arrivals
