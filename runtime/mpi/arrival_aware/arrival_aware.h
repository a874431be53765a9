// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/choice/choice.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/helper_thread.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/mpi/plans/reduction.h"

namespace gatherbench::mpi {

struct ArrivalAwareSettings {
  /// Time of a message of the blocks' mean size between two ranks, the same on every rank. If it is
  /// not more than 0, it is measured, should the algorithm need it and have been given none
  /// (`bdr:tau=`).
  double message_us = 0;
  /// One time for all ranks, which must outlive the object. Null: a clock of its own, which is
  /// synchronised unless all ranks are on one node.
  const GlobalClock* clock = nullptr;
  algorithms::MessageForm form = {};
  /// The times at which ranks will leave, such as cost::exit_times_of_messages(), for an algorithm
  /// that makes a choice by them (`portfolio`). Empty: it does not know these times.
  algorithms::ExitTimes exits_us = {};
  int root = 0;  ///< the root of a reduction, which `reduction` describes
  Reduction reduction = {};
};

/// Times and counts of this rank in the last all-gather, beside moving blocks.
struct ArrivalStatistics {
  bool was_predicted = false;  ///< `edge` or `predict` was called
  double error_us = 0;         ///< predicted arrival less the actual one
  /// Time from `edge` until all predictions were here, and so until the last rank's edge.
  double exchange_us = 0;
  double schedule_us = 0;                ///< making the schedule, the messages and the calls of it
  double helper_busy_us = 0;             ///< processor time that the helper thread took
  std::size_t background_steps = 0;      ///< steps that can run before the own block is there
  std::size_t background_steps_run = 0;  ///< background steps that were over before `run`
  std::int64_t background_bytes = 0;     ///< bytes that come in with `background_steps`
  /// Predicted arrivals that were all closer than this counted as one: half a message, or what the
  /// worst rank's last predictions were wrong by (the median of eight), whichever is more.
  double resolution_us = 0;
};

/// An all-gather that knows when ranks arrive at it (Proficz 2021), for programs that compute and
/// gather in turns; or a reduction, of which nothing is moved before a rank is there. A rank tells
/// of its progress in the computation; from that a helper thread predicts when the rank will come,
/// tells all others, and begins to receive blocks of earlier ranks while the computation goes on:
///
///     all_gather.processing_start();
///     ...                             // the first half of the computation
///     all_gather.edge(0.5);           // from here on the receive buffer is the all-gather's
///     ...                             // the other half, which writes the send buffer
///     all_gather.processing_end();
///     all_gather.run();
///
/// `run` is collective; the others are this rank's alone and may be left out, by each rank as it
/// likes: without `edge` a rank tells the others that it is there when it is. However wrong a
/// prediction, the result is right. All members are called by one thread. They throw MpiError, also
/// for what happened in the helper thread; the object is of no more use then.
class ArrivalAware {
 public:
  /// `choice` is of an algorithm whose row says `uses_arrivals`. Without `send` the own block is
  /// put in its place in `receive` by `run`'s caller. The buffers must outlive the object, `comm`
  /// is copied. Throws std::runtime_error unless MPI runs with MPI_THREAD_MULTIPLE. Collective.
  ArrivalAware(const algorithms::Choice& choice, const Layout& layout, const std::byte* send,
               std::byte* receive, MPI_Comm comm, const ArrivalAwareSettings& settings = {});
  ArrivalAware(ArrivalAware&& other) noexcept;
  ArrivalAware& operator=(ArrivalAware&& other) noexcept;
  /// Destroys the object; after an `edge` without a `run` only if every rank does so.
  ~ArrivalAware();

  /// Says that the computation begins. Without this call, it began with the end of the last `run`.
  void processing_start();
  /// Says that this fraction of the computation is done; more than 0, at most 1. Only the first
  /// call counts.
  void edge(double fraction);
  /// Says, instead of `edge`, when this rank will be there, by `steady_ns`, if it knows that. It
  /// may be called at any time of the computation; from then on the receive buffer is the
  /// all-gather's. Only the first call of `edge` or `predict` counts. An arrival that is `certain`
  /// is made use of, however wrong the last predictions were.
  void predict(std::int64_t arrival_ns, bool certain = false);
  /// Says that the computation is done: the rank is there.
  void processing_end();
  /// Runs the all-gather. Collective.
  void run();

  /// Makes the next all-gathers use these buffers, which must outlive the object; `send` is null if
  /// it was null before. May be called between a `run` and an `edge`.
  void use_buffers(const std::byte* send, std::byte* receive);

  /// Synchronises its own clock again, as programs that run for minutes should now and then; does
  /// nothing if it was given one. Collective, between a `run` and an `edge`.
  void synchronise();
  [[nodiscard]] double message_us() const;  ///< the given or measured time; 0: not needed
  [[nodiscard]] const ArrivalStatistics& last() const;

 private:
  class Call;
  std::unique_ptr<Call> call_;
};

/// Returns why a helper thread must not call MPI beside the main one; empty: it may.
std::string why_no_helper_thread();

/// The errors of a rank's last predictions.
class RecentErrors {
 public:
  static constexpr std::size_t most = 8;

  /// Adds an error: the predicted less the actual arrival.
  void add(std::int64_t error_ns) {
    absolute_ns_[count_ % most] = std::abs(error_ns);
    ++count_;
  }

  /// Returns the upper median of the absolute errors, which one interruption of a rank does not
  /// move; 0 before the first prediction.
  [[nodiscard]] std::int64_t typical_ns() const {
    std::array<std::int64_t, most> ordered = absolute_ns_;
    const std::size_t known = std::min(count_, most);
    if (known == 0) return 0;
    const auto middle = ordered.begin() + static_cast<std::ptrdiff_t>(known / 2);
    std::nth_element(ordered.begin(), middle, ordered.begin() + static_cast<std::ptrdiff_t>(known));
    return *middle;
  }

 private:
  std::array<std::int64_t, most> absolute_ns_{};
  std::size_t count_ = 0;
};

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
  /// Gives up what was begun and not run. Waits for the exchange, which ends only if all ranks take
  /// part in it, but for a second at most.
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
  /// Does the rest of the all-gather; the own block must be there. Collective.
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
