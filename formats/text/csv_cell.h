// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gatherbench::text {

/// A cell of CSV: in quotes if it has to be. A line's end becomes a blank.
std::string csv_cell(std::string_view text);

/// The cells of a line, without the quotes that csv_cell adds.
std::vector<std::string> csv_cells(std::string_view line);

}  // namespace gatherbench::text
