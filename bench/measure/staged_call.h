// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "bench/measure/prepared_call.h"
#include "runtime/device/device.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// The host's copies of a piece of each block in a call's buffers, which are in a device. Functions
/// throw device::DeviceError.
class HostStage {
 public:
  /// Makes copies; `send` is null in place. Throws std::bad_alloc.
  HostStage(const mpi::Layout& layout, const collectives::Part& part, const std::byte* send,
            std::byte* receive, const mpi::Cut& piece);

  /// Returns the layout of the copies, whose address stays the same.
  [[nodiscard]] const mpi::Layout& layout() const { return *layout_; }
  /// Returns the copy of the send buffer, null in place; `receive` that of the other one.
  [[nodiscard]] std::byte* send() const { return host_send_.data(); }
  [[nodiscard]] std::byte* receive() const { return host_receive_.data(); }

  void use_buffers(const std::byte* send, std::byte* receive);
  /// Begins to copy to the host what the rank sends.
  void begin_fetch() const;
  /// Begins to copy to the device what the rank has to have after the call, and nothing else.
  void begin_put() const;

 private:
  /// Rows of so many bytes, by where the first one is in a buffer and in its copy, and how far
  /// apart they are in each.
  struct Strip {
    std::size_t device;
    std::size_t host;
    std::size_t bytes;
    std::size_t count = 1;
    std::size_t device_step = 0;
    std::size_t host_step = 0;
  };
  /// Adds the wanted ones of the blocks that are there, which lie one behind the other, or in a
  /// receive buffer where the layouts have them.
  void add(std::vector<Strip>& strips, const collectives::Blocks& there,
           const collectives::Blocks& wanted, const mpi::Layout& in_device, bool in_receive_buffer,
           const mpi::Cut& piece) const;
  /// Adds a strip, as a part of the last one where it continues that.
  static void join(std::vector<Strip>& strips, const Strip& next);

  const std::byte* send_;
  std::byte* receive_;
  std::unique_ptr<const mpi::Layout> layout_;
  mpi::Buffer host_send_;
  mpi::Buffer host_receive_;
  std::vector<Strip> sent_;      // in the send buffer; in place, in the receive buffer
  std::vector<Strip> received_;  // in the receive buffer
};

/// A call that is prepared for the stage's copies.
struct StagedPiece {
  std::unique_ptr<PreparedCall> on_host;
  HostStage stage;
};

/// Makes one call of those of all pieces: each fetches, calls, and puts. While a piece is called,
/// the one before it is put, and the next one is fetched.
std::unique_ptr<PreparedCall> staged(std::vector<StagedPiece> pieces);

}  // namespace gatherbench::bench
