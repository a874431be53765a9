// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "algorithms/parameter.h"

namespace gatherbench::algorithms {

/// Between the numbers of a list, as in the sides of a mesh: a comma is between algorithms, a colon
/// between parameters.
inline constexpr char list_separator = 'x';
/// A list that the algorithm makes from p.
inline constexpr std::string_view auto_list = "auto";

/// As the user writes it: "2", "4x2", "auto", "32K", "13ms", "measured", "bruck_in_place".
std::string to_text(const ParameterValue& value);

/// "count", "list", "bytes", "time", "start time" or "algorithm".
std::string_view kind_of(const Parameter& parameter);

}  // namespace gatherbench::algorithms
