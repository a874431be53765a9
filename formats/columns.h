// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "formats/column.h"
#include "formats/row.h"

// The header and the rows of result files, by the table of columns.
namespace gatherbench::formats {

/// Returns the columns of one file.
std::vector<const Column*> columns_of(File file);

/// Returns the place of a column among those of a file, from 0. The file has to have it.
std::size_t index_of(File file, std::string_view name);

/// Return names for the catalogue: "text", "integer" or "number"; "case", "label" or "measured";
/// "timed" and the like.
std::string_view type_name(const Column& column);
std::string_view name_of(ColumnRole role);
std::string_view name_of(Filled filled);

/// Returns the word for a file in its name beside the results: "ranks", "steps", "counters".
constexpr std::string_view name_of(File file) {
  switch (file) {
    case File::ranks:
      return "ranks";
    case File::steps:
      return "steps";
    case File::counters:
      return "counters";
    default:
      return "results";
  }
}

/// Returns the line of column names, without its line break.
std::string header(File file);

/// Appends one line to `text`.
void write_row(std::string& text, File file, const Row& row);

}  // namespace gatherbench::formats
