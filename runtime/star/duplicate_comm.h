// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/placement.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/window/node_window.h"
#include "runtime/star/world.h"

namespace gatherbench::star {

/// A communicator of ours with the ranks of one of the program's, so that no message of an
/// algorithm can meet one of the program's. It is made when it is needed first.
class DuplicateComm {
 public:
  DuplicateComm(World& world, MPI_Comm of);
  ~DuplicateComm() { free(); }
  DuplicateComm(const DuplicateComm&) = delete;
  DuplicateComm& operator=(const DuplicateComm&) = delete;

  [[nodiscard]] MPI_Comm of() const { return of_; }
  [[nodiscard]] MPI_Comm get() const { return comm_.get(); }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// Finds where the ranks are, once, before anything below is asked for. Returns false if one has
  /// no place: MPI_Init did not start its process. Throws mpi::MpiError.
  bool locate();
  /// Returns each rank's rank in the world; empty if one has none.
  [[nodiscard]] const std::vector<int>& world_ranks() const { return world_ranks_; }
  [[nodiscard]] const algorithms::Placement& placement() const { return placement_; }
  /// Returns the id, which no other communicator has. It is the same on all ranks once they have
  /// agreed on anything.
  [[nodiscard]] std::int64_t id() const { return id_; }
  void set_id(std::int64_t id) { id_ = id; }
  /// Returns the id that this rank proposes in an agreement.
  [[nodiscard]] std::int64_t proposed_id();

  /// Makes the duplicate if no rank is in the way; returns true if there is one, on all ranks.
  /// Collective over the program's communicator, but for a second refusal. Throws mpi::MpiError.
  bool make();
  /// Makes a window of the ranks of each node, for all plans of the communicator, if all ranks get
  /// theirs; returns true if there is one. It is called after make(), and is collective and throws
  /// as that.
  bool make_window();
  /// Returns the window; null on all ranks if there is none, or no longer one.
  [[nodiscard]] const std::shared_ptr<mpi::NodeWindow>& window() const { return window_; }
  /// Returns true if a window was asked for and could not be had.
  [[nodiscard]] bool is_without_windows() const { return window_refused_; }
  /// Frees the window and the duplicate, if there are any. Collective over the program's
  /// communicator, whose plans must be gone.
  void free() noexcept;

 private:
  World& world_;
  MPI_Comm of_;
  int rank_ = 0;
  int ranks_ = 0;
  std::vector<int> world_ranks_;
  std::int64_t id_ = -1;
  bool refused_ = false;
  bool window_refused_ = false;
  algorithms::Placement placement_;
  mpi::Communicator comm_;
  std::shared_ptr<mpi::NodeWindow> window_;  // of comm_
};

}  // namespace gatherbench::star
