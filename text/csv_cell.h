// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace gatherbench::text {

/// A cell of CSV: in quotes if it has to be. A line's end becomes a blank.
std::string csv_cell(std::string_view text);

}  // namespace gatherbench::text
