// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "algorithms/parameter.h"

namespace gatherbench::algorithms {

/// As the user writes it: "2", "32K", "13ms", "measured", "bruck_in_place".
std::string to_text(const ParameterValue& value);

/// "count", "bytes", "time" or "algorithm".
std::string_view kind_of(const Parameter& parameter);

}  // namespace gatherbench::algorithms
