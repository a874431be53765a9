// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include "algorithms/cost/models.h"
#include "bench/conditions/congestion.h"
#include "bench/conditions/other_bytes.h"
#include "bench/conditions/user_buffer.h"
#include "bench/duet/turns.h"
#include "bench/host/cache_line.h"
#include "bench/host/counters.h"
#include "bench/options/operators.h"
#include "bench/plan/contenders.h"
#include "bench/plan/setup.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/window/node_memory.h"

namespace gatherbench::bench {

/// The resources that the cases of a launch share.
class LaunchResources {
 public:
  /// Collective over the measured ranks. `ranks_beside` must outlive it.
  LaunchResources(const Setup& setup, Turns turns_with_partner, Congestion& ranks_beside);

  Turns turns;
  Congestion& congestion;
  /// Buffers that are large enough for each of the cases and used by all algorithms alike.
  struct Buffers {
    UserBuffer send;
    UserBuffer receive;
    UserBuffer ring;  ///< instead of the two, where calls use pairs of buffers in turn
  };
  /// Returns the memory in which these buffers lie; null: in memory of the rank's own.
  [[nodiscard]] const mpi::NodeMemory* node_memory() const { return node_memory_.get(); }
  /// Returns the buffers of a case.
  [[nodiscard]] const Buffers& buffers(mpi::Memory memory) const {
    return memory == mpi::Memory::folded ? folded_ : own_;
  }
  OtherBytes other;                                ///< for --buffers cold
  std::unique_ptr<const MpiOperator> combined_by;  ///< null: the collective combines nothing
  [[nodiscard]] mpi::Reduction reduction() const {
    return combined_by == nullptr ? mpi::Reduction{} : combined_by->reduction();
  }
  std::optional<CounterRecorder> counters = {};  ///< --record counters
  CacheLineProbe cache_line;
  /// Tells on rank 0 how far the case is. Empty: nobody is told.
  std::function<void(std::string_view part)> tell = {};
  mpi::GlobalClock clock;
  /// Returns the microseconds that one message of so many bytes takes, measured when they are first
  /// asked for. Collective.
  double message_us(std::int64_t bytes, MPI_Comm comm);
  /// Returns what contenders that select may know of the machine, measured when one asks first;
  /// none without a switch tree. Collective.
  const std::optional<cost::ContentionModel>& contention_model(
      const Contender& contender, const algorithms::Placement& placement, MPI_Comm comm);

 private:
  std::unique_ptr<const mpi::NodeMemory> node_memory_;
  Buffers own_;
  Buffers folded_;
  mpi::Communicator clock_comm_;
  std::map<std::int64_t, double> message_us_;
  std::optional<cost::ContentionModel> contention_model_;
};

}  // namespace gatherbench::bench
