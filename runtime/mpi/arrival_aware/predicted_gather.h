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

/// Everything that an all-gather or a reduction needs whose algorithm uses arrivals.
struct GatherTask {
  algorithms::Choice choice;
  Layout layout;
  const std::byte* send;  ///< null: in place
  std::byte* receive;
  double message_us;
  algorithms::MessageForm form;
  double start_us = 0;
  algorithms::ExitTimes exits_us = {};  ///< may be empty
  int root = 0;                         ///< the root of a reduction, which `reduction` describes
  Reduction reduction = {};
};

/// Runs one all-gather after the other. Each begins with an exchange in which ranks tell each other
/// when they will arrive. Its first steps never block, and any one thread at a time may do them;
/// then `run` does the rest.
class PredictedGather {
 public:
  /// Takes `comm` for itself: nothing else may use it.
  PredictedGather(GatherTask task, Communicator comm);
  /// Gives up what was begun and not run. Waits for the exchange, if all ranks take part in it, but
  /// not for ever.
  ~PredictedGather();
  PredictedGather(const PredictedGather&) = delete;
  PredictedGather& operator=(const PredictedGather&) = delete;

  /// The numbers that ranks tell each other, in global time.
  struct Estimate {
    std::int64_t now_ns;
    std::int64_t arrival_ns;  ///< not before now
    std::int64_t error_ns;    ///< how wrong this rank's predictions use to be; not negative
  };
  /// Makes the next all-gathers use these buffers. May be called between `run` and `start`.
  void use_buffers(const std::byte* send, std::byte* receive) {
    task_.send = send;
    task_.receive = receive;
  }
  /// Begins the next all-gather, with this rank's estimate.
  void start(const Estimate& estimate);
  /// Goes on without waiting: with the exchange, with the plan, with the plan's background steps.
  Advance advance();
  /// Does the rest; the own block is there. Collective.
  void run();

  /// Times and counts of the last all-gather.
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
