// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <variant>
#include <vector>

#include "algorithms/parameter.h"
#include "algorithms/topology/network.h"

namespace gatherbench::algorithms {

struct NamedOrder;
class Schedule;
struct Problem;

/// A function that predicts when ranks that arrive as the problem says leave schedules of all of
/// them, in microseconds. Its result is the same on every rank.
using ExitTimes = std::function<std::vector<double>(const std::vector<Schedule>&, const Problem&)>;

/// Everything that an algorithm may know when it makes one rank's schedule. The spans and the
/// network belong to the caller.
struct Problem {
  int rank = 0;
  int ranks = 1;
  /// The root, if the collective has one. A generator sees 0: its ranks are counted from the root.
  int root = 0;
  ParameterValues parameters = {};                 ///< of the algorithm
  std::span<const std::int64_t> block_bytes = {};  ///< of every block; empty: of equal_bytes each
  std::int64_t equal_bytes = 1;
  std::int64_t element_bytes = 1;  ///< of data, which nobody cuts apart
  bool commutes = true;            ///< the operator of a reduction does
  std::span<const int> node = {};  ///< number of every rank's node; empty: all are on one
  const topology::Network* network = nullptr;  ///< null: not known
  std::span<const int> host = {};              ///< every rank's host in `network`
  std::span<const double> arrival_us = {};     ///< when every rank is expected; empty: all at once
  /// Time of one block of mean size between two ranks, and of combining it in a reduction; 0: not
  /// known.
  double message_us = 0;
  double start_us = 0;                  ///< of it, what a message without bytes takes
  const ExitTimes* exits_us = nullptr;  ///< null: nothing predicts them
  std::span<const int> order = {};      ///< the ranks in the order that the algorithm asks for
  const NamedOrder* reorder = nullptr;  ///< the one that the user asks for; null: none
  const std::vector<Schedule>* from_file = nullptr;  ///< of all ranks; null: no file was read

  [[nodiscard]] std::int64_t bytes(int block) const {
    return block_bytes.empty() ? equal_bytes : block_bytes[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] std::int64_t largest_bytes() const {
    return block_bytes.empty() ? equal_bytes : std::ranges::max(block_bytes);
  }
  /// Returns true if nobody has said how large blocks are.
  [[nodiscard]] bool counts_blocks() const { return block_bytes.empty() && equal_bytes == 1; }
  /// Returns the switch tree; null if none is known.
  [[nodiscard]] const topology::SwitchTree* switches() const {
    return network == nullptr ? nullptr : network->tree();
  }
  // These return the parameter of their kind; the algorithm must have one.
  [[nodiscard]] std::int64_t count() const { return value_of_kind<Count>(parameters)->value; }
  [[nodiscard]] std::span<const std::int32_t> numbers() const {
    return value_of_kind<Numbers>(parameters)->all();
  }
  [[nodiscard]] std::int64_t segment_bytes() const {
    return value_of_kind<Bytes>(parameters)->value;
  }
  /// Returns the first algorithm among the parameters, which must have one.
  [[nodiscard]] const Algorithm& inner() const {
    return **value_of_kind<const Algorithm*>(parameters);
  }
};

/// An order of the ranks, at each position its rank; the same whatever problem.rank is.
using RankOrder = std::vector<int>(const Problem&);

}  // namespace gatherbench::algorithms
