// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "formats/column.h"

// The names of result files, and of those beside them.
namespace gatherbench::formats {

/// The endings of result files.
inline constexpr std::array<std::string_view, 2> result_endings{".csv", ".csv.gz"};

/// The files beside results. Their names are known to reports by agformats/files/beside_results.py.
inline constexpr std::array files_beside_results{File::ranks, File::steps, File::counters};

/// Returns the path of a file beside the results: "run.csv" -> "run.ranks.csv", "run.csv.gz" ->
/// "run.ranks.csv.gz".
std::string path_beside(std::string path, File file);

/// Throws InputError that names the option if a file of this name, "run.ranks.csv", is one beside
/// other results to reports, which would not read it as results.
void require_results_name(std::string_view option, std::string_view path);

}  // namespace gatherbench::formats
