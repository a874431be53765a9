// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "formats/row.h"

// Says what a column of a result file is; formats/column_table.h has all of them.
namespace gatherbench::formats {

/// The files of a launch that have columns; of a column, a set of them.
enum class File : std::uint8_t {
  results = 1,   ///< a row an iteration
  ranks = 2,     ///< a row for every rank of an iteration
  steps = 4,     ///< a row for every part of a rank's run of a schedule
  counters = 8,  ///< a row for every counter of a host in a case
  of_ranks = ranks | steps,
  of_iterations = results | of_ranks,
  all = of_iterations | counters,
};

enum class ColumnRole {
  case_key,  ///< tells cases apart
  label,     ///< tells the rows of a case apart, or explains them
  measured,
};

/// The rows in which a column is filled.
enum class Filled {
  always,
  timed,
  processing,
  arrival_pattern,
  message_time,
  prediction,
  selection,
  overlap,
  back_to_back,
  written,      ///< ranks write what they send before each call
  read,         ///< ranks read the result behind each call
  end_of_turn,  ///< the last timed call of a turn, where cycles are timed
  shared_node,  ///< two ranks share a node
};

/// Says how a time of an iteration is reduced over its ranks. It is written with three decimals.
enum class OverRanks : std::uint8_t {
  mean,     ///< the mean of the ranks' samples, into which each rank has put its own time
  largest,  ///< the largest of these
  derived,  ///< computed from several numbers when the samples have been gathered
};

using Text = std::string_view (*)(const Row&);
using Integer = std::optional<std::int64_t> (*)(const Row&);
using Number = std::optional<double> (*)(const Row&);  ///< written with three decimals

/// The value of a row in a column; none: its cell stays empty.
using Cell = std::variant<Text, Integer, Number, OverRanks>;

struct Column {
  std::string_view name;
  std::string_view unit;  ///< empty: none
  std::string_view text;
  ColumnRole role;
  Filled filled;
  File file;
  Cell cell;
  /// The value of rows whose file lacks this column, if cases are told apart by it: there was no
  /// other value when the file was written. Sentences do not mention this value. Empty: every file
  /// has the column.
  std::string_view when_absent = {};
};

}  // namespace gatherbench::formats
