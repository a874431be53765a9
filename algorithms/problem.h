// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "algorithms/parameter.h"

namespace gatherbench::topology {
class SwitchTree;
}

namespace gatherbench::algorithms {

/// What an algorithm may know when it makes one rank's schedule. The spans and the tree belong to
/// the caller.
struct Problem {
  int rank = 0;
  int ranks = 1;
  ParameterValue parameter = {};                   ///< of the algorithm, if it has one
  std::span<const std::int64_t> block_bytes = {};  ///< of every block; empty: each has one byte
  std::span<const int> node = {};  ///< number of every rank's node; empty: all are on one
  const topology::SwitchTree* switches = nullptr;  ///< null: not known
  std::span<const int> host = {};                  ///< every rank's host in `switches`
  std::span<const double> arrival_us = {};  ///< when every rank is expected; empty: all at once
  double message_us = 0;                    ///< time of one block between two ranks; 0: not known
  std::span<const int> order = {};          ///< the ranks in the order that the algorithm asks for

  [[nodiscard]] std::int64_t bytes(int block) const {
    return block_bytes.empty() ? 1 : block_bytes[static_cast<std::size_t>(block)];
  }
  // The parameter of an algorithm that has one of this kind.
  [[nodiscard]] std::int64_t count() const { return std::get<Count>(parameter).value; }
  [[nodiscard]] std::int64_t segment_bytes() const { return std::get<Bytes>(parameter).value; }
  [[nodiscard]] const Algorithm& inner() const { return *std::get<const Algorithm*>(parameter); }
};

}  // namespace gatherbench::algorithms
