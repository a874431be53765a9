// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/options/values/buffer_choice.h"
#include "runtime/mpi/buffers.h"

namespace gatherbench::bench {

/// A buffer as a program may have it: so far behind a page boundary, in pages of a kind.
class UserBuffer {
 public:
  UserBuffer() = default;
  /// Makes a buffer of so many bytes from `data` on; nothing is written there yet. Throws
  /// std::bad_alloc, and device::DeviceError of one in a device.
  explicit UserBuffer(std::int64_t bytes, const BufferPlace& place = {});
  /// Makes a buffer at the begin of `room`, and takes from it what the place sets aside. `room`
  /// begins a page and outlives the buffer; the place is in a window.
  UserBuffer(std::int64_t bytes, const BufferPlace& place, std::span<std::byte>& room);
  /// Makes a buffer for bytes of simulated ranks that nobody looks at; all ranks share its memory.
  static UserBuffer folded(std::int64_t bytes);

  /// Returns where the buffer begins; null if it has no bytes.
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  mpi::Buffer buffer_;
  std::byte* data_ = nullptr;
};

}  // namespace gatherbench::bench
