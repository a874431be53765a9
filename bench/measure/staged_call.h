// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "algorithms/collectives/collective.h"
#include "bench/measure/prepared_call.h"
#include "runtime/device/device.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/plans/layout.h"

namespace gatherbench::bench {

/// The host's copies of a call's buffers in a device. Functions throw device::DeviceError.
class HostStage {
 public:
  /// Makes copies that lie as the buffers do; `send` is null in place. Throws std::bad_alloc.
  HostStage(const mpi::Layout& layout, const collectives::Part& part, const std::byte* send,
            std::byte* receive);

  /// The copies; that of `send` is null in place.
  [[nodiscard]] std::byte* send() const { return host_send_.data(); }
  [[nodiscard]] std::byte* receive() const { return host_receive_.data(); }

  void use_buffers(const std::byte* send, std::byte* receive);
  /// Copies to the host what the rank sends.
  void fetch() const;
  /// Copies to the device what the rank has to have after the call, and nothing else.
  void put() const;

 private:
  /// Bytes that lie in the same place of a buffer and of its copy.
  struct Piece {
    std::size_t offset;
    device::Rows rows;
  };
  /// Adds the wanted ones of the blocks that are there, which lie one behind the other, or in a
  /// receive buffer where the layout has them.
  static void add(std::vector<Piece>& pieces, const collectives::Blocks& there,
                  const collectives::Blocks& wanted, const mpi::Layout& layout,
                  bool in_receive_buffer);

  const std::byte* send_;
  std::byte* receive_;
  mpi::Buffer host_send_;
  mpi::Buffer host_receive_;
  std::vector<Piece> sent_;      // in the send buffer; in place, in the receive buffer
  std::vector<Piece> received_;  // in the receive buffer
};

/// Makes a call of one that is prepared for the stage's copies: it fetches, calls, and puts.
std::unique_ptr<PreparedCall> staged(std::unique_ptr<PreparedCall> on_host, HostStage stage);

}  // namespace gatherbench::bench
