// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/mpi/buffers.h"
#include "runtime/mpi/handles.h"
#include "runtime/mpi/plans/element_type.h"
#include "runtime/mpi/plans/helper_thread.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/reduction.h"

namespace gatherbench::mpi {

/// The messages of a rank's step: each peer once, in rising order, also of a token, and the bytes
/// of all of them.
struct StepMessages {
  bool barrier = false;  ///< all ranks wait for each other first
  std::vector<int> to = {};
  std::vector<int> from = {};
  std::int64_t sent_bytes = 0;
  std::int64_t received_bytes = 0;
};

/// A lowered schedule bound to buffers and a communicator: the only code that moves blocks
/// by schedules of our own. Everything is prepared in the constructor; run() only copies and calls
/// MPI. A background thread may do the beginning of it.
class Plan {
 public:
  /// `send` may be null if the schedule was lowered in place. The buffers and the communicator must
  /// outlive the plan; nothing else may use the communicator. `memory` is what its own ones are of.
  /// A schedule that combines needs `reduction`.
  Plan(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive, MPI_Comm comm,
       Memory memory = Memory::own, const Reduction& reduction = {});

  /// The collective once, or what `advance` has left of it. Throws MpiError.
  void run();

  /// The collective without waiting for it: `begin`, then `test` now and then, each of which goes
  /// on as far as it can without waiting and says whether all is done, then `finish`, which waits
  /// for the rest. The buffers are the plan's from the one to the other. Instead of `run`, with
  /// nothing that `advance` has begun. They throw MpiError.
  void begin();
  bool test();
  void finish();

  /// The collective once, as `run` does it, and when its parts ended: `marks`, of which there are
  /// marks(), get the steady clock in nanoseconds at the begin, after the copies before the first
  /// step, after each step, and after what follows the last one. Without anything that `advance`
  /// has begun. Throws MpiError.
  void run(std::span<std::int64_t> marks);
  [[nodiscard]] std::size_t marks() const { return steps_.size() + 3; }
  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  /// Throws MpiError.
  [[nodiscard]] StepMessages messages(std::size_t step) const;

  /// The next runs are of these buffers, which must outlive the plan, and of this schedule. `send`
  /// may be null if it was. Between runs, with nothing that `advance` has begun.
  void bind(const LoweredSchedule& lowered, const std::byte* send, std::byte* receive);

  /// Goes on with the steps that can run before the own block is there, as far as that goes without
  /// waiting; the rest is `run`'s. Any thread may do so, one at a time. Throws MpiError.
  Advance advance();
  [[nodiscard]] std::size_t background_steps() const { return background_steps_; }
  /// Of these, how many are done.
  [[nodiscard]] std::size_t done_steps() const { return next_; }

  /// Gives up what `advance` has begun, since `run` is not to come; no message is written to the
  /// buffers any more.
  void abandon() noexcept;

 private:
  struct ByteCopy {
    std::byte* to;
    std::byte* from;
    std::size_t bytes;
    algorithms::Incoming incoming;
    // Of elements with gaps, each of which has so many bytes.
    std::int64_t elements = 1;
    std::int64_t to_step = 0;
    std::int64_t from_step = 0;
  };
  struct Range {
    std::size_t first;
    std::size_t last;
    [[nodiscard]] std::size_t size() const { return last - first; }
  };
  /// One MPI message with everything its call needs.
  struct Call {
    void* buffer = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_CHAR;
    int peer = 0;
    int tag = 0;
    Range packing{};  // of one that is sent
  };
  struct Step {
    bool barrier;
    bool leaves;
    Range receives, sends, unpacking;
  };

  [[nodiscard]] std::byte* address(Area area, std::int64_t offset_of_data) const;
  Range add(std::span<const Copy> copies);
  Range add(std::span<const Message> messages);
  [[nodiscard]] Call call(const Message& message);
  [[nodiscard]] ByteCopy byte_copy(const Copy& copy) const;
  static void copy_elements(const ByteCopy& one);
  void copy(const Range& range) const;
  void combine(const ByteCopy& bytes) const;
  void communicate(const Step& step);
  /// After the requests that are pending: begins what comes next, up to what has to be waited for.
  void go_on();
  /// What the pending requests were for is complete.
  void complete();
  /// Calls `mark` at the begin and after each part.
  template <class Mark>
  void run_parts(Mark mark);
  /// Begins the calls of a step; returns how many of the requests are in use.
  int post(const Step& step, int used) { return post(step, used, requests_); }
  int post(const Step& step, int used, std::vector<MPI_Request>& requests);
  /// Begins the next background step, and with it those after it that can be open beside it.
  void begin_background();
  void end_background();

  const std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
  MPI_Comm comm_;
  Memory memory_;
  Reduction reduction_;
  ElementType element_;  // of the caller's buffers
  Buffer scratch_;
  Buffer packed_;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t packed_bytes_ = 0;
  std::vector<Datatype> types_;
  std::vector<Call> calls_;
  std::vector<ByteCopy> copies_;
  std::vector<Step> steps_;
  Range prologue_{};
  Range epilogue_{};
  Call broadcast_{};  // from its root, after the steps; no buffer: none
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Request> left_;  // of steps that leave their messages on their way
  std::vector<int> completed_;     // for MPI_Testsome
  /// Of what `begin` has begun.
  enum class Stage { steps, left, broadcast, done };
  Stage stage_ = Stage::done;
  std::span<MPI_Request> pending_;
  bool in_barrier_ = false;  // they are of the barrier before the step
  int used_left_ = 0;
  std::size_t background_steps_ = 0;
  std::size_t next_ = 0;      // step
  std::size_t open_end_ = 0;  // `advance` has begun the steps from next_ to here
  int open_ = 0;              // requests of these
  int open_left_ = 0;         // of these, incomplete ones
};

}  // namespace gatherbench::mpi
