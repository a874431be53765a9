// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mpi/buffers.h"
#include "mpi/handles.h"
#include "mpi/lowering.h"

namespace gatherbench {

/// A lowered schedule bound to buffers and a communicator: the only code that moves all-gather
/// traffic of our own. Everything is prepared in the constructor; run() only copies and calls MPI.
class Plan {
 public:
  /// `send` may be null if the schedule was lowered in place. The buffers and the communicator must
  /// outlive the plan; nothing else may use the communicator.
  Plan(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive, MPI_Comm comm);

  /// One all-gather. Throws MpiError.
  void run();

 private:
  /// One MPI message with everything its call needs.
  struct Call {
    void* buffer;
    int count;
    MPI_Datatype type;
    int peer;
  };
  struct ByteCopy {
    std::byte* to;
    const std::byte* from;
    std::size_t bytes;
  };
  struct Range {
    std::size_t first;
    std::size_t last;
  };
  struct Step {
    bool barrier;
    Range before, receives, sends, after;
  };

  [[nodiscard]] std::byte* address(Area area, std::int64_t offset) const;
  Range add(std::span<const Copy> copies);
  Range add(std::span<const Message> messages);
  [[nodiscard]] Call call(const Message& message);
  [[nodiscard]] Call call(void* buffer, std::int64_t bytes, int peer);
  void copy(const Range& range) const;
  void communicate(const Step& step);

  const std::byte* send_;
  std::byte* receive_;
  MPI_Comm comm_;
  Buffer scratch_;
  Buffer packed_;
  std::vector<Datatype> types_;
  std::vector<Call> calls_;
  std::vector<ByteCopy> copies_;
  std::vector<Step> steps_;
  Range prologue_;
  Range epilogue_;
  Call broadcast_{};  // from rank 0, after the steps; no buffer: none
  std::vector<MPI_Request> requests_;
};

}  // namespace gatherbench
