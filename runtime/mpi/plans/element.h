// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace gatherbench::mpi {

/// The unit in which the user's buffers are counted. Offsets and numbers of bytes are of data
/// alone, unless they are said to be in memory.
struct Element {
  /// MPI's types that it is made of.
  enum class Of : std::uint8_t { bytes, ints, floats, doubles };
  Of of = Of::bytes;
  std::int64_t bytes = 1;   ///< of data
  std::int64_t extent = 1;  ///< in memory, from the begin of one to that of the next

  [[nodiscard]] bool has_gaps() const { return extent != bytes; }
  /// Returns where a byte of data lies in memory; for whole elements, the memory that they take.
  [[nodiscard]] std::int64_t in_memory(std::int64_t offset) const {
    return offset / bytes * extent + offset % bytes;
  }
  bool operator==(const Element&) const = default;
};

}  // namespace gatherbench::mpi
