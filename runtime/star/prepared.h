// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/choice/choice.h"
#include "algorithms/placement.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"

namespace gatherbench::star {

/// An algorithm of ours, ready for blocks of these sizes. It works in the receive buffer, where the
/// own block lies already.
class Prepared {
 public:
  /// `comm` is one of ours, for nothing else; `placement` is of its ranks. `data` is the receive
  /// buffer of a first call. Throws std::bad_alloc, mpi::MpiError.
  Prepared(const algorithms::Choice& choice, const algorithms::Placement& placement,
           std::vector<std::int64_t> block_bytes, int rank, MPI_Comm comm, std::byte* data);

  [[nodiscard]] std::span<const std::int64_t> block_bytes() const { return block_bytes_; }
  /// Throws std::bad_alloc, mpi::MpiError.
  void run(std::byte* data);

 private:
  std::vector<std::int64_t> block_bytes_;
  mpi::LoweredSchedule lowered_;
  std::byte* bound_;
  mpi::Plan plan_;
};

}  // namespace gatherbench::star
