// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace gatherbench::text {

/// "0-1,4": numbers in ascending order, runs joined.
std::string format_runs(std::span<const int> numbers);

}  // namespace gatherbench::text
