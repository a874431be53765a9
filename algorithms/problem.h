// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>

namespace gatherbench::topology {
class SwitchTree;
}

namespace gatherbench::algorithms {

/// What an algorithm may know when it makes one rank's schedule. The spans and the tree belong to
/// the caller.
struct Problem {
  int rank = 0;
  int ranks = 1;
  std::int64_t parameter = 0;  ///< the value of the algorithm's parameter, if it has one
  std::span<const std::int64_t> block_bytes = {};  ///< of every block; empty: each has one byte
  std::span<const int> node = {};  ///< number of every rank's node; empty: all are on one
  const topology::SwitchTree* switches = nullptr;  ///< null: not known
  std::span<const int> host = {};                  ///< every rank's host in `switches`
  std::span<const double> arrival_us = {};  ///< when every rank is expected; empty: all at once
  double message_us = 0;                    ///< time of one block between two ranks; 0: not known
  std::span<const int> order = {};  ///< the ranks as the row's `order` has them, if it has one

  [[nodiscard]] std::int64_t bytes(int block) const {
    return block_bytes.empty() ? 1 : block_bytes[static_cast<std::size_t>(block)];
  }
};

}  // namespace gatherbench::algorithms
