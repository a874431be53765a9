// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The arrival patterns that are formulas: the one table.
namespace gatherbench::arrivals {

enum class ArrivalValue { time, rank, probability, positive };

struct ArrivalParameter {
  std::string_view name;
  ArrivalValue kind;
  std::optional<double> default_value = {};  ///< none: it has to be given
};

/// The values that the arrival of one rank follows from.
struct ArrivalDraw {
  int rank;
  int ranks;
  std::span<const double> us;       ///< the times among the parameters, in the row's order
  std::span<const double> numbers;  ///< the others
  std::mt19937_64& random;
};

struct NamedArrival {
  std::string_view name;
  std::vector<ArrivalParameter> parameters;
  std::string_view summary;       ///< the arrival of rank i
  bool steady = false;            ///< the same in every iteration
  std::string_view size_meaning;  ///< what its time is, the larger one of two: "maximum delay"
  double (*us)(const ArrivalDraw&);
};

/// Returns the table; its first row is `none`.
std::span<const NamedArrival> named_arrivals();

/// Returns what a parameter takes: "time", "rank", "probability" or "positive".
std::string_view kind_of(const ArrivalParameter& parameter);

/// Returns how users write a pattern: "delayed:[rank=RANK,]delay=TIME".
std::string signature(const NamedArrival& arrival);

}  // namespace gatherbench::arrivals
