// SPDX-License-Identifier: BSD-3-Clause
#include "formats/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/column_table.h"
#include "formats/iteration.h"
#include "formats/text/words.h"

namespace gatherbench::formats {
namespace {

struct AppendCell {
  std::string& text;
  const Row& row;
  const Column& column;

  void operator()(Text cell) const { text += text::csv_cell(cell(row)); }
  void operator()(Integer cell) const {
    if (const auto value = cell(row)) text += fmt::format("{}", *value);
  }
  void operator()(Number cell) const {
    if (const auto value = cell(row)) text += fmt::format("{:.3f}", *value);
  }
  void operator()(OverRanks /*how*/) const {
    if (row.times == nullptr) return;
    const IterationTime time = IterationTime::of(column);
    if (row.times->has(time)) text += fmt::format("{:.3f}", (*row.times)[time]);
  }
};

bool is_in(const Column& column, File file) {
  return (static_cast<unsigned>(column.file) & static_cast<unsigned>(file)) != 0;
}

}  // namespace

std::vector<const Column*> columns_of(File file) {
  std::vector<const Column*> found;
  for (const Column& column : table::columns) {
    if (is_in(column, file)) found.push_back(&column);
  }
  return found;
}

std::size_t index_of(File file, std::string_view name) {
  const std::vector<const Column*> all = columns_of(file);
  const auto found = std::ranges::find(all, name, &Column::name);
  return static_cast<std::size_t>(found - all.begin());
}

std::string_view type_name(const Column& column) {
  constexpr std::array names{"text", "integer", "number", "number"};
  return names[column.cell.index()];
}

std::string_view name_of(ColumnRole role) {
  constexpr std::array names{"case", "label", "measured"};
  return names[static_cast<std::size_t>(role)];
}

std::string_view name_of(Filled filled) {
  constexpr std::array names{"always",       "timed",      "processing", "arrival_pattern",
                             "message_time", "prediction", "selection",  "overlap",
                             "back_to_back", "written",    "read",       "end_of_turn",
                             "shared_node"};
  return names[static_cast<std::size_t>(filled)];
}

std::string header(File file) {
  std::string line;
  for (const Column* const column : columns_of(file)) {
    if (!line.empty()) line += ',';
    line += column->name;
  }
  return line;
}

void write_row(std::string& text, File file, const Row& row) {
  bool first = true;
  for (const Column& column : table::columns) {
    if (!is_in(column, file)) continue;
    if (!first) text += ',';
    first = false;
    std::visit(AppendCell{text, row, column}, column.cell);
  }
  text += '\n';
}

std::string CaseKey::text() const {
  return fmt::format("{},{},{},{},{},{}", collective, distribution, arrival, mapping, ranks, bytes);
}

}  // namespace gatherbench::formats
