// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "runtime/mpi/buffers.h"

namespace gatherbench::bench {

/// Bytes that nobody needs, to have something else in the caches.
class OtherBytes {
 public:
  OtherBytes() = default;
  /// Each page is written once: the kernel gives one page of zeros for all that never were.
  explicit OtherBytes(std::int64_t bytes);
  /// Reads a byte of each cache line. It does not write: lines that have to go back to memory would
  /// slow down what comes next.
  void read() const;

 private:
  std::int64_t bytes_ = 0;
  mpi::Buffer buffer_;
};

}  // namespace gatherbench::bench
