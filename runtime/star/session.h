// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/choice/choice.h"
#include "runtime/mpi/plans/lowering.h"
#include "runtime/mpi/plans/plan.h"
#include "runtime/policies/policy.h"
#include "runtime/policies/profile.h"
#include "runtime/selection/candidates.h"
#include "runtime/selection/progress.h"
#include "runtime/star/call/call.h"
#include "runtime/star/course.h"
#include "runtime/star/duplicate_comm.h"
#include "runtime/star/learnt.h"
#include "runtime/star/world.h"

namespace gatherbench::star {

/// An operation that an algorithm is made ready for: which blocks move, and what combines them.
struct Operation {
  const collectives::Collective* collective;
  std::vector<std::int64_t> block_bytes;  ///< of a rank's result
  bool in_place;                          ///< what the rank has is in the receive buffer
  int root;
  mpi::Reduction reduction = {};

  bool operator==(const Operation&) const = default;
};

/// Returns true if the operation is a call's, whose blocks have so many bytes.
[[nodiscard]] bool is_of(const Operation& operation, const Call& call,
                         std::span<const std::int64_t> block_bytes);

/// The buffers of a call, as PackedBuffers has them.
struct Buffers {
  const std::byte* send;
  std::byte* receive;

  bool operator==(const Buffers&) const = default;
};

/// An algorithm of ours, ready for such calls.
class Prepared {
 public:
  /// `duplicate` has been made, and its window, if the algorithm goes by one. The buffers are those
  /// of a first call. Throws std::bad_alloc, mpi::MpiError.
  Prepared(const algorithms::Choice& choice, const DuplicateComm& duplicate, Operation operation,
           const Buffers& buffers);

  [[nodiscard]] const Operation& operation() const { return operation_; }
  /// Throws std::bad_alloc, mpi::MpiError.
  void run(const Buffers& buffers);

 private:
  Operation operation_;
  mpi::LoweredSchedule lowered_;
  Buffers bound_;
  mpi::Plan plan_;
};

/// The algorithms that a communicator's calls of a key choose from, each prepared when it is needed
/// first.
class Repertoire {
 public:
  /// `duplicate` must outlive it.
  explicit Repertoire(DuplicateComm& duplicate) : duplicate_(duplicate) {}

  /// Takes these choices, of which `native` is the first, in place of all former ones. Prepares
  /// none of them.
  void begin(std::vector<algorithms::Choice> choices);
  [[nodiscard]] const std::vector<algorithms::Choice>& choices() const { return choices_; }
  [[nodiscard]] std::vector<std::string> labels() const;
  /// Returns true if one of the choices goes by a window.
  [[nodiscard]] bool has_windows() const;

  /// Returns true if the call plan needs a window, and the ranks can have none. Collective. Throws
  /// mpi::MpiError.
  bool lacks_window(const policies::CallPlan& call_plan);
  /// Makes what the call plan needs; returns true if all ranks have it, and none objects.
  /// Collective. Throws mpi::MpiError.
  bool prepare(const policies::CallPlan& call_plan, const Operation& operation,
               const Buffers& buffers, bool objects);
  /// Runs the algorithm of that number. Returns false if it cannot do such calls, on all ranks, and
  /// nothing was done. Throws mpi::MpiError, std::bad_alloc.
  bool run(std::size_t number, const Call& call, std::span<const std::int64_t> block_bytes,
           const Buffers& buffers);
  /// Destroys prepared algorithms, which hold the window, before that is freed.
  void clear() { prepared_.clear(); }
  /// Returns whether `run` did the last call that the algorithm of that number was to do.
  [[nodiscard]] bool has_run(std::size_t number) const { return uses_[number].is_last_run; }
  /// Returns whether `run` could not do a call of the algorithm of that number.
  [[nodiscard]] bool was_replaced(std::size_t number) const { return uses_[number].was_replaced; }

 private:
  struct Use {
    bool is_last_run = false;
    bool was_replaced = false;
  };

  DuplicateComm& duplicate_;
  std::vector<algorithms::Choice> choices_;
  std::vector<std::unique_ptr<Prepared>> prepared_;  // null: not yet
  std::vector<Use> uses_;
};

/// The time that this rank took between calls, to agree and to make algorithms ready.
struct Overhead {
  std::int64_t calls = 0;  ///< calls that the time was spent for
  std::int64_t ns = 0;

  /// Returns the ns that were spent for each call; -1 if there were no calls.
  [[nodiscard]] std::int64_t ns_a_call() const { return calls == 0 ? -1 : ns / calls; }
};

/// The overheads, apart by what the calls were for (Faraj 2006, 4.3.2.3): in a call plan that has
/// each of some calls timed, algorithms are tried; in any other, the one in use is watched.
struct Overheads {
  Overhead selecting;   ///< his O_MS^a
  Overhead monitoring;  ///< his O_MA

  /// Adds the time that it took to go on from the calls of this plan.
  void add(const policies::CallPlan& done, std::int64_t ns) {
    const bool tries =
        std::ranges::find(done, policies::Timing::each, &policies::Phase::timing) != done.end();
    Overhead& overhead = tries ? selecting : monitoring;
    overhead.ns += ns;
    for (const policies::Phase& phase : done) overhead.calls += phase.calls;
  }
};

/// The facts about a session that people are told.
struct Account {
  std::int64_t calls = 0;
  std::int64_t agreements = 0;
  std::string algorithm;      ///< in use at the end
  std::int64_t time_ns = -1;  ///< time of a call of that algorithm; negative: not known
  std::int64_t native_ns = -1;
  std::int64_t spent_ns = 0;   ///< in calls, as far as they were timed
  std::int64_t excess_ns = 0;  ///< time of trying others, and of agreeing
  Overheads overheads;
};

/// The calls of one key on one communicator. What it does next is the same on all ranks: it comes
/// from a call plan, and a new one is made from nothing but what they agree on.
///
/// A communicator has one collective call at a time, so there is no lock.
class Session {
 public:
  /// `number` is the number of sessions that the communicator had before; the blocks are those of
  /// the first call. Early calls are quiet.
  Session(const Key& key, std::size_t number, World& world, DuplicateComm& duplicate,
          std::span<const std::int64_t> block_bytes);

  [[nodiscard]] const Key& key() const { return key_; }
  /// Returns true if the next call is the MPI library's own, and nothing is to be noted of it. Then
  /// it counts as done.
  bool pass() {
    if (quiet_calls_ == 0) return false;
    --quiet_calls_;
    if (!closed_) last_session_.store(this, std::memory_order_relaxed);
    return true;
  }
  /// Returns what `pass` would return, and counts nothing.
  [[nodiscard]] bool is_quiet() const { return quiet_calls_ > 0; }
  /// Finds, with the first call that is not quiet, what there is to choose from. Collective. Throws
  /// mpi::MpiError.
  void make_ready(const Call& call, std::span<const std::int64_t> block_bytes) {
    if (!closed_ && !course_.has_begun()) start(call, block_bytes);
  }
  /// Returns true if the next call is the MPI library's own.
  [[nodiscard]] bool is_native() const { return progress_.candidate() == 0; }
  [[nodiscard]] bool is_timed() const { return progress_.is_timed(); }

  /// Does the next call, with an algorithm of ours. A buffer in a device goes by the host, on this
  /// rank alone: the others need not know. Returns false if the algorithm cannot run with these
  /// blocks, on all ranks, and nothing was done. Throws mpi::MpiError, std::bad_alloc, DeviceError.
  bool run(const Call& call, std::span<const std::int64_t> block_bytes);

  /// Notes that the next call is done. If it was the call plan's last one, the ranks agree on the
  /// next plan. Throws mpi::MpiError.
  void done(const Call& call, std::span<const std::int64_t> block_bytes, std::int64_t arrival_ns,
            std::int64_t exit_ns);

  /// Passes on all further calls; the session makes no MPI call any more.
  void close();
  [[nodiscard]] Account account() const;
  /// Returns the times that the next run may expect of such calls; there are none for calls that
  /// were passed on, where nothing but native was tried, and of a policy that compares no medians.
  [[nodiscard]] std::vector<policies::ProfileRow> profile_rows() const;

 private:
  void start(const Call& call, std::span<const std::int64_t> block_bytes);
  /// Counts the next quiet calls before they come.
  void find_quiet_calls();
  void agree(const Call& call, std::span<const std::int64_t> block_bytes);
  /// Returns whether this rank wants such calls left to the MPI library: one since the last
  /// agreement, or this last one, had a buffer in a device, or may have had one.
  [[nodiscard]] bool objects(const Call& call);
  void install(policies::CallPlan call_plan, const Call& call,
               std::span<const std::int64_t> block_bytes);
  /// Begins with what these ranks can run. Returns false if the policy has nothing to choose from;
  /// then nothing was done.
  bool begin(const Call& call, std::span<const std::int64_t> block_bytes);
  /// Returns this rank's time in calls of others than the leader since the last agreement, and in
  /// that agreement.
  [[nodiscard]] std::int64_t unpaid_ns() const;
  /// Returns the state that the last communicator of these ranks left; an empty one if it chose
  /// from other candidates.
  [[nodiscard]] Learnt find_learnt() const;
  void keep_learnt();
  void log(std::span<const std::int64_t> times_ns, std::string_view outcome);

  [[nodiscard]] selection::Candidates find_candidates(
      const Call& call, std::span<const std::int64_t> block_bytes) const;
  [[nodiscard]] policies::ProfileKey profile_key() const;

  /// The session of the last call that was not passed on. It is compared with, and never followed.
  static constinit inline std::atomic<const Session*> last_session_ = nullptr;

  Key key_;
  std::size_t number_;
  std::int64_t total_bytes_;  // of the first call's blocks
  World& world_;
  DuplicateComm& duplicate_;
  bool closed_ = false;
  Repertoire repertoire_;
  Course course_;
  selection::Progress progress_;
  std::optional<std::int64_t> last_exit_ns_;  // of the last call, if it was timed
  std::int64_t base_ns_;
  bool was_in_device_ = false;  // of calls that algorithms of ours did on this rank
  static constexpr std::int64_t all_further_calls = std::int64_t{1} << 62;
  std::int64_t calls_ = 0;         // also those that are quiet and have not come
  std::int64_t quiet_calls_ = 0;   // that have not come
  std::int64_t agreement_ns_ = 0;  // what the last one took, on this rank
  Overheads overheads_;
};

}  // namespace gatherbench::star
