// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gatherbench::arrivals {

/// No time is longer, so that no sum or draw of them overflows: some 30 years.
inline constexpr double max_us = 1e15;

/// A line of a trace that is neither empty nor a comment.
struct TraceLine {
  std::size_t number;      ///< in the file, from 1
  std::vector<double> us;  ///< arrival of each rank
};

/// Lines of arrival times in microseconds, separated by blanks or commas; `#` begins a comment.
/// Throws InputError: file, line, reason; also if there is no time at all.
std::vector<TraceLine> parse_trace(std::string_view path, std::string_view text);

}  // namespace gatherbench::arrivals
