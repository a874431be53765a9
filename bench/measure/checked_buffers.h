// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/measure/runner.h"
#include "bench/setup/guard_bytes.h"
#include "collectives/collective.h"
#include "mpi/layout.h"

namespace gatherbench::bench {

struct PlacedBlock {
  int block;
  std::span<std::byte> bytes;
};

/// The buffers of one case on one rank, and what belongs into them.
class CheckedBuffers {
 public:
  /// `send` is null in place. Fills what is sent with the pattern.
  CheckedBuffers(const collectives::Collective& collective, int rank, int ranks,
                 const mpi::Layout& layout, std::byte* send, std::byte* receive);

  /// Makes every byte that the collective has to write wrong, also just past the buffer's end.
  void spoil();

  /// Empty if every byte of the receive buffer is right, nothing was written past it and the send
  /// buffer is untouched; else the first fault, with this rank, block and byte.
  [[nodiscard]] std::string fault() const;

 private:
  int rank_;
  std::vector<PlacedBlock> sent_;      // the send buffer; in place none
  std::vector<PlacedBlock> received_;  // the receive buffer
  std::vector<PlacedBlock> own_;       // in the receive buffer, in place
  std::span<std::byte> guard_;
};

/// The text of the lowest rank that has one, on all ranks; empty if none has. Collective.
std::string first_text(const std::string& own, MPI_Comm comm);

}  // namespace gatherbench::bench
