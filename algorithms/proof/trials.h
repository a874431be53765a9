// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/choice/choice.h"
#include "algorithms/placement.h"

namespace gatherbench::proof {

/// A value of a parameter, and the size of blocks to try it with, if that matters.
struct TriedValue {
  algorithms::ParameterValue value;
  std::int64_t block_bytes = 0;
};

/// Returns the values of this parameter that the proof tries: the default first, if it is one of
/// them, and fewer for more ranks. None are returned where the parameter changes nothing that a
/// proof sees, or is tried elsewhere.
std::vector<TriedValue> tried_values(const algorithms::Algorithm& algorithm, std::size_t parameter,
                                     int ranks);

/// One situation in which an algorithm is proven.
struct Trial {
  std::string text;  ///< for people; empty if there is but one
  algorithms::Choice choice;
  algorithms::Placement placement = {};
  std::vector<std::int64_t> block_bytes = {};
  std::vector<double> arrival_us = {};
  double message_us = 0;  ///< unless the user chose one

  [[nodiscard]] algorithms::Problem problem(int ranks) const;
};

/// Returns trials of all that an algorithm's schedule depends on beside p, in all variety that
/// makes a difference: values of its parameters, unless the user chose some; ways in which ranks
/// lie on nodes (all on one, each on its own, several, interleaved, in unequal numbers) and switch
/// trees, unless these are given; times at which the ranks arrive; orders of the ranks, unless the
/// user chose one; roots.
std::vector<Trial> trials(const algorithms::Choice& choice, int ranks,
                          const algorithms::Placement* given);

/// Returns the trials for one of many numbers of ranks, which have them all between them: up to 64
/// ranks and for a power of two each of them, otherwise a sixth of those in which the algorithm can
/// run, at least one. The number of ranks is the seed that they are drawn with.
std::vector<Trial> drawn(std::vector<Trial> all, int ranks);

}  // namespace gatherbench::proof
