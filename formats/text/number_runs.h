// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>

namespace gatherbench::text {

/// Returns numbers in ascending order with runs joined: "0-1,4".
std::string format_runs(std::span<const int> numbers);

}  // namespace gatherbench::text
