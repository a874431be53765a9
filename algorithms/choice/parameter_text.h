// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "algorithms/parameter.h"

namespace gatherbench::algorithms {

/// Returns the value as the user writes it: "2", "4x2", "auto", "32K", "13ms", "measured",
/// "bruck_in_place".
std::string to_text(const ParameterValue& value);

/// The value of this parameter that the text names. Throws InputError that names `option`.
ParameterValue parse_value(std::string_view option, const Parameter& parameter,
                           std::string_view text);

/// "count", "list", "bytes", "time", "start time" or "algorithm".
std::string_view kind_of(const Parameter& parameter);

}  // namespace gatherbench::algorithms
