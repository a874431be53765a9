// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/choice/choice.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/helper_thread.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/plans/reduction.h"

namespace gatherbench::mpi {

/// What an all-gather or a reduction that uses arrivals is made of, whatever these are.
struct GatherTask {
  algorithms::Choice choice;
  Layout layout;
  const std::byte* send;  ///< null: in place
  std::byte* receive;
  double message_us;
  algorithms::MessageForm form;
  double start_us = 0;
  algorithms::ExitTimes exits_us = {};  ///< may be empty
  int root = 0;                         ///< of a reduction, as the next one
  Reduction reduction = {};
};

/// One all-gather after the other, each from an exchange of when the ranks will arrive to the last
/// block: first in steps that never block, by any one thread at a time, then the rest.
class PredictedGather {
 public:
  /// Nothing else may use the communicator.
  PredictedGather(GatherTask task, Communicator comm);
  /// Gives up what was begun and not run. Waits for the exchange, if all ranks take part in it, but
  /// not for ever.
  ~PredictedGather();
  PredictedGather(const PredictedGather&) = delete;
  PredictedGather& operator=(const PredictedGather&) = delete;

  /// What ranks tell each other, in global time.
  struct Estimate {
    std::int64_t now_ns;
    std::int64_t arrival_ns;  ///< not before now
    std::int64_t error_ns;    ///< how wrong this rank's predictions use to be; not negative
  };
  /// The next all-gathers are of these buffers. Between `run` and `start`.
  void use_buffers(const std::byte* send, std::byte* receive) {
    task_.send = send;
    task_.receive = receive;
  }
  /// The next all-gather, with this rank's estimate.
  void start(const Estimate& estimate);
  /// Goes on without waiting: with the exchange, with the plan, with the plan's background steps.
  Advance advance();
  /// The rest; the own block is there. Collective.
  void run();

  /// Of the last one.
  struct Figures {
    std::int64_t exchanged_ns = 0;  ///< when all predictions were here, by the own clock
    double schedule_us = 0;         ///< making the plan
    std::size_t background_steps = 0;
    std::int64_t background_bytes = 0;
    double resolution_us = 0;  ///< arrivals closer than this counted as one
  };
  [[nodiscard]] const Figures& figures() const { return figures_; }
  [[nodiscard]] std::size_t done_steps() const { return plan_ ? plan_->done_steps() : 0; }

 private:
  enum class Stage { idle, to_exchange, exchanging, planned };
  void exchange();
  void make_plan();
  [[nodiscard]] std::int64_t resolution_ns() const;
  [[nodiscard]] std::vector<double> arrivals_us() const;

  GatherTask task_;
  Communicator comm_;
  int rank_;
  std::vector<std::int64_t> block_bytes_;
  std::unique_ptr<std::vector<Estimate>> estimates_;  // of all ranks
  MPI_Request exchange_ = MPI_REQUEST_NULL;
  std::optional<Plan> plan_;
  Stage stage_ = Stage::idle;
  Figures figures_;
};

}  // namespace gatherbench::mpi
