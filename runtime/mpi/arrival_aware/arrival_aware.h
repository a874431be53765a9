// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "algorithms/choice/choice.h"
#include "runtime/mpi/global_clock.h"
#include "runtime/mpi/plans/layout.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/reduction.h"

namespace gatherbench::mpi {

struct ArrivalAwareSettings {
  /// Time of a block's message between two ranks, the same on every rank. Not more than 0: it is
  /// measured, if the algorithm needs it and was given none (`bdr:tau=`).
  double message_us = 0;
  /// One time for all ranks, which must outlive the object. Null: a clock of its own, which is
  /// synchronised unless all ranks are on one node.
  const GlobalClock* clock = nullptr;
  algorithms::MessageForm form = {};
  /// The times at which ranks will leave, such as cost::exit_times_of_messages(), by which an
  /// algorithm chooses that chooses (`portfolio`). Empty: it does not know these times.
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
/// for what happened in the helper thread; of the object is no more use then.
class ArrivalAware {
 public:
  /// `choice` is of an algorithm whose row says `uses_arrivals`. Without `send` the own block is
  /// put in its place in `receive` by `run`'s caller. The buffers must outlive the object, `comm`
  /// is copied. Throws std::runtime_error unless MPI runs with MPI_THREAD_MULTIPLE. Collective.
  ArrivalAware(const algorithms::Choice& choice, const Layout& layout, const std::byte* send,
               std::byte* receive, MPI_Comm comm, const ArrivalAwareSettings& settings = {});
  ArrivalAware(ArrivalAware&& other) noexcept;
  ArrivalAware& operator=(ArrivalAware&& other) noexcept;
  /// May follow `edge` without a `run` between them only if that is so on every rank.
  ~ArrivalAware();

  /// The computation begins. Without it, it began with the end of the last `run`.
  void processing_start();
  /// This fraction of the computation is done; more than 0, at most 1. Only the first one counts.
  void edge(double fraction);
  /// Says, instead of `edge`, when this rank will be there, by `steady_ns`, if it knows that. It
  /// may be called at any time of the computation; from then on the receive buffer is the
  /// all-gather's. Only the first call of `edge` or `predict` counts. An arrival that is `certain`
  /// is made use of, however wrong the last predictions were.
  void predict(std::int64_t arrival_ns, bool certain = false);
  /// The computation is done: the rank is there.
  void processing_end();
  /// The all-gather. Collective.
  void run();

  /// Makes the next all-gathers use these buffers, which must outlive the object; `send` is null if
  /// it was null before. May be called between a `run` and an `edge`.
  void use_buffers(const std::byte* send, std::byte* receive);

  /// Synchronises its own clock again, as programs that run for minutes should now and then; none
  /// if it was given one. Collective, between a `run` and an `edge`.
  void synchronise();
  [[nodiscard]] double message_us() const;  ///< the given or measured time; 0: not needed
  [[nodiscard]] const ArrivalStatistics& last() const;

 private:
  class Call;
  std::unique_ptr<Call> call_;
};

/// Empty if a helper thread may call MPI beside the main one, else why not.
std::string why_no_helper_thread();

}  // namespace gatherbench::mpi
