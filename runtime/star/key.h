// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace gatherbench::star {

/// The kind of calls on a communicator that learn together. A key holds nothing but what MPI
/// obliges all ranks to have alike: not the call site, nor the datatypes, nor where blocks lie.
struct Key {
  bool unequal = false;  ///< MPI_Allgatherv
  bool exact = true;     ///< `size` is a block's bytes; else what size_class says of all bytes
  std::int64_t size = 0;
  int skew = 0;  ///< skew_class; of MPI_Allgatherv

  bool operator==(const Key&) const = default;
  /// "allgather 4096", "allgatherv class 48 skew 1".
  [[nodiscard]] std::string text() const;
};

/// Four classes for each factor of two, from 1 byte on.
[[nodiscard]] int size_class(std::int64_t bytes);

/// Returns how often the factor of two goes into ranks x largest / total, up to 7.
[[nodiscard]] int skew_class(int ranks, std::int64_t largest, std::int64_t total);

}  // namespace gatherbench::star
