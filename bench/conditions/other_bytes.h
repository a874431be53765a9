// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/mpi/buffers.h"

namespace gatherbench::bench {

/// Bytes that nobody needs: reading them puts something else into the caches.
class OtherBytes {
 public:
  OtherBytes() = default;
  /// Makes so many bytes and writes each page once: for all pages that were never written the
  /// kernel gives the same one of zeros.
  explicit OtherBytes(std::int64_t bytes) : bytes_(bytes), buffer_(bytes) {
    if (bytes > 0) std::memset(buffer_.data(), 1, static_cast<std::size_t>(bytes));
  }
  /// Reads a byte of each cache line. It does not write: lines that have to go back to memory would
  /// slow down what comes next.
  void read() const {
    constexpr std::int64_t line = 64;
    // volatile: nobody uses what is read, and it has to be read all the same.
    const volatile std::byte* const bytes = buffer_.data();
    for (std::int64_t at = 0; at < bytes_; at += line) static_cast<void>(bytes[at]);
  }

 private:
  std::int64_t bytes_ = 0;
  mpi::Buffer buffer_;
};

}  // namespace gatherbench::bench
