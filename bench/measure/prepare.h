// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <optional>

#include "algorithms/cost/models.h"
#include "algorithms/placement.h"
#include "bench/measure/prepared_call.h"
#include "bench/plan/contenders.h"
#include "bench/plan/setup.h"
#include "runtime/mpi/buffers.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/window/node_memory.h"
#include "runtime/mpi/window/node_window.h"

namespace gatherbench::bench {

/// The buffers of a case on one rank, and the memory from which algorithms get what more they need.
struct CaseMemory {
  const std::byte* send;  ///< null in place
  std::byte* receive;
  mpi::Memory memory = mpi::Memory::own;
  const mpi::NodeMemory* shared = nullptr;  ///< in which the buffers lie; null: in none
};

/// A case on one rank, as all its contenders are prepared for it. What it points at outlives the
/// calls.
struct CaseOnRank {
  const Setup& launch;
  const mpi::Layout& layout;
  const algorithms::Placement& placement;  ///< of the ranks of the contenders' communicators
  CaseMemory buffers;
  mpi::Reduction reduction = {};  ///< of a collective that combines
  /// Time of a message of the blocks' mean size; 0: they measure it where they need it.
  double message_us = 0;
  const mpi::GlobalClock* clock = nullptr;  ///< of those that predict; null: they make their own
  /// The model of the machine for contenders that select; none: nothing is known of it.
  std::optional<cost::ContentionModel> model = {};
  /// The window of all that a contender that selects may try, as it runs them one at a time; null:
  /// each has its own.
  std::shared_ptr<mpi::NodeWindow> window = nullptr;
};

/// Makes everything ready but the collective itself, on the contender's communicator or on a copy
/// of it. The contender has to be able to run the case. Collective.
std::unique_ptr<PreparedCall> prepare(const Contender& contender, const CaseOnRank& own);
std::unique_ptr<PreparedCall> prepare(const algorithms::Choice& choice, const CaseOnRank& own,
                                      MPI_Comm comm);

}  // namespace gatherbench::bench
