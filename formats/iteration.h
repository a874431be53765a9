// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <variant>
#include <vector>

#include "formats/column_table.h"

// The times of an iteration. Each is declared by its row in the table of columns, and is called by
// that column's name.
namespace gatherbench::formats {

/// Returns whether the column holds a time of an iteration that comes from the ranks in this way.
/// (GCC's sanitizers refuse std::get_if in constants.)
constexpr bool comes(const Column& column, OverRanks way) {
  return std::holds_alternative<OverRanks>(column.cell) && std::get<OverRanks>(column.cell) == way;
}

inline constexpr std::size_t derived_times = std::ranges::count_if(
    table::columns, [](const Column& column) { return comes(column, OverRanks::derived); });
inline constexpr std::size_t all_times = std::ranges::count_if(
    table::columns,
    [](const Column& column) { return std::holds_alternative<OverRanks>(column.cell); });
inline constexpr std::size_t reduced_times = all_times - derived_times;

/// The columns of an iteration's times: those that are reduced from the ranks' samples, then those
/// that are derived.
inline constexpr auto time_columns = [] {
  std::array<const Column*, all_times> found{};
  std::size_t reduced = 0;
  std::size_t derived = reduced_times;
  for (const Column& column : table::columns) {
    if (!std::holds_alternative<OverRanks>(column.cell)) continue;
    found[comes(column, OverRanks::derived) ? derived++ : reduced++] = &column;
  }
  return found;
}();

/// A time of an iteration. The compiler finds it by its column's name, as in `one["avg_us"]`, and
/// refuses a name that no such column has.
class IterationTime {
 public:
  // Implicit, so that a name can be written wherever a time is asked for.
  // NOLINTNEXTLINE(misc-explicit-constructor)
  consteval IterationTime(const char* column) : place_(0) {
    while (time_columns.at(place_)->name != column) ++place_;
  }
  /// Returns the time of a column that holds one.
  static constexpr IterationTime of(const Column& column) {
    return at(
        static_cast<std::size_t>(std::ranges::find(time_columns, &column) - time_columns.begin()));
  }
  static constexpr IterationTime at(std::size_t place) { return IterationTime(place); }
  /// Returns its place among `time_columns`.
  [[nodiscard]] constexpr std::size_t place() const { return place_; }

 private:
  explicit constexpr IterationTime(std::size_t place) : place_(place) {}

  std::size_t place_;
};

/// One iteration of one algorithm, over all ranks; times are in microseconds.
struct Iteration {
  struct Value {
    IterationTime time;
    double us;
  };

  /// Times that are not given are missing: their cells stay empty.
  Iteration(std::initializer_list<Value> times = {}) {
    us_.fill(std::numeric_limits<double>::quiet_NaN());
    for (const Value& each : times) us_[each.time.place()] = each.us;
  }

  double& operator[](IterationTime time) { return us_[time.place()]; }
  double operator[](IterationTime time) const { return us_[time.place()]; }
  [[nodiscard]] bool has(IterationTime time) const { return !std::isnan(us_[time.place()]); }

  double behind_us = 0;     ///< delay of the rank that began last, since its start; in no file
  bool late = false;        ///< a rank missed the agreed start: it does not count
  std::int64_t number = 0;  ///< 0, 1, ... within the case

 private:
  std::array<double, all_times> us_{};
};

/// Returns a time of each iteration that has it, in their order.
inline std::vector<double> column(std::span<const Iteration> iterations, IterationTime time) {
  std::vector<double> values;
  values.reserve(iterations.size());
  for (const Iteration& iteration : iterations) {
    if (iteration.has(time)) values.push_back(iteration[time]);
  }
  return values;
}

}  // namespace gatherbench::formats
