// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/options/options.h"

// Options whose value is a list: --mapping and --tail-lat. They throw InputError.
namespace gatherbench::bench {

/// Each at most once, in the order given.
std::vector<Mapping> parse_mappings(std::string_view text);

/// From 1 to 99, at most 5.
std::vector<double> parse_percentiles(const std::string& text);

}  // namespace gatherbench::bench
