// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/policies/policy.h"
#include "runtime/star/duplicate_comm.h"

namespace gatherbench::star {

/// An algorithm of ours, ready for blocks of these sizes. It works in the receive buffer, where the
/// own block lies already.
class Prepared {
 public:
  /// `duplicate` has been made, and its window, if the algorithm goes by one. `data` is the receive
  /// buffer of a first call. Throws std::bad_alloc, mpi::MpiError.
  Prepared(const algorithms::Choice& choice, const DuplicateComm& duplicate,
           std::span<const std::int64_t> block_bytes, std::byte* data);

  [[nodiscard]] std::span<const std::int64_t> block_bytes() const { return block_bytes_; }
  /// Throws std::bad_alloc, mpi::MpiError.
  void run(std::byte* data);

 private:
  std::vector<std::int64_t> block_bytes_;
  mpi::LoweredSchedule lowered_;
  std::byte* bound_;
  mpi::Plan plan_;
};

/// The algorithms that a communicator's calls of a key choose from, each prepared when it is needed
/// first.
class Repertoire {
 public:
  /// `duplicate` outlives it.
  explicit Repertoire(DuplicateComm& duplicate) : duplicate_(duplicate) {}

  /// `native` first. Nothing is prepared.
  void begin(std::vector<algorithms::Choice> choices);
  [[nodiscard]] const std::vector<algorithms::Choice>& choices() const { return choices_; }
  [[nodiscard]] std::vector<std::string> labels() const;
  /// Returns true if one of the choices goes by a window.
  [[nodiscard]] bool has_windows() const;

  /// Returns true if the call plan needs a window, and the ranks can have none. Collective. Throws
  /// mpi::MpiError.
  bool lacks_window(const policies::CallPlan& call_plan);
  /// Makes what the call plan needs; returns true if all ranks have it. `data` is the receive
  /// buffer. Collective. Throws mpi::MpiError.
  bool prepare(const policies::CallPlan& call_plan, std::span<const std::int64_t> block_bytes,
               std::byte* data);
  /// Runs the algorithm of that number with these blocks. Returns false if it cannot run with them,
  /// on all ranks, and nothing was done. Throws mpi::MpiError, std::bad_alloc.
  bool run(std::size_t number, std::span<const std::int64_t> block_bytes, std::byte* data);
  /// Destroys prepared algorithms, which hold the window, before that is freed.
  void clear() { prepared_.clear(); }

 private:
  DuplicateComm& duplicate_;
  std::vector<algorithms::Choice> choices_;
  std::vector<std::unique_ptr<Prepared>> prepared_;  // null: not yet
};

}  // namespace gatherbench::star
