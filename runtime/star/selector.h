// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/mpi/handles.h"
#include "runtime/mpi/rank_model.h"
#include "runtime/policies/profile.h"
#include "runtime/star/call/call.h"
#include "runtime/star/comm_state.h"
#include "runtime/star/new_file.h"
#include "runtime/star/world.h"

namespace gatherbench::star {

/// The totals of all sessions, each counted by the first rank of its communicator.
class Report {
 public:
  /// Begins a report. With AGSTAR_REPORT it has a line for each session, in a file that rank 0
  /// makes now: at the end nobody could name another one. It is the sums alone without.
  explicit Report(const World& world);

  void add(CommState& state);
  /// On rank 0, writes the sums on standard error, and the rest of the files of AGSTAR_REPORT and
  /// AGSTAR_PROFILE. Collective.
  void tell(const World& world);

 private:
  bool in_detail_;
  NewFile file_;  // on rank 0
  std::int64_t sessions_ = 0;
  std::int64_t changed_ = 0;  // those that ended with another algorithm than the library's
  std::int64_t calls_ = 0;
  std::int64_t agreements_ = 0;
  std::int64_t spent_ns_ = 0;
  std::int64_t excess_ns_ = 0;
  std::string lines_;
  std::vector<policies::ProfileRow> rows_;
};

/// The communicator of a thread's last call. Its state is asked for once: MPI libraries look in a
/// table for an attribute, which takes as long as a short call.
struct LastComm {
  MPI_Comm comm{};
  CommState* state = nullptr;
  std::int64_t forgotten = -1;  ///< the states that were forgotten before; the handle may be reused

  /// The number of states that were forgotten so far.
  static constinit inline std::atomic<std::int64_t> all_forgotten = 0;

  /// Returns whether `state` is this communicator's.
  [[nodiscard]] bool is(MPI_Comm other) const {
    return comm == other && forgotten == all_forgotten.load(std::memory_order_acquire);
  }
};

struct ThisThread {
  /// Set while a call is at work, so that what it calls itself, or the MPI library for it, is
  /// passed on.
  bool within_call = false;
  LastComm last_comm = {};
};
// Both constinit and the model save function calls where a thread's variables are looked up.
extern constinit thread_local ThisThread this_thread [[gnu::tls_model("initial-exec")]];

/// The selection between the program's collective calls and the MPI library.
class Selector {
 public:
  /// Returns the only selector. It is never destroyed, since a program may make MPI calls in
  /// destructors of its own.
  static Selector& the();

  /// Reads the settings and begins to select. Collective, after MPI_Init.
  void start();
  /// Passes on all calls from now on, and writes the report. Collective, before MPI_Finalize.
  void finish();

  [[nodiscard]] bool is_active() const { return active_.load(std::memory_order_relaxed); }
  /// Returns the communicator's state. Each communicator carries its state as an attribute, which
  /// goes with it: handles are used again, attributes are not. Throws mpi::MpiError.
  CommState& state_of(MPI_Comm comm) {
    LastComm& last = this_thread.last_comm;
    if (last.is(comm)) return *last.state;
    const std::int64_t forgotten = LastComm::all_forgotten.load(std::memory_order_acquire);
    last = {comm, &find(comm), forgotten};
    return *last.state;
  }
  /// Forgets a communicator that is being freed by all its ranks.
  void forget(CommState& state);

 private:
  CommState& find(MPI_Comm comm);

  std::atomic<bool> active_ = false;
  std::unique_ptr<World> world_;
  std::unique_ptr<Report> report_;
  int key_ = MPI_KEYVAL_INVALID;
  std::mutex mutex_;  // of the two below, and of report_
  std::list<CommState> states_;
  bool started_ = false;
};

class WithinCall {
 public:
  WithinCall() { this_thread.within_call = true; }
  ~WithinCall() { this_thread.within_call = false; }
  WithinCall(const WithinCall&) = delete;
  WithinCall& operator=(const WithinCall&) = delete;
};

/// Returns the error code for the exception that is being handled, after its communicator's error
/// handler was called.
int report_error(MPI_Comm comm);

/// Does the call, by the MPI library (`native`) or by an algorithm of ours.
template <class Native>
int serve(const Call& call, const Native& native) {
  Selector& selector = Selector::the();
  const bool is_ours = selector.is_active() && !this_thread.within_call;
  if (!is_ours || call.comm == MPI_COMM_NULL) return native();
  const WithinCall guard;
  CommState* state = nullptr;
  try {
    state = &selector.state_of(call.comm);
    if (state->is_passed_on()) return native();
    Session* const session = state->session_of(call);
    if (session == nullptr || session->pass()) return native();
    const bool is_timed = session->is_timed();
    const std::int64_t arrival_ns = is_timed ? mpi::steady_ns() : 0;
    int code = MPI_SUCCESS;
    if (session->is_native() || !session->run(call, state->block_bytes())) code = native();
    const std::int64_t exit_ns = is_timed ? mpi::steady_ns() : 0;
    session->done(call, state->block_bytes(), arrival_ns, exit_ns);
    return code;
  } catch (const std::exception& error) {
    // The communicator is not valid: the MPI library says what is wrong.
    const bool is_of_mpi = dynamic_cast<const mpi::MpiError*>(&error) != nullptr;
    if (state == nullptr && is_of_mpi) return native();
    // The communicator is of no more use to us.
    if (state != nullptr) state->pass_on();
    return report_error(call.comm);
  }
}

template <auto call_of, class Native, class... Arguments>
[[gnu::noinline]] int serve_apart(Native native, Arguments... arguments) {
  return serve(call_of(arguments...), [&] { return native(arguments...); });
}

/// Does the call that `call_of` makes of these arguments, as `serve` does. A short call that is
/// passed on takes hardly longer than what happens here, so this makes no Call in memory, and all
/// else is in a function of its own.
template <auto call_of, class Native, class... Arguments>
int pass_or_serve(Native native, Arguments... arguments) {
  const LastComm& last = this_thread.last_comm;
  if (!this_thread.within_call && last.is(call_of(arguments...).comm) &&
      last.state->pass(call_of(arguments...))) {
    const WithinCall guard;
    return native(arguments...);
  }
  return serve_apart<call_of>(native, arguments...);
}

}  // namespace gatherbench::star
