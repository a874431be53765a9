// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bench/measure/runner.h"
#include "mpi/layout.h"

namespace gatherbench::bench {

/// The buffers of one case on one rank, and what belongs into them.
class CheckedBuffers {
 public:
  /// `send` is null in place. Fills what is sent with the pattern.
  CheckedBuffers(const mpi::Layout& layout, int rank, std::byte* send, std::byte* receive);

  /// Makes every byte that the all-gather has to write wrong, also just past the buffer's end.
  void spoil();

  /// Empty if every byte of the receive buffer is right, nothing was written past it and the send
  /// buffer is untouched; else the first fault, with this rank, block and byte.
  [[nodiscard]] std::string fault() const;

  /// Bytes to allocate behind the blocks, for what must not be written.
  static constexpr std::int64_t guard_bytes = 64;

 private:
  [[nodiscard]] std::span<std::byte> received(int block) const;
  [[nodiscard]] std::span<std::byte> guard() const;

  const mpi::Layout* layout_;
  int rank_;
  std::byte* send_;
  std::byte* receive_;
};

/// The text of the lowest rank that has one, on all ranks; empty if none has. Collective.
std::string first_text(const std::string& own, MPI_Comm comm);

}  // namespace gatherbench::bench
