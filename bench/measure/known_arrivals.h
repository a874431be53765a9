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
#include "bench/measure/prepared_call.h"
#include "bench/plan/contenders.h"
#include "runtime/mpi/arrival_aware/arrival_aware.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/window/node_memory.h"

namespace gatherbench::bench {

/// A rank's part in a collective whose ranks all know when each of them arrives.
struct KnownArrivalsTask {
  algorithms::Choice choice;
  algorithms::Placement placement;
  mpi::Layout layout;
  collectives::Part part;
  const std::byte* send;  ///< null in place
  std::byte* receive;
  mpi::Memory memory;
  const mpi::NodeMemory* shared;  ///< in which the buffers lie; null: in none
  algorithms::MessageForm form;
  mpi::Reduction reduction;
  double message_us;     ///< of all bytes, with their combination
  double start_us;       ///< of it, what a message without bytes takes
  bool charge_schedule;  ///< the schedule is made in `run`, each time anew
};

/// A collective whose schedule depends on when ranks arrive, and whose ranks all know that before:
/// no rank has to ask another, and no thread helps.
class KnownArrivals final : public PreparedCall, public Expecting {
 public:
  /// Takes the communicator for itself: nothing else may use it.
  KnownArrivals(KnownArrivalsTask task, MPI_Comm comm);

  void run() override;
  void use_buffers(const std::byte* send, std::byte* receive) override;
  [[nodiscard]] const mpi::ArrivalStatistics* arrival_statistics() const override { return &last_; }

  [[nodiscard]] Expecting* expecting() override { return this; }
  /// Makes the schedule too, unless it is the last one.
  void expect(std::span<const double> arrival_us) override;
  void arrived(double us) override;

 private:
  void make_plan();

  KnownArrivalsTask task_;
  MPI_Comm comm_;
  BlockBytes block_bytes_;
  std::vector<double> arrival_us_;
  bool is_made_ = false;
  std::optional<mpi::LoweredSchedule> lowered_;
  std::optional<mpi::Plan> plan_;
  mpi::ArrivalStatistics last_;
};

}  // namespace gatherbench::bench
